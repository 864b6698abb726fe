import ISOBMFF
import MP4Bytes

/// Replaces the lengths of NAL units with start codes, and inserts the parameter sets of the sample entry: ISO/IEC
/// 14496-10, 23008-2 and 23090-3, Annex B.
struct AnnexBFraming: Sendable, Equatable {
  let codec: NALUnits.Codec
  private let lengthSize: Int
  /// The units of the sample entry that decoders need before the first picture.
  private let units: [Unit]

  private struct Unit: Equatable {
    var type: Int
    var bytes: [UInt8]
  }

  /// The framing for samples of AVC, HEVC or VVC; `nil` for other codecs.
  init?(_ configuration: DecoderConfiguration) {
    let all: [[UInt8]]
    if let box = configuration.box(AVCConfigurationBox.self) {
      (codec, lengthSize) = (.avc, Int(box.lengthSizeMinusOne & 3) + 1)
      let extensions = box.highProfile?.sequenceParameterSetExtensions ?? []
      all = (box.sequenceParameterSets + extensions + box.pictureParameterSets).map(\.nalUnit)
    } else if let box = configuration.box(HEVCConfigurationBox.self) {
      (codec, lengthSize) = (.hevc, Int(box.lengthSizeMinusOne & 3) + 1)
      all = box.arrays.flatMap { $0.nalUnits.map(\.bytes) }
    } else if let box = configuration.box(VVCConfigurationBox.self) {
      (codec, lengthSize) = (.vvc, Int(box.lengthSizeMinusOne & 3) + 1)
      all = box.arrays.flatMap { $0.nalUnits.map(\.bytes) }
    } else {
      return nil
    }
    let codec = codec
    units = all.compactMap { bytes in
      codec.type(bytes[...]).flatMap { codec.isSuffix($0) ? nil : Unit(type: $0, bytes: bytes) }
    }
  }

  /// The parameter sets of the sample entry.
  var parameterSets: [[UInt8]] { units.filter { codec.isParameterSet($0.type) }.map(\.bytes) }

  /// Calls `body` for each part of a sample in the byte stream; returns whether its NAL units are valid.
  ///
  /// Parameter sets that the sample itself does not have are inserted before its first slice, if decoding can start
  /// there. Players accept them before or after SEI messages; ffmpeg writes them after.
  func forEachPart(
    of sample: Range<Int>, in window: inout ByteWindow, isStart: Bool,
    _ body: (SampleFraming.Part) throws(IOError) -> Void
  ) throws(IOError) -> Bool {
    var (at, isFirst, hasSlice) = (sample.lowerBound, true, false)
    var seen: Set<Int> = []
    func insert(before type: Int) throws(IOError) {
      for unit in units where unit.type < type && !seen.contains(unit.type) {
        try body(.bytes(startCode(unit.type, isFirst: isFirst, isInserted: true) + unit.bytes))
        isFirst = false
      }
      seen.formUnion(units.lazy.map(\.type).filter { $0 < type })
    }
    while sample.upperBound - at > lengthSize {
      let head = try window.slice(
        at: at, count: min(lengthSize + codec.headerSize, sample.upperBound - at))
      guard head.count > lengthSize else { return false }
      let length = head.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      at += lengthSize
      guard length <= sample.upperBound - at else { return false }
      guard length > 0 else { continue }
      guard let type = codec.type(head.dropFirst(lengthSize)) else { return false }
      if codec.isParameterSet(type) {
        if isStart { try insert(before: type) }
        seen.insert(type)
      } else if !hasSlice, codec.isSlice(type) || codec.isPictureHeader(type) {
        hasSlice = true
        if isStart || codec.isRandomAccess(type) { try insert(before: .max) }
      }
      try body(.bytes(startCode(type, isFirst: isFirst, isInserted: false)))
      try body(.range(at..<at + length))
      isFirst = false
      at += length
    }
    return true
  }

  /// Four bytes before the first unit of a sample and before parameter sets, as required by B.1.2, and three before
  /// other units of AVC. For other codecs always four, which is also valid and what other tools write.
  private func startCode(_ type: Int, isFirst: Bool, isInserted: Bool) -> [UInt8] {
    isFirst || isInserted || codec != .avc || codec.isParameterSet(type) ? [0, 0, 0, 1] : [0, 0, 1]
  }
}
