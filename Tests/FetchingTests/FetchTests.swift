import ISOBMFF
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import Support
import Testing

@Suite("Fetching", .enabled(if: WebServer.isPossible, "needs python3 and curl"))
struct FetchTests {
  let folder: Support.TemporaryFolder
  let server: WebServer
  let fetcher: Fetcher
  /// Bytes without repetition over short distances.
  static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

  init() throws {
    folder = try TemporaryFolder()
    _ = try folder.write("a.bin", Self.bytes)
    server = try WebServer(folder.path)
    var options = FetchOptions()
    options.retryWait = 10
    fetcher = Fetcher(options)
  }

  func address(_ path: String) throws -> WebAddress { try #require(WebAddress("\(server.address)/\(path)")) }
  func requests() throws -> [String] {
    let log = try fetcher.bytes(address("log"), limit: 1 << 20).bytes
    return String(decoding: log, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(
    "The bytes are the same regardless of redirections, interruptions and transfer codings",
    arguments: [
      "a.bin", "plain/a.bin", "503x2/a.bin", "429x1/a.bin", "drop1000x2/a.bin", "drop1000x1/503x1/a.bin",
      "plain/drop100000x2/a.bin", "notags/drop1000x2/a.bin", "changing/drop1000x2/a.bin", "hop3/a.bin",
      "hop2/drop1000x1/a.bin", "chunked/a.bin",
    ])
  func whole(_ path: String) throws {
    let (bytes, response) = try fetcher.bytes(address(path), limit: 1 << 20)
    #expect(bytes == Self.bytes)
    #expect(response.address.description.hasSuffix("a.bin"))
    let file = folder("copy.bin")
    try fetcher.file(address(path + "?again"), to: #require(Pathname(file)))
    #expect(try readFile(file) == Self.bytes)
    #expect(folder.names == ["a.bin", "copy.bin"])
  }

  @Test(
    "A range has the same bytes after interruptions and past the end",
    arguments: [
      "a.bin", "drop1000x2/a.bin", "changing/drop1000x1/a.bin", "notags/drop1000x1/a.bin",
    ])
  func part(_ path: String) throws {
    #expect(
      try fetcher.bytes(address(path), range: 5000..<25_000, limit: 1 << 20).bytes == Array(Self.bytes[5000..<25_000]))
    #expect(
      try fetcher.bytes(address(path), range: 299_000..<Int.max, limit: 1 << 20).bytes == Array(Self.bytes[299_000...]))
    #expect(try fetcher.bytes(address(path), range: 299_999..<400_000, limit: 1 << 20).bytes == [Self.bytes[299_999]])
  }

  @Test("After an interruption, the rest is requested on condition that nothing changed")
  func resuming() throws {
    let path = try #require(Pathname(folder("b.bin")))
    let response = try fetcher.file(address("drop100000x1/a.bin"), to: path)
    #expect(response.status == 206)
    let tag = try #require(response.validator)
    #expect(try requests() == ["/drop100000x1/a.bin - -", "/drop100000x1/a.bin bytes=100000- \(tag)"])
    #expect(try readFile(folder("b.bin")) == Self.bytes)
  }

  @Test("A file that changes between two attempts is fetched as a whole")
  func changed() throws {
    try fetcher.file(address("changing/drop100000x2/a.bin"), to: #require(Pathname(folder("b.bin"))))
    #expect(try readFile(folder("b.bin")) == Self.bytes)
    #expect(try requests().map { $0.split(separator: " ")[1] } == ["-", "bytes=100000-", "bytes=100000-"])
  }

  @Test("Without ranges on the server, only the start of a file can be fetched")
  func noRanges() throws {
    let address = try address("plain/a.bin")
    #expect(try fetcher.bytes(address, range: 0..<70_000, limit: 1 << 20).bytes == Array(Self.bytes[..<70_000]))
    #expect { try fetcher.bytes(address, range: 1..<70, limit: 1 << 20) } throws: {
      ($0 as? FetchError)?.problem == .noRanges
    }
  }

  @Test("Compressed resources are decoded, and ranges of them are refused", arguments: ["", "drop100x1/", "plain/"])
  func compressed(_ how: String) throws {
    let address = try address("\(how)gzip/a.bin")
    #expect(try fetcher.bytes(address, limit: 1 << 20).bytes == Self.bytes)
    try fetcher.file(address, to: #require(Pathname(folder("b.bin"))))
    #expect(try readFile(folder("b.bin")) == Self.bytes)
    #expect { try fetcher.bytes(address, range: 0..<10, limit: 10) } throws: {
      ($0 as? FetchError)?.problem == .compressed("gzip")
    }
    let stream = try fetcher.stream(address, unpacks: true)
    #expect(stream.response.contentCoding == nil && stream.response.contentLength == nil)
    var bytes: [UInt8] = []
    while let next = try stream.next() { bytes += next }
    #expect(bytes == Self.bytes)
    #expect(try fetcher.stream(address).response.contentCoding == "gzip")
  }

  @Test("If a server returns less than the requested range, the rest is requested")
  func shortParts() throws {
    let bytes = try fetcher.bytes(address("short9000/a.bin"), range: 100..<30_100, limit: 1 << 20).bytes
    #expect(bytes == Array(Self.bytes[100..<30_100]))
    #expect(try requests().count == 4)
  }

  @Test("Fetching fails if a server always stops at the same byte")
  func endlessBreaks() throws {
    for path in ["plain/drop1000x99/a.bin", "changing/drop1000x99/a.bin"] {
      #expect(throws: FetchError.self) { try fetcher.file(address(path), to: #require(Pathname(folder("b.bin")))) }
    }
    #expect(try requests().count < 25)
    #expect(folder.names == ["a.bin"])
  }

  @Test("Resources above the size limit are refused", arguments: ["a.bin", "chunked/a.bin", "gzip/a.bin"])
  func limit(_ path: String) throws {
    #expect(try fetcher.bytes(address(path), limit: 300_000).bytes.count == 300_000)
    #expect { try fetcher.bytes(address(path), limit: 299_999) } throws: {
      ($0 as? FetchError)?.problem == .tooLarge(limit: 299_999)
    }
  }

  @Test("A missing resource is not requested again, and permanent failures end the fetch")
  func failures() throws {
    #expect { try fetcher.bytes(address("b.bin"), limit: 100) } throws: {
      "\($0)".hasSuffix("/b.bin: the server returned status 404 (not found)")
    }
    #expect(try requests().count == 1)
    #expect { try fetcher.bytes(address("503x99/a.bin"), limit: 100) } throws: {
      ($0 as? FetchError)?.problem == .status(503)
    }
    #expect(try requests().count == 6)
    let closed = try #require(WebAddress("http://user:secret@127.0.0.1:1/a"))
    #expect { try fetcher.bytes(closed, limit: 100) } throws: {
      !"\($0)".contains("secret") && "\($0)".contains("onnect")
    }
  }

  @Test("Redirections are followed only to HTTP URLs, and not endlessly")
  func redirections() throws {
    for target in ["file:%252F%252F%252Fetc%252Fpasswd", "ftp:%252F%252Fa%252Fb"] {
      #expect { try fetcher.bytes(address("to-\(target)/x"), limit: 100) } throws: {
        if case .otherRedirection = ($0 as? FetchError)?.problem { true } else { false }
      }
    }
    #expect { try fetcher.bytes(address("hop20/a.bin"), limit: 1 << 20) } throws: {
      ($0 as? FetchError)?.problem == .tooManyRedirections(limit: 10)
    }
  }

  @Test("Brackets, spaces and text that looks like an option are sent unchanged")
  func names() throws {
    _ = try folder.write("-o [1-3] {a,b} ü\".bin", [1, 2, 3])
    #expect(try fetcher.bytes(address("-o [1-3] {a,b} ü\".bin"), limit: 100).bytes == [1, 2, 3])
    let odd = try #require(WebAddress("\(server.address)/a.bin\" \n--output\t\(folder.path)/stolen"))
    #expect(throws: FetchError.self) { try fetcher.bytes(odd, limit: 100) }
    #expect(!fileExists(folder("stolen")))
  }

  @Test("A stream returns the header before the bytes, and sends the given condition")
  func streams() throws {
    let stream = try fetcher.stream(address("hop1/a.bin"), range: 100..<200_100)
    #expect(stream.response.totalLength == 300_000)
    #expect(stream.response.contentRange == 100..<200_100)
    var bytes: [UInt8] = []
    while let next = try stream.next() { bytes += next }
    #expect(bytes == Array(Self.bytes[100..<200_100]))
    let tag = stream.response.validator
    #expect(try fetcher.stream(address("a.bin"), range: 5..<Int.max, validator: tag).response.status == 206)
    #expect(try fetcher.stream(address("a.bin"), range: 5..<Int.max, validator: "\"old\"").response.status == 200)
    #expect(throws: FetchError.self) { try fetcher.stream(address("b.bin")) }
  }

  @Test("Concurrent downloads use a few unnamed temporary files")
  func many() throws {
    let downloads = Downloads(fetcher.options)
    let space = ScratchSpace(in: Pathname(folder.path))
    var targets: [ScratchTarget] = []
    for index in 0..<40 {
      let target = ScratchTarget(space, name: "part \(index)")
      targets.append(target)
      let path = index % 5 == 0 ? "drop50x1/503x1/a.bin?\(index)" : "slow20/a.bin?\(index)"
      downloads.add(Download(try address(path), range: index * 7000..<(index + 1) * 7000, to: target))
    }
    while !downloads.isEmpty { _ = downloads.wait(milliseconds: 1000) }
    #expect(downloads.received == 280_000)
    #expect(folder.names == ["a.bin"])
    for (index, target) in targets.enumerated() {
      let source = try #require(target.source)
      #expect(source.name == "part \(index)")
      let sink = MemorySink(name: "copy")
      try sink.copy(0..<7000, of: source)
      #expect(sink.bytes == Array(Self.bytes[index * 7000..<(index + 1) * 7000]))
    }
  }

  @Test("Fetching can be stopped and leaves no files")
  func stopping() throws {
    let address = try address("slow60000/a.bin")
    #expect { try fetcher.bytes(address, limit: 1 << 20, onProgress: { _ in false }) } throws: {
      ($0 as? FetchError)?.problem == .stopped
    }
    #expect { try fetcher.stream(address, isStopped: { true }) } throws: {
      ($0 as? FetchError)?.problem == .stopped
    }
  }
}

@Suite("Fetching without curl")
struct MissingProgramTests {
  @Test("The message says what to install")
  func missing() throws {
    var options = FetchOptions()
    options.program = "no-such-curl"
    let address = try #require(WebAddress("http://127.0.0.1/a"))
    #expect { try Fetcher(options).bytes(address, limit: 1) } throws: {
      "\($0)".contains("the program no-such-curl is not installed")
    }
    #expect { try Fetcher(options).checkProgram(for: address) } throws: {
      "\($0)".contains("the program no-such-curl is not installed")
    }
    options.program = "true"
    try Fetcher(options).checkProgram(for: address)
  }
}
