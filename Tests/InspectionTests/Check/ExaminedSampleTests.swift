import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes
import MP4Inspection
import MP4Records
import Support
import Testing

@Suite("Checks of samples")
struct ExaminedSampleTests {
  private static func check(_ bytes: [UInt8], _ name: String = "a.mp4") throws -> CheckResult {
    try Check().run([MemorySource(bytes, name: name)])
  }
  private static func errors(_ result: CheckResult) -> [Finding] { result.findings.filter { $0.severity == .error } }

  @Test("AAC at wrong chunk offsets is found, and the distance is reported", arguments: [false, true])
  func shiftedAudio(isMixed: Bool) throws {
    var file = try EditedFile(RuleVector.progressive)
    try file.edit("moov/trak[2]/mdia/minf/stbl/stco", ChunkOffsetBox.self) { box in
      box.offsets = BoxTable(box.offsets.enumerated().map { $1 - 3 + (isMixed && $0 % 3 == 0 ? 6 : 0) })
    }
    let result = try Self.check(try file.bytes())
    let finding = try #require(result.findings.first { $0.rule.id == "iso-audio-frames" })
    #expect(finding.severity == .error)
    #expect(finding.message.hasSuffix("the first of them starts 3 bytes \(isMixed ? "earlier" : "later")"))
    #expect(try Self.errors(Self.check(EditedFile(RuleVector.progressive).bytes())).isEmpty)
  }

