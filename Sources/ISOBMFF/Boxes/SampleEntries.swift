import Bytes

/// The coding of samples, for any kind of media.
public struct SampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("meta", "Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 8.5.2")
  /// The index, from 1, of the `dref` entry with the location of the samples.
  public var dataReferenceIndex: UInt16 = 1
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// Samples in this file.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
  }
}

/// The coding of video.
public struct VisualSampleEntry: BoxPayload, Equatable {
  public static let info = BoxInfo("vide", "Visual Sample Entry", in: ["stsd"], "ISO/IEC 14496-12:2022, 12.1.3")
  public static let holdsBoxes = true
  /// The index, from 1, of the `dref` entry with the location of the samples.
  public var dataReferenceIndex: UInt16 = 1
  /// The first QuickTime fields; zeros in ISO files.
  public var quickTime: QuickTimeVideoDescription?
  /// The width of the coded picture.
  public var width: UInt16 = 0
  /// The height of the coded picture.
  public var height: UInt16 = 0
  /// Pixels per inch, 16.16.
  public var horizontalResolution: UInt32 = 0x48_0000
  /// Pixels per inch, 16.16.
  public var verticalResolution: UInt32 = 0x48_0000
  /// The number of frames in a sample.
  public var frameCount: UInt16 = 1
  /// A human-readable name: one byte with its length, and 31 bytes.
  public var compressorName = FixedName(length: 32)
  /// 0x18 for color without alpha, 0x20 with alpha, 0x28 for grayscale.
  public var depth: UInt16 = 0x18
  /// -1; in QuickTime, the ID of a color table.
  public var preDefined: Int16 = -1
  /// Nonstandard values of the reserved fields.
  public var reserved = ReservedBits()
  /// A picture without a size.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try pictureFields(&c)
    c.boxes()
  }

  /// The fields before the boxes.
  mutating func pictureFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.reserved(&reserved, bytes: 6)
    try c.uint16("data_reference_index", &dataReferenceIndex)
    if c.isReading ? !c.isZero(16) : quickTime != nil || c.isDescribing {
      var more = quickTime ?? QuickTimeVideoDescription()
      try more.fields(&c)
      quickTime = more
    } else {
      try c.reserved(&reserved, bytes: 16)
    }
    try c.uint16("width", &width)
    try c.uint16("height", &height)
    try c.uint32("horizresolution", &horizontalResolution, as: .fixed(16))
    try c.uint32("vertresolution", &verticalResolution, as: .fixed(16))
    try c.reserved(&reserved, bytes: 4)
    try c.uint16("frame_count", &frameCount)
    try c.fixedName("compressorname", &compressorName)
    try c.uint16("depth", &depth)
    try c.int16("pre_defined", &preDefined)
  }
}

/// A text of fixed length after a byte with the number of its characters.
public struct FixedName: Hashable, Sendable, CustomStringConvertible {
  /// All bytes, starting with the length.
  public var bytes: [UInt8]
  /// No text in `length` bytes.
  public init(length: Int) { bytes = Array(repeating: 0, count: length) }
  /// The text; some QuickTime writers omit the length.
  public var description: String { String(decoding: text, as: UTF8.self) }
  var text: ArraySlice<UInt8> { bytes.dropFirst().prefix(Int(bytes.first ?? 0)) }

  /// Replaces the text, truncated to the available size. The bytes after an unchanged text are kept.
  mutating func set(_ text: [UInt8]) {
    guard !text.elementsEqual(self.text), !bytes.isEmpty else { return }
    let room = bytes.count - 1
    let new = text.prefix(min(room, 255))
    bytes = [UInt8(new.count)] + new + Array(repeating: 0, count: room - new.count)
  }
}

