import MP4FileIO
import MP4Toolkit
import Support
import Testing

/// A command writes the bytes that the library writes with its default options.
@Suite("Commands and the defaults of the library")
struct CLIDefaultsTests {
  private let shell: EndToEnd
  init() throws { shell = try EndToEnd() }

  private static let files = ["progressive.mp4", "fragmented.mp4", "progressive.mov", "global-sidx.mp4", "hybrid.mp4"]
  private static let key = [UInt8](0x10..<0x20)
  private static let vector = [UInt8](0x20..<0x30)
  private static let keyLine = "30313233343536373839616263646566:101112131415161718191a1b1c1d1e1f"

  private func source(_ name: String) throws -> any ByteSource { try FileSource.open(vectorPath("files/\(name)")) }

  /// Compares the output of a command with that of the library; both are named `NAME.mp4`.
  private func compare(
    _ command: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (_ output: String) async throws -> [Diagnostic]
  ) async throws {
    let result = try shell("rm -f a.mp4 b.mp4; mp4tool \(command) -o a.mp4")
    let diagnostics = try await body(shell.folder("b.mp4"))
    #expect(result.exitCode == 0, "\(command): \(result.errorText)", sourceLocation: sourceLocation)
    #expect(try shell.bytes("a.mp4") == shell.bytes("b.mp4"), "\(command)", sourceLocation: sourceLocation)
    // Without `--verbose`, some notes are not printed.
    let isKnown = result.errorLines.allSatisfy { line in diagnostics.contains { line.hasSuffix($0.description) } }
    #expect(isKnown, "\(command): \(result.errorText)\(diagnostics)", sourceLocation: sourceLocation)
  }

  /// Compares the folders that a command and the library write.
  private func compareFolders(_ command: String, _ body: (_ folder: String) async throws -> [Diagnostic]) async throws {
    let result = try shell("rm -rf a b; mp4tool \(command) a")
    _ = try await body(shell.folder("b"))
    #expect(result.exitCode == 0, "\(command): \(result.errorText)")
    let differences = try shell("diff -r a b && ls a | wc -l")
    #expect(differences.exitCode == 0 && differences.text != "0\n", "\(command): \(differences.text)")
  }

  @Test("defrag and fragment, of files with and without fragments, MP4 and QuickTime", arguments: files)
  func converting(file: String) async throws {
    try await compare("defrag \"$V\"/\(file)") { try await Defragmenter().run([source(file)], to: $0) }
    try await compare("fragment \"$V\"/\(file)") { try await Fragmenter().run([source(file)], to: $0) }
    try await compareFolders("fragment \"$V\"/\(file) --segments") {
      try await Fragmenter().run([source(file)], toFolder: $0)
    }
    try await compareFolders("hls \"$V\"/\(file) -o") { try await Packager().run([source(file)], toFolder: $0) }
  }

