import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Platform
import Support
import Testing

@testable import MP4Serving
@testable import MP4Streaming

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server that serves the resources of an origin, with both ends in this process.
final class Relay: Sendable {
  let far: TestOrigin
  let origin: Origin
  let running: Running
  let diagnostics = Monitor([String]())
  private let ownsFar: Bool

  /// Bytes without repetition over short distances; each seed gives different ones.
  static func bytes(_ count: Int, seed: Int = 0) -> [UInt8] {
    Support.bytes(count) { UInt8(truncatingIfNeeded: ($0 &+ seed &* 7919) &* 2_654_435_761 >> 13) }
  }

  /// - Parameters:
  ///   - limit: How many bytes the cache may have; a block has a 32nd of that.
  ///   - freshness: How many seconds an answer counts; 0 for none.
  init(
    _ far: TestOrigin? = nil, folder: String? = nil, limit: Int = 1 << 20, freshness: Int = 1000,
    _ change: (inout Origin.Options) -> Void = { _ in }
  ) throws {
    ownsFar = far == nil
    let far = try far ?? TestOrigin()
    var options = Origin.Options()
    options.fetch.retries = 2
    options.fetch.retryWait = 1
    // No test waits for these timeouts, and they are not reached under load.
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

  /// The bytes `range` of the resource at this path, or `nil` if the response is not a range.
  func part(_ path: String, _ range: Range<Int>) throws -> [UInt8]? {
    let answer = try get(path, "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
    return answer.status == 206 ? answer.body : nil
  }

  /// Starts a request; its response is received later.
  func begin(_ path: String, _ fields: String...) throws -> Client {
    let client = try running.client()
    client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
    return client
  }

  /// The state of the resource at this path.
  func resource(_ path: String) throws -> OriginResource {
    try origin.resource(#require(WebAddress(far.address + path)))
  }

  /// Waits until no download is running.
  func waitUntilIdle() { #expect(becomes { far.state { $0.answering == 0 } && origin.isIdle }) }
}

/// Waits until the condition holds. If it never does, the wait ends after minutes; the limit is arbitrary.
func becomes(_ claim: () throws -> Bool) rethrows -> Bool {
  for _ in 0..<120_000 {
    if try claim() { return true }
    usleep(5000)
  }
  return false
}
