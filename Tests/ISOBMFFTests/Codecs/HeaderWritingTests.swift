import Testing

@testable import ISOBMFF

@Suite("Values in headers")
struct HeaderWritingTests {
  private func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }
  private static let pq = ColourDescription(primaries: 9, transferCharacteristics: 16, matrixCoefficients: 9)

  private static func writing(_ colours: ColourDescription?, isFullRange: Bool? = nil) -> HeaderWriting {
    var writing = HeaderWriting()
    (writing.colours, writing.isFullRange) = (colours, isFullRange)
    return writing
  }

  @Test(
    "Parameter sets are those that ffmpeg's h264_metadata and hevc_metadata write",
    arguments: [
      // Without colors, progressive and interlaced, as x264 writes them; then H.265 with colors, as x265 writes it.
      (
        "6764000cacd941419f9f011000000300100000030320f1429960",
        "6764000cacd941419f9f016a122012800000030080000019078a14cb"
      ),
      (
        "67640015acd941433f260220000003002000000643e28532c0",
        "67640015acd941433f2602d4244025000003000100000300321f142996"
      ),
      (
        "42010102200000030090000003000003003ca00a080b9f6d96566924caf0168080000003008000000c84",
        "42010102200000030090000003000003003ca00a080b9f6d96566924caf016a122012080000003008000000c84"
      ),
    ])
  func parameterSets(old: String, expected: String) throws {
    let writing = Self.writing(Self.pq)
    let isAVC = old.hasPrefix("67")
    func write(_ unit: [UInt8], _ writing: HeaderWriting) -> [UInt8]? {
      isAVC ? writing.writing(avc: unit[...]) : writing.writing(hevc: unit[...])
    }
    let new = try #require(write(bytes(old), writing))
    #expect(new == bytes(expected))
    // Other colors have the same length, and nothing else changes.
    let back = Self.writing(
      ColourDescription(primaries: 1, transferCharacteristics: 1, matrixCoefficients: 1), isFullRange: true)
    let other = try #require(write(new, back))
    #expect(write(other, Self.writing(Self.pq, isFullRange: false)) == new)
    let read = isAVC ? SequenceParameters(avc: other[...]) : SequenceParameters(hevc: other[...])
    #expect(
      read?.colour
        == ColourDescription(primaries: 1, transferCharacteristics: 1, matrixCoefficients: 1, isFullRange: true))
    let original = isAVC ? SequenceParameters(avc: bytes(old)[...]) : SequenceParameters(hevc: bytes(old)[...])
    #expect(read?.pictureDuration == original?.pictureDuration && read?.width == original?.width)
    // Nothing is made of a parameter set that ends before its colors.
    for count in 0..<8 { #expect(write(Array(bytes(old).prefix(count)), writing) == nil) }
  }

  @Test("A parameter set without usability information gets some")
  func withoutUsability() throws {
    // Baseline, 128x96: the last flag before the stop bit is that of the usability information.
    let old = bytes("6742000ada083640")
    let new = try #require(Self.writing(Self.pq).writing(avc: old[...]))
    let read = try #require(SequenceParameters(avc: new[...]))
    #expect(read.colour == Self.pq && read.width == 128 && read.height == 96)
    #expect(read.pictureDuration == nil && read.reorderCount == nil)
  }

  @Test("ProRes and VP9 keep their lengths; VP9 has no code for some colors")
  func frames() throws {
    var frame: [UInt8] = [0, 0, 0, 40] + Array("icpf".utf8) + [UInt8](repeating: 7, count: 32)
    let writing = Self.writing(Self.pq)
    let new = try #require(writing.writing(proRes: frame[...]))
    frame.replaceSubrange(22..<25, with: [9, 16, 9])
    #expect(new == frame)
    #expect(writing.writing(proRes: [UInt8](repeating: 0, count: 40)[...]) == nil)
    // A key frame of profile 0: the marker, the profile, the sync code, BT.709 and the limited range.
    let key: [UInt8] = [0x82, 0x49, 0x83, 0x42, 0x40, 0x13, 0xf0, 0x0b, 0x30]
    #expect(writing.writing(vp9: key[...]) == [0x82, 0x49, 0x83, 0x42, 0xa0, 0x13, 0xf0, 0x0b, 0x30])
    #expect(Self.writing(nil, isFullRange: true).writing(vp9: key[...])?[4] == 0x50)
    let chromatic = ColourDescription(primaries: 1, transferCharacteristics: 1, matrixCoefficients: 12)
    #expect(Self.writing(chromatic).writing(vp9: key[...]) == nil)
    let inter: [UInt8] = [0x86, 0x00, 0x40, 0x92]
    #expect(writing.writing(vp9: inter[...]) == inter)
  }

  @Test("The shape of pixels, the level and the frame rate are those that ffmpeg's filters write too")
  func otherValues() throws {
    var writing = HeaderWriting()
    writing.pixelAspect = .init(width: 16, height: 11)
    writing.level = CodecLevel("5.1")
    writing.pictureDuration = .init(1001, 30000)
    let avc = bytes("6764000cacd941419f9f011000000300100000030320f1429960")
    #expect(writing.writing(avc: avc[...]) == bytes("67640033acd941419f9f041000003e90000ea600f1429960"))
    let hevc = bytes("42010102200000030090000003000003003ca00a080b9f6d96566924caf0168080000003008000000c84")
    #expect(
      writing.writing(hevc: hevc[...])
        == bytes("420101022000000300900000030000030099a00a080b9f6d96566924caf04680800001f480003a9804"))
    // A shape without a code has two numbers.
    writing = HeaderWriting()
    writing.pixelAspect = .init(width: 999, height: 1000)
    let new = try #require(writing.writing(avc: avc[...]))
    #expect(SequenceParameters(avc: new[...])?.pixelAspectRatio == .init(width: 999, height: 1000))
    #expect(HeaderWriting().writing(avc: avc[...]) == avc && HeaderWriting().writing(hevc: hevc[...]) == hevc)
    // The video parameter set of x265, which has no timing: only its level changes.
    let video = bytes("40010c01ffff022000000300900000030000030099959809")
    writing = HeaderWriting()
    (writing.level, writing.pictureDuration) = (CodecLevel("4.1"), .init(1, 25))
    #expect(writing.writing(hevcVideo: video[...]) == bytes("40010c01ffff02200000030090000003000003007b959809"))
    #expect(writing.writing(hevcVideo: video.prefix(9)) == nil)
  }

  @Test("Levels have the codes of each codec")
  func levels() {
    #expect(CodecLevel("4.1").map { [Int($0.avc), Int($0.hevc), $0.av1 ?? -1] } == [41, 123, 9])
    #expect(CodecLevel("1").map { [Int($0.avc), Int($0.hevc), $0.av1 ?? -1] } == [10, 30, -1])
    for text in ["", "4.", "4.4", "8", "4.1.1", "-4", "0.1"] { #expect(CodecLevel(text) == nil, "\(text)") }
  }

  private let light = HeaderWriting.Message(type: 144, payload: [3, 232, 1, 144])

  @Test("Messages are replaced, removed or added; others stay")
  func messages() throws {
    var writing = HeaderWriting()
    writing.display = [light]
    writing.omitsEncoder = true
    let name = [UInt8](repeating: 7, count: 16) + Array("x264 - core 164".utf8) + [0]
    let recovery = HeaderWriting.Message(type: 6, payload: [0xc0])
    let old = HeaderWriting.unit(
      [.init(type: 5, payload: name), recovery, .init(type: 144, payload: [0, 0, 0, 1])], header: [6])
    #expect(writing.writing(messages: old[...], .avc, nil) == HeaderWriting.unit([recovery, light], header: [6]))
    #expect(writing.missingMetadata(in: [old[...]], .avc) == nil)
    #expect(writing.missingMetadata(in: [], .hevc) == [78, 1, 144, 4, 3, 232, 1, 144, 0x80])
    let encoder = HeaderWriting.unit([.init(type: 5, payload: name)], header: [6])
    #expect(writing.writing(messages: encoder[...], .avc, nil) == [])
    // Data that is no text, such as a time of recording, is not from an encoder; a damaged unit stays as it is.
    let data = HeaderWriting.unit([.init(type: 5, payload: name.prefix(16) + [0, 1, 2, 3])], header: [6])
    #expect(writing.writing(messages: data[...], .avc, nil) == data)
    #expect(writing.writing(messages: encoder.dropLast(2), .avc, nil) == Array(encoder.dropLast(2)))
  }

  @Test("The order of fields is written into messages about picture timing, unless the picture contradicts it")
  func fieldOrder() throws {
    var writing = HeaderWriting()
    let timing = 3
    // Three bits, then pic_struct 3 (top field first), and the rest.
    func unit(_ structure: UInt8) -> [UInt8] {
      HeaderWriting.unit([.init(type: 1, payload: [0xa0 | structure << 1, 0x55])], header: [6])
    }
    writing.fieldOrder = .bottomFirst
    #expect(writing.writing(messages: unit(3)[...], .avc, timing) == unit(4))
    #expect(writing.writing(messages: unit(5)[...], .avc, timing) == unit(6))
    for structure: UInt8 in [0, 1, 2, 7, 9] {
      #expect(writing.writing(messages: unit(structure)[...], .avc, timing) == nil, "\(structure)")
    }
    #expect(writing.writing(messages: unit(3)[...], .avc, nil) == unit(3))
    // H.265 also says how the source was scanned: interlaced is 0, progressive 1.
    let frame: [UInt8] = [78, 1, 1, 1, 0b0000_0110, 0x80]
    writing.fieldOrder = .topFirst
    let top = try #require(writing.writing(messages: frame[...], .hevc, 0))
    #expect(top == [78, 1, 1, 1, 0b0011_0010, 0x80])
    writing.fieldOrder = .progressive
    #expect(writing.writing(messages: top[...], .hevc, 0) == [78, 1, 1, 1, 0b0000_0110, 0x80])
  }

  @Test("Units of AV1: colors and levels that change the length, and metadata")
  func av1() throws {
    // A temporal delimiter, and a sequence header of SVT-AV1 for 320x180 in 10 bits, without colors.
    let header = bytes("0a0b0200000561e7f66357ce02")
    var writing = Self.writing(Self.pq)
    writing.display = [light]
    writing.level = CodecLevel("5.1")
    let patches = try #require(writing.patches(av1: header[...], insertsMetadata: true))
    var new = header
    for patch in patches.reversed() { new.replaceSubrange(patch.range, with: patch.bytes) }
    #expect(SequenceParameters(av1: new[...])?.colour == Self.pq && SequenceProfile(av1: new[...])?.level == 13)
    #expect(new.suffix(8) == [0x2a, 6, 1, 3, 232, 1, 144, 0x80])
    #expect(writing.hasMetadata(av1: new[...]) && !writing.hasMetadata(av1: header[...]))
    #expect(try #require(writing.patches(av1: new[...], insertsMetadata: true)).isEmpty)
    for count in 2..<header.count { _ = writing.patches(av1: header.prefix(count), insertsMetadata: true) }
  }
}
