import ISOBMFF
import MP4Bytes
import MP4FileIO
import Testing

@testable import mp4tool

@Suite("Console output")
struct OutputTests {
  @Test("Long and short pieces are written in order")
  func consoleKeepsOrder() throws {
    var expected = ""
    let text = try Files.capture { descriptor in
      let console = Console(descriptor: descriptor)
      for number in 0..<30_000 {
        try console.write("\(number),")
        expected += "\(number),"
      }
      let long = [UInt8](repeating: UInt8(ascii: "x"), count: 200_000)
      try unsafe console.write(long.span.bytes)
      try console.write("end")
      try console.flush()
      expected += String(decoding: long, as: UTF8.self) + "end"
    }
    #expect(text == expected)
  }

  @Test("After an error, the console keeps failing with the same reason")
  func consoleRemembersFailure() throws {
    let console = Console(descriptor: Files.closedPipe())
    try console.write("a")
    for _ in 0..<2 {
      let error = #expect(throws: IOError.self) { try console.flush() }
      #expect(error?.operation == .write)
      #expect(error?.isBrokenPipe == true)
      #expect(error?.reason == "the reader has closed the pipe")
    }
  }

  @Test("Messages are lines with their severity, and quiet and verbose filter them")
  func messagesHaveLevels() throws {
    func said(_ level: Diagnostics.Level) throws -> [Substring] {
      try Files.capture { descriptor in
        let messages = Diagnostics(stream: ErrorStream(descriptor: descriptor), level: level)
        messages.error("a.mp4: bad")
        messages.finding("a.mp4: lost")
        messages.warning("a.mp4: repaired")
        messages.note("a.mp4: fine")
        messages.detail("a.mp4: read")
        #expect(messages.warnings == 1 && messages.findings == 1)
      }.split(separator: "\n")
    }
    let all: [Substring] = [
      "mp4tool: a.mp4: bad", "mp4tool: a.mp4: lost", "mp4tool: warning: a.mp4: repaired", "mp4tool: note: a.mp4: fine",
      "mp4tool: note: a.mp4: read",
    ]
    #expect(try said(.quiet) == Array(all.prefix(2)))
    #expect(try said(.normal) == Array(all.prefix(4)))
    #expect(try said(.verbose) == all)
  }

  @Test("Findings exit with 1; with --strict, they and warnings exit with 65")
  func outcomes() throws {
    _ = try Files.capture { descriptor in
      let stream = ErrorStream(descriptor: descriptor)
      let plain = Diagnostics(stream: stream)
      plain.warning("w")
      #expect(plain.outcome == .done && !plain.forbidsOutput)
      plain.finding("f")
      #expect(plain.outcome == .findings && !plain.forbidsOutput)
      let strict = Diagnostics(stream: stream, isStrict: true)
      strict.note("n")
      #expect(strict.outcome == .done && !strict.forbidsOutput)
      strict.warning("w")
      #expect(strict.outcome == .inputNotUsable && strict.forbidsOutput)
    }
  }

  @Test("A name cannot move the cursor")
  func controlCharactersAreEscaped() throws {
    let text = try Files.capture { descriptor in
      Diagnostics(stream: ErrorStream(descriptor: descriptor)).error("a\u{1b}[2J\r\n\u{9b}\u{202e}é.mp4: bad")
    }
    #expect(text == "mp4tool: a\\x1b[2J\\r\\n\\u{9b}\\u{202e}é.mp4: bad\n")
    #expect(Printable.text(of: [0x61, 0xe2, 0x82, 0x62, 0xff, 0xc3, 0xa9]) == "a\\xe2\\x82b\\xffé")
    #expect(Printable.text(of: Array("日本".utf8)) == "日本")
  }

  @Test("Color is only for terminals, and can be disabled")
  func colour() throws {
    #expect(ErrorStream.wantsColour(isTerminal: true, noColour: nil, terminal: "xterm"))
    #expect(ErrorStream.wantsColour(isTerminal: true, noColour: "", terminal: "xterm"))
    #expect(!ErrorStream.wantsColour(isTerminal: true, noColour: "1", terminal: "xterm"))
    #expect(!ErrorStream.wantsColour(isTerminal: true, noColour: nil, terminal: "dumb"))
    #expect(!ErrorStream.wantsColour(isTerminal: false, noColour: nil, terminal: "xterm"))
    let text = try Files.capture { descriptor in
      Diagnostics(stream: ErrorStream(descriptor: descriptor, isTerminal: true, usesColour: true)).warning("w")
    }
    #expect(text == "mp4tool: \u{1b}[33mwarning:\u{1b}[0m w\n")
  }
}
