import MP4Bytes
import MP4Platform
import Support
import Testing

@testable import MP4FileIO

@Suite("Growing files")
struct GrowingFileTests {
  /// Runs a closure of the test at each wait.
  private final class Script: Changes {
    var isClosed = false
    /// Called with the length of the wait; returns whether something may have changed.
    var onWait: (Int) throws -> Bool = { _ in false }
    func wait(milliseconds: Int) -> Bool { (try? onWait(milliseconds)) ?? false }
  }
  private final class Time { var now = Duration.zero }

  private let folder: Support.TemporaryFolder
  private let script = Script()
  private let time = Time()
  private let file: GrowingFile

  init() throws {
    folder = try Support.TemporaryFolder()
    try folder.write("a.mp4", ascii("one"))
    let path = try #require(Pathname(folder("a.mp4")))
    let descriptor = try Descriptor(opening: path, .readOnly)
    file = GrowingFile(descriptor, name: "a.mp4", script, idle: .seconds(10)) { [time] in time.now }
  }

  private func append(_ text: String) throws {
    _ = try run("bash", ["-c", "printf \(text) >> a.mp4"], folder: folder.path)
  }
  private func next() throws -> String {
    switch try file.next(waiting: .milliseconds(100)) {
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .file(let name): "[\(name)]"
    case .nothing: "-"
    case .end: "."
    }
  }

  @Test("A file is read until its writer has closed it, including existing bytes")
  func closed() throws {
    #expect(try next() == "one" && next() == "-")
    script.onWait = { _ in
      try append("two")
      return true
    }
    #expect(try next() == "two")
    script.onWait = { _ in
      try append("three")
      script.isClosed = true
      return false
    }
    #expect(try next() == "-" && next() == "three" && next() == ".")
  }

  @Test("A file ends if it does not grow for the given time, which is reported")
  func idle() throws {
    var events: [String] = []
    file.onEvent = { events.append("\($0)") }
    script.onWait = { milliseconds in
      #expect(milliseconds <= 100)
      time.now += .seconds(4)
      return false
    }
    #expect(try next() == "one" && next() == "-" && next() == "-")
    try append("two")
    #expect(try next() == "two" && next() == "-" && next() == "-" && next() == "-" && next() == ".")
    #expect(events.count == 2 && events[0] == "waits" && events[1].hasPrefix("idle"), "\(events)")
  }

  @Test("A file that is rewritten from its start is a new file")
  func again() throws {
    #expect(try next() == "one")
    _ = try run("bash", ["-c", "printf x > a.mp4"], folder: folder.path)
    #expect(try next() == "[a.mp4]" && next() == "x")
  }
}