  @Test("The length prefixes of every sync sample are read")
  func lastSyncSample() throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4"))
    let track = try Movie(reading: [MemorySource(bytes, name: "a.mp4")]).tracks[0]
    let sync = track.samples.filter(\.isSync)
    #expect(sync.count > 2)
    for sample in sync.dropFirst() {
      var damaged = bytes
      damaged[sample.offset] = 0x7f
      let errors = try Self.errors(Self.check(damaged))
      #expect(errors.map(\.rule.id) == ["nal-samples"])
      #expect(errors.first?.message.contains("sample \(sample.index + 1), at byte \(sample.offset)") == true)
    }
    // A picture whose parameter set is missing.
    let last = try #require(sync.last)
    var other = bytes
    var units = try last.bytes()[...]
    while units.count > 4 {
      let length = units.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      // A slice of an IDR picture starts with its first macroblock, its type and its parameter set, as Golomb codes.
      if units.dropFirst(4).first.map({ $0 & 0x1f }) == 5 {
        let place = last.offset + (units.startIndex + 5)
        #expect(other[place] == 0x88)
        other[place] = 0x89
        other[place + 1] = 0x40
        break
      }
      units = units.dropFirst(4 + length)
    }
    let findings = try Self.check(other).findings
    #expect(
      findings.contains { $0.rule.id == "iso-entry-samples" && $0.message.contains("parameter set") }, "\(findings)")
  }

  @Test("The result says how many samples were examined, as text and as JSON")
  func scope() throws {
    let result = try Self.check(try readFile(vectorPath("files/progressive.mp4")))
    let movie = try Movie(reading: [MemorySource(try readFile(vectorPath("files/progressive.mp4")), name: "a.mp4")])
    let all = movie.tracks.reduce(0) { $0 + $1.samples.count }
    #expect(result.sampleCount == all && (1..<all).contains(result.examinedSampleCount))
    #expect(all == 1118 && result.scope == "the structure, and \(result.examinedSampleCount) of 1,118 samples")
    #expect(result.summary.contains("; checked \(result.scope)"))
    let json = MemorySink()
    try result.write(.json, to: json)
    let value = try JSONValue(json.bytes)
    #expect(value["samples"]?.number == "\(all)")
    #expect(value["examined_samples"]?.number == "\(result.examinedSampleCount)")
    #expect(value["files"]?.elements.count == 1 && value["findings"]?.elements.count == result.findings.count)
    let page = MemorySink()
    try FileReport(reading: [MemorySource(try readFile(vectorPath("files/progressive.mp4")), name: "a.mp4")])
      .write(to: page)
    #expect(String(decoding: page.bytes, as: UTF8.self).contains("Checked \(result.scope)"))
    let empty = try Self.check(Array(try readFile(vectorPath("files/fragmented.mp4")).prefix(1200)))
    #expect(empty.examinedSampleCount == 0 && empty.scope.hasPrefix("the structure"))
  }

  @Test("Media data without moov is an error; zeros after the last box are a warning, and other bytes an error")
  func ends() throws {
    let bytes = try readFile(vectorPath("files/progressive-moov-last.mp4"))
    let cut = try Self.check(Array(bytes.prefix(5000)))
    #expect(Self.errors(cut).map(\.rule.id).contains("iso-movie"))
    let zeros = try Self.check(bytes + [UInt8](repeating: 0, count: 512))
    #expect(zeros.findings.map(\.rule.id) == ["iso-box-remainder"] && Self.errors(zeros).isEmpty)
    let others = try Self.check(bytes + [UInt8](repeating: 0, count: 512) + [1])
    #expect(Self.errors(others).map(\.rule.id) == ["iso-box-remainder"])
  }

  @Test("A size of media data past the end of the file is a warning if all samples are there")
  func excess() throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4"))
    let box = try #require(
      [Box](reading: MemorySource(bytes, name: "a.mp4"), registry: .standard).last { $0.type == "mdat" }?.header)
    #expect(box.end == bytes.count)
    for (excess, lost) in [(8, 0), (0, 8)] {
      var file = bytes
      for place in 0..<4 {
        file[box.offset + place] = UInt8(truncatingIfNeeded: (box.size + excess) >> (24 - 8 * place))
      }
      let result = try Self.check(Array(file.dropLast(lost)))
      #expect(result.findings.first { $0.rule.id == "iso-box-size" }?.severity == (lost == 0 ? .warning : .error))
      let diagnostics = try Movie(reading: [MemorySource(Array(file.dropLast(lost)), name: "a.mp4")]).diagnostics
      #expect(diagnostics.contains { $0.severity == .error } == (lost > 0), "\(diagnostics)")
    }
  }

  @Test("Composition offsets are signed in QuickTime movies, and free space in stsd is not a sample entry")
  func falseAlarms() throws {
    for (brand, isFine) in [("qt  ", true), ("isom", false)] as [(FourCC, Bool)] {
      var file = try EditedFile(RuleVector.progressive)
      try file.edit("ftyp", FileTypeBox.self) { ($0.majorBrand, $0.compatibleBrands) = (brand, [brand]) }
      try file.setPayload("moov/trak/mdia/minf/stbl/ctts") { $0.replaceSubrange(12..<16, with: [0xff, 0xff, 0xff, 0]) }
      let findings = try Self.check(try file.bytes()).findings
      #expect(findings.contains { $0.rule.id == "iso-ctts-version" } != isFine, "\(findings)")
    }
    for type in ["skip", "free"] as [FourCC] {
      var file = try EditedFile(RuleVector.progressive)
      // The new box is not counted.
      try file.setPayload("moov/trak/mdia/minf/stbl/stsd") {
        $0 += [0, 0, 0, 12] + (0..<4).map { UInt8(truncatingIfNeeded: type.rawValue >> (24 - 8 * $0)) } + [0, 0, 0, 0]
      }
      #expect(try Self.check(try file.bytes()).findings.isEmpty)
    }
  }

  @Test("An init segment of subtitles need not have enabled tracks")
  func disabledText() throws {
    for (handler, isFine) in [("text", true), ("soun", false)] as [(FourCC, Bool)] {
      var file = try EditedFile("fragmented.mp4 without mfra")
      try file.remove("moov/trak")
      try file.edit("moov/trak/mdia/hdlr", HandlerBox.self) { $0.handlerType = handler }
      try file.edit("moov/trak/tkhd", TrackHeaderBox.self) { $0.header.flags = 0 }
      file.boxes = file.boxes.filter { ["ftyp", "moov"].contains($0.type) }
      let findings = try Self.check(try file.bytes()).findings
      #expect(findings.contains { $0.rule.id == "iso-track-none-enabled" } != isFine, "\(findings)")
    }
  }

  @Test("Chunks that reach into those of another track, and runs outside of media data, are errors")
  func places() throws {
    var file = try EditedFile(RuleVector.progressive)
    try file.edit("moov/trak[2]/mdia/minf/stbl/stco", ChunkOffsetBox.self) {
      $0.offsets = BoxTable(Array($0.offsets.dropLast()) + [Array($0.offsets)[0] + 1])
    }
    let shared = try Self.errors(Self.check(try file.bytes()))
    #expect(shared.contains { $0.rule.id == "iso-sample-shared" }, "\(shared)")
    var start = try EditedFile(RuleVector.progressive)
    try start.edit("moov/trak/mdia/minf/stbl/stco", ChunkOffsetBox.self) {
      $0.offsets = BoxTable([8] + Array($0.offsets).dropFirst())
    }
    #expect(try Self.errors(Self.check(try start.bytes())).map(\.rule.id).contains("iso-chunk-media"))
  }
}
