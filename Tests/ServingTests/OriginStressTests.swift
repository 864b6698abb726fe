import MP4Bytes
import MP4Fetching
import MP4FileIO
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

@Suite(
  "Bytes are right and resources are released under stress",
  .enabled(if: which("curl") != nil, "needs curl"))
struct OriginStressTests {
  static let bytes = Relay.bytes(1_000_000)

  /// Distinguishes the processes and files of one test from those of others.
  private struct Traces {
    let folder: Support.TemporaryFolder
    let program: String

    init() throws {
      folder = try Support.TemporaryFolder()
      program = "curl" + String(UInt32.random(in: .min ... .max), radix: 36)
      unsafe symlink(try #require(which("curl")), folder(program))
    }

    /// Child processes that are running, or have ended and were not waited for.
    var processes: Int {
      namesInFolder("/proc").count { name in
        guard Int(name) != nil, let text = try? readFile("/proc/\(name)/comm") else { return false }
        return String(decoding: text, as: UTF8.self) == program + "\n"
      }
    }
    /// The open files of the cache.
    var openFiles: Int {
      namesInFolder("/proc/self/fd").count { name in
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/fd/\(name)", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.hasPrefix(folder("mp4tool-cache"))
      }
    }
    /// Files that are neither blocks nor records.
    var unknownFiles: [String] {
      namesInFolder(folder("mp4tool-cache")).filter { Pathname($0).flatMap(BlockName.init) == nil }
    }
  }

  @Test(
    "A killed origin, disconnected clients and a stop leave no resources, and the next request works",
    .enabled(if: fileExists("/proc/self/fd"), "there is no /proc"), arguments: [true, false])
  func nothingIsLeft(hasRanges: Bool) throws {
    let traces = try Traces()
    let relay = try Relay(folder: traces.folder.path, limit: 256 << 10) {
      $0.fetch.program = traces.folder(traces.program)
      $0.patience = .milliseconds(1)
    }
    func begin(_ path: String) throws -> [Client] {
      relay.far[path] = .init(bytes: Self.bytes, hasRanges: hasRanges, held: 500_000..<900_000)
      let clients = try (0..<8).map {
        $0 % 2 == 0 ? try relay.begin(path) : try relay.begin(path, "Range: bytes=\($0 * 100_000)-")
      }
      #expect(becomes { clients[0].received(behindHead: 400_000) })
      return clients
    }
    // The cache files are open as long as they are used.
    func isQuiet() -> Bool {
      relay.origin.isIdle && relay.running.server.connectionCount == 0 && traces.processes == 0 && traces.openFiles <= 1
        && traces.unknownFiles == []
    }
    // The origin ends all responses.
    var clients = try begin("/a")
    relay.far["/a"] = .init(status: 500, held: 500_000..<900_000)
    relay.far.end()
    for client in clients {
      let status = client.answer()?.status
      #expect(status == nil || status == 502)
    }
    clients = []
    #expect(becomes(isQuiet), "\(traces.processes) \(traces.openFiles) \(traces.unknownFiles)")
    relay.far["/a"] = .init(bytes: Self.bytes, hasRanges: hasRanges)
    #expect(try relay.get("/a").body == Self.bytes)
    // The clients disconnect; downloads that nobody reads end.
    clients = try begin("/b")
    clients = []
    relay.far["/b"].held = nil
    #expect(becomes(isQuiet), "\(traces.processes) \(traces.openFiles) \(traces.unknownFiles)")
    #expect(try relay.get("/b").body == Self.bytes)
    // The server stops.
    clients = try begin("/c")
    relay.origin.stop()
    #expect(relay.origin.isIdle && traces.processes == 0)
    for client in clients {
      let status = client.answer()?.status
      #expect(status == nil || status == 502 || status == 503)
    }
    #expect(try relay.get("/c").status == 503)
    relay.running.server.stop()
    #expect(becomes(isQuiet) && traces.openFiles == 0)
  }

  @Test(
    "Random ranges for many clients belong to one state of the resource, regardless of the origin's behavior",
    arguments: 0..<4)
  func random(seed: Int) throws {
    let relay = try Relay(limit: seed % 2 == 0 ? 256 << 10 : 4 << 20, freshness: 0)
    let (count, rounds) = (200_000, Effort.count(short: 5, all: 25))
    // The number of the current state; each response is compared with all states that existed during the request.
    let (number, states) = (Monitor(0), Monitor([Relay.bytes(count)]))
    @Sendable func set(_ generator: inout SplitMix64) {
      number { number in
        if Int.random(in: 0..<3, using: &generator) == 0 {
          number += 1
          states { $0.append(Relay.bytes(count, seed: number)) }
        }
        let hasLength = seed % 2 == 0 || .random(using: &generator)
        let isCut = Int.random(in: 0..<4, using: &generator) == 0
        relay.far["/a"] = .init(
          bytes: states { $0[number] }, hasRanges: .random(using: &generator), hasLength: hasLength,
          tag: "\"\(number)\"", ignoresConditions: .random(using: &generator),
          cut: isCut ? Int.random(in: 1..<count, using: &generator) : nil)
      }
    }
    var generator = SplitMix64(seed: UInt64(seed))
    set(&generator)
    let (done, right) = (Monitor(0), Monitor(0))
    for client in 0..<4 {
      let isStarted = Thread.start {
        var generator = SplitMix64(seed: UInt64(seed * 100 + client + 1))
        for _ in 0..<rounds {
          let (a, b) = (Int.random(in: 0..<count, using: &generator), Int.random(in: 0..<count, using: &generator))
          let range = min(a, b)..<max(a, b) + 1
          let before = number { $0 }
          let answer = try? relay.begin("/a", "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)").answer()
          let after = number { $0 }
          if let answer, answer.status == 206 {
            let isRight = states { states in states[before...after].contains { $0[range] == answer.body[...] } }
            #expect(isRight, "\(answer.body.count) bytes, \(range) of \(before) to \(after)")
            right { $0 += 1 }
          } else if let answer {
            #expect(answer.status == 502)
          }
          set(&generator)
        }
        done.change { $0 += 1 }
      }
      #expect(isStarted)
    }
    done.wait { $0 == 4 ? () : nil }
    #expect(right { $0 } > 0)
    relay.far["/a"].cut = nil
    #expect(try relay.get("/a").body == relay.far["/a"].bytes)
  }
}