  @Test("Names of segments")
  func names() async throws {
    try await compareFolders("fragment in.mp4 --segment-name s-%03d.mp4 --init-name i.mp4 --segments") {
      var fragmenter = Fragmenter()
      fragmenter.options.names = try #require(SegmentNames("s-%03d.mp4", initialization: "i.mp4"))
      return try await fragmenter.run([FileSource.open(shell.folder("in.mp4"))], toFolder: $0)
    }
    for pattern in ["s.mp4", "a/%d", "%d%d", "%5d", "%021d", ""] { #expect(SegmentNames(pattern) == nil) }
    #expect(SegmentNames("s%d", initialization: "s12") == nil && SegmentNames("s%d", initialization: "s0") != nil)
  }

  @Test("join, concat and hls of several inputs")
  func several() async throws {
    let names = ["hls/init.mp4", "hls/segment2.m4s", "hls/segment1.m4s"]
    let operands = names.map { "\"$V\"/\($0)" }.joined(separator: " ")
    try await compare("join \(operands)") { try await Joiner().run(names.map(source), to: $0) }
    try await compareFolders("hls \(operands) -o") { try await Packager().run(names.map(source), toFolder: $0) }
    let both = ["progressive.mp4", "fragmented.mp4"]
    try await compare("concat --allow-different \"$V\"/\(both[0]) \"$V\"/\(both[1])") {
      var concatenator = Concatenator()
      concatenator.allowsDifferent = true
      return try await concatenator.run(both.map(source), to: $0)
    }
  }

  @Test("concat keeps chapter lists")
  func chapters() async throws {
    let files = ["one.mp4", "two.mp4"].map { shell.folder($0) }
    for (file, title) in zip(files, ["One", "Two"]) {
      let list = ChapterList([Chapter(time: MediaTime(1, 1), title: title)])
      let editor = try await MovieEditor(source("progressive.mp4")).settingChapters(list)
      try await editor.plan().write(to: file)
    }
    let operands = files.map(EndToEnd.quoted).joined(separator: " ")
    try await compare("concat \(operands)") {
      try await Concatenator().run(files.map { try FileSource.open($0) }, to: $0)
    }
    #expect(try await Movie(reading: [shell.folder("b.mp4")]).chapters().map(\.title) == ["One", "Two"])
  }

  @Test("cut: parts that are kept or removed, with and without keyframes", arguments: files)
  func cutting(file: String) async throws {
    let (a, b) = (MediaTime(5, 2), MediaTime(17, 4))
    try await compare("cut --range 2.5..4.25 \"$V\"/\(file)") {
      try await Cut(.keeping([PresentationSpan(from: a, to: b)])).run([source(file)], to: $0)
    }
    try await compare("cut --from 2.5 -q --keyframes \"$V\"/\(file)") {
      var cut = Cut(.keeping([PresentationSpan(from: a)]))
      cut.startsAtKeyframes = true
      try await cut.run([source(file)], to: $0)
      return []
    }
    try await compare("cut --remove 2.5..4.25 \"$V\"/\(file)") {
      try await Cut(.removing([PresentationSpan(from: a, to: b)])).run([source(file)], to: $0)
    }
  }

  @Test("Parts of a cut that overlap, are empty, or leave nothing are errors")
  func wrongParts() async throws {
    let cutter = try await MovieCutter(reading: [source("progressive.mp4")])
    let (a, b) = (MediaTime(1, 1), MediaTime(2, 1))
    func code(_ selection: Cut.Selection) -> Obstacle.Code? {
      do throws(MovieError) { _ = try cutter.parts(selection) } catch {
        if case .impossible(_, let obstacle) = error { return obstacle.code }
      }
      return nil
    }
    #expect(code(.keeping([PresentationSpan(from: b), PresentationSpan(from: a, to: b)])) == .unorderedParts)
    #expect(code(.keeping([PresentationSpan(from: b, to: a)])) == .emptyPart)
    #expect(code(.removing([PresentationSpan(from: b), PresentationSpan(to: a)])) == .unorderedParts)
    #expect(code(.removing([PresentationSpan()])) == "nothing_kept")
    #expect(throws: MovieError.self) { _ = try cutter.parts(splitAt: [b, a]) }
    // Times are compared as requested; the keyframe of the second part can be in the first.
    let overlapping = [PresentationSpan(from: a, to: MediaTime(9, 1)), PresentationSpan(from: b, to: MediaTime(3, 1))]
    #expect(throws: MovieError.self) { _ = try cutter.parts(.removing(overlapping), atKeyframes: true) }
    #expect(throws: MovieError.self) { _ = try cutter.parts(.keeping(overlapping), atKeyframes: true) }
    let key = cutter.keyframe(before: MediaTime(10, 1))
    let (end, start) = (key + MediaTime(2, 25), key + MediaTime(5, 25))
    let both = [PresentationSpan(to: end), PresentationSpan(from: start, to: start + b)]
    let parts = try cutter.parts(.keeping(both), atKeyframes: true)
    #expect(parts.map(\.range) == [MediaTime(0, 1)..<end, end..<(start + b)] && !parts[1].isAtKeyframe)
    #expect(try await cutter.plan(parts.map(\.range)).byteCount > 0)
    let removed = try cutter.parts(.removing([PresentationSpan(from: a, to: start)]), atKeyframes: true)
    #expect(removed.map(\.range) == [MediaTime(0, 1)..<a, key..<cutter.duration] && removed[1].isAtKeyframe)
    #expect(try cutter.parts(splitAt: [a, b]).map(\.range.lowerBound) == [MediaTime(0, 1), a, b])
  }

  @Test("encrypt and decrypt", arguments: files)
  func encryption(file: String) async throws {
    try shell.folder.write("keys", Array(Self.keyLine.utf8))
    let iv = Self.vector.map { String($0, radix: 16) }.joined()
    var encryption = Encryption(keys: [try Encryption.Key(Self.key, keyID: Array("0123456789abcdef".utf8))])
    encryption.vector = Self.vector
    try await compare("encrypt --key-file keys --iv \(iv) \"$V\"/\(file)") {
      try await encryption.run([source(file)], to: $0)
    }
    try shell.folder.write("e.mp4", shell.bytes("a.mp4"))
    try await compare("decrypt --key-file keys e.mp4") {
      var keys = ContentKeys()
      try keys.set(Self.key, forKeyID: Array("0123456789abcdef".utf8))
      return try await Decrypter(keys).run([FileSource.open(shell.folder("e.mp4"))], to: $0)
    }
  }

  @Test("edit")
  func editing() async throws {
    try await compare("edit --title Holiday \"$V\"/progressive.mp4") {
      let plan = try await MovieEditor(source("progressive.mp4")).settingTag(.title, to: "Holiday").plan()
      try await plan.write(to: $0)
      return plan.diagnostics
    }
  }
}
