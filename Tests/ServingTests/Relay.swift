import Bytes
import Fetching
import FileIO
import HLS
import Platform
import Support
import Testing

@testable import Serving

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server that gives what an origin has, with both ends in this process.
final class Relay: Sendable {
  let far: FarServer
  let origin: Origin
  let running: Running
  let diagnostics = Monitor([String]())
  private let ownsFar: Bool

  /// Bytes of which none repeats what stands nearby, another row for each seed.
  static func bytes(_ count: Int, seed: Int = 0) -> [UInt8] {
    Support.bytes(count) { UInt8(truncatingIfNeeded: ($0 &+ seed &* 7919) &* 2_654_435_761 >> 13) }
  }

  /// - Parameters:
  ///   - limit: How many bytes the cache may have; a block has a 32nd of that.
  ///   - freshness: How many seconds an answer counts; 0 for none.
  init(
    _ far: FarServer? = nil, folder: String? = nil, limit: Int = 1 << 20, freshness: Int = 1000,
    _ change: (inout Origin.Options) -> Void = { _ in }
  ) throws {
    ownsFar = far == nil
    let far = try far ?? FarServer()
    var options = Origin.Options()
    options.fetch.retries = 2
    options.fetch.retryWait = 1
    // No test waits for these, and no load of the machine reaches them.
    (options.fetch.connectTimeout, options.fetch.stallTimeout) = (600, 600)
    options.freshness = .seconds(freshness)
    let diagnostics = diagnostics
    options.onDiagnostic = { diagnostic in diagnostics.change { $0.append(diagnostic) } }
    change(&options)
    let origin = Origin(try BlockCache(folder.flatMap { Pathname($0) }, byteLimit: limit), options)
    self.far = far
    self.origin = origin
    running = try Running(answering: { request in
      WebAddress(far.address + request.path).map(origin.response) ?? .notFound
    })
  }

  deinit {
    origin.stop()
    if ownsFar { far.kill() }
  }

  func get(_ path: String, _ fields: String...) throws -> Client.Answer {
    try running.request("GET \(path) HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
  }

  /// The bytes `range` of what is under the path, or `nil` for another answer than that.
  func part(_ path: String, _ range: Range<Int>) throws -> [UInt8]? {
    let answer = try get(path, "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
    return answer.status == 206 ? answer.body : nil
  }

  /// Begins a request whose answer is waited for later.
  func begin(_ path: String, _ fields: String...) throws -> Client {
    let client = try running.client()
    client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
    return client
  }

  /// What the origin knows of the resource under the path.
  func resource(_ path: String) throws -> OriginResource {
    try origin.resource(#require(WebAddress(far.address + path)))
  }

  /// Waits until nothing is brought any more.
  func waitUntilIdle() { #expect(becomes { far.state { $0.answering == 0 } && origin.isIdle }) }
}

/// Waits until it is so; what never is so ends after minutes, which are no measure of anything.
func becomes(_ claim: () throws -> Bool) rethrows -> Bool {
  for _ in 0..<120_000 {
    if try claim() { return true }
    usleep(5000)
  }
  return false
}