extension FieldCoder {
  /// A fixed-length text after a length byte.
  mutating func fixedName(_ name: StaticText, _ value: inout FixedName) throws(BoxError) {
    switch mode {
    case .read:
      value.bytes = try reader.bytes(name, count: value.bytes.count)
      show(name, .text(BoxString(Array(value.text))))
    case .write: writer.bytes += value.bytes
    case .measure: measured += value.bytes.count
    case .describe: described.append(FieldDescription(name, "string", bits: value.bytes.count * 8))
    case .access:
      var text = BoxString(Array(value.text), form: .unterminated)
      accessed(name, &text)
      value.set(text.bytes)
    }
  }
}

/// The known sample entries, and generic ones for unknown types.
enum SampleEntries {
  static let visual =
    pictures(
      """
      avc1 AVC Sample Entry; ISO/IEC 14496-15:2022, 5.4.2
      avc2 AVC2 Sample Entry; ISO/IEC 14496-15:2022, 5.4.2
      avc3 AVC Sample Entry, parameter sets in band; ISO/IEC 14496-15:2022, 5.4.2
      avc4 AVC2 Sample Entry, parameter sets in band; ISO/IEC 14496-15:2022, 5.4.2
      hvc1 HEVC Sample Entry; ISO/IEC 14496-15:2022, 8.4.1
      hev1 HEVC Sample Entry, parameter sets in band; ISO/IEC 14496-15:2022, 8.4.1
      mp4v MPEG-4 Visual Sample Entry; ISO/IEC 14496-14:2020, 6.7
      av01 AV1 Sample Entry; AV1 in ISOBMFF 1.2.0, 2.2
      vp09 VP9 Sample Entry; VP codecs in ISOBMFF 1.0
      encv Encrypted Visual Sample Entry; ISO/IEC 14496-12:2022, 8.12
      """) + otherVisual + quickTimeProduction + quickTimeVisual
  static let audio =
    sounds(
      """
      mp4a MPEG-4 Audio Sample Entry; ISO/IEC 14496-14:2020, 6.7
      enca Encrypted Audio Sample Entry; ISO/IEC 14496-12:2022, 8.12
      ac-3 AC-3 Sample Entry; ETSI TS 102 366, F.3
      ec-3 Enhanced AC-3 Sample Entry; ETSI TS 102 366, F.5
      Opus Opus Sample Entry; Opus in ISOBMFF 0.8.1, 4.3.1
      fLaC FLAC Sample Entry; FLAC in ISOBMFF 0.0.4, 3.3.1
      alac Apple Lossless Sample Entry; Apple Lossless Magic Cookie Description
      """) + otherAudio + quickTimeAudio

  /// The types of visual entries.
  static let visualTypes = visual.map(\.info.type)
  /// The types of audio entries.
  static let audioTypes = audio.map(\.info.type)

  /// An entry of an unknown type, which is read according to the handler of its track.
  static func generic(_ type: FourCC, handler: FourCC?) -> BoxDefinition {
    let plain = BoxInfo(type, "Sample Entry", in: ["stsd"], SampleEntry.info.clause)
    var definition =
      switch handler {
      case "vide":
        BoxDefinition(
          BoxInfo(type, "Visual Sample Entry", in: ["stsd"], VisualSampleEntry.info.clause), as: VisualSampleEntry.self)
      case "soun":
        BoxDefinition(
          BoxInfo(type, "Audio Sample Entry", in: ["stsd"], AudioSampleEntry.info.clause), as: AudioSampleEntry.self)
      default: BoxDefinition(plain, as: SampleEntry.self)
      }
    definition.isGuess = true
    return definition
  }

  /// Video formats; see `BoxDefinition.list`.
  static func pictures(_ text: StaticText, _ clause: StaticText = "") -> [BoxDefinition] {
    BoxDefinition.list(text, in: ["stsd"], clause, as: VisualSampleEntry.self)
  }
  /// Audio formats.
  static func sounds(_ text: StaticText, _ clause: StaticText = "") -> [BoxDefinition] {
    BoxDefinition.list(text, in: ["stsd"], clause, as: AudioSampleEntry.self)
  }
}
