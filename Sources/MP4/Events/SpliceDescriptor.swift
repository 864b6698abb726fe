import MP4Bytes

/// A splice descriptor: ANSI/SCTE 35 2023, 10.
package struct SpliceDescriptor {
  /// The content of a descriptor.
  package enum Content {
    case avail(UInt64)
    /// The DTMF tones, and the time from their end to the splice, in tenths of a second.
    case dtmf(preroll: UInt64, tones: ArraySlice<UInt8>)
    case segmentation(SpliceSegmentation)
    /// Seconds and nanoseconds of TAI, and the offset of TAI from UTC in seconds.
    case time(seconds: UInt64, nanoseconds: UInt64, offset: UInt64)
    case audio(count: UInt64)
    /// A descriptor that the standard does not define.
    case other(ArraySlice<UInt8>)
  }
  package let tag: UInt8
  /// The organization that defines the tag; `CUEI` for the standard.
  package let identifier: UInt64
  package let content: Content

  private static let standard: UInt64 = 0x4355_4549

  /// The descriptors in a loop, and whether all of them are present.
  package static func list(_ loop: ArraySlice<UInt8>) -> (descriptors: [SpliceDescriptor], areRight: Bool) {
    var (descriptors, areRight, rest) = ([SpliceDescriptor](), true, PayloadReader(loop))
    while rest.byteCount > 0 {
      let (tag, length) = (UInt8(rest.bits(8)), Int(rest.bits(8)))
      var fields = PayloadReader(rest.take(length))
      let identifier = fields.bits(32)
      let content = identifier == standard ? Self.content(tag, &fields) : .other(fields.take(fields.byteCount))
      areRight = areRight && !rest.isPastEnd && !fields.isPastEnd
      descriptors.append(SpliceDescriptor(tag: tag, identifier: identifier, content: content))
    }
    return (descriptors, areRight)
  }

  private static func content(_ tag: UInt8, _ fields: inout PayloadReader) -> Content {
    switch tag {
    case 0: return .avail(fields.bits(32))
    case 1:
      let (preroll, count) = (fields.bits(8), Int(fields.bits(3)))
      fields.skip(5)
      return .dtmf(preroll: preroll, tones: fields.take(count))
    case 2: return .segmentation(SpliceSegmentation(&fields))
    case 3: return .time(seconds: fields.bits(48), nanoseconds: fields.bits(32), offset: fields.bits(16))
    case 4: return .audio(count: fields.bits(4))
    default: return .other(fields.take(fields.byteCount))
    }
  }
}

/// `segmentation_descriptor()`: ANSI/SCTE 35 2023, 10.3.3.
package struct SpliceSegmentation {
  /// The restrictions on the use of a segment.
  package struct Restrictions {
    package let allowsWebDelivery: Bool
    package let hasNoRegionalBlackout: Bool
    package let allowsArchive: Bool
    package let devices: UInt64
  }
  package let eventID: UInt64
  package let isCancelled: Bool
  /// `nil` if delivery is not restricted.
  package private(set) var restrictions: Restrictions?
  /// The tags of the components and the offsets of their times.
  package private(set) var components: [(tag: UInt64, offset: UInt64)] = []
  /// In units of 1/90000 s.
  package private(set) var duration: UInt64?
  /// The unique program identifier, or several of them.
  package private(set) var identifiers: [SpliceIdentifier] = []
  package private(set) var typeID: UInt8 = 0
  package private(set) var number: UInt64 = 0
  package private(set) var expected: UInt64 = 0
  /// The number of the part of the segment, and the expected number of parts.
  package private(set) var part: (number: UInt64, expected: UInt64)?

  package init(_ fields: inout PayloadReader) {
    eventID = fields.bits(32)
    isCancelled = fields.flag()
    fields.skip(7)
    guard !isCancelled else { return }
    let (isProgram, hasDuration) = (fields.flag(), fields.flag())
    if fields.flag() {
      fields.skip(5)
    } else {
      restrictions = Restrictions(
        allowsWebDelivery: fields.flag(), hasNoRegionalBlackout: fields.flag(), allowsArchive: fields.flag(),
        devices: fields.bits(2))
    }
    if !isProgram {
      for _ in 0..<fields.bits(8) where !fields.isPastEnd {
        let tag = fields.bits(8)
        fields.skip(7)
        components.append((tag, fields.bits(33)))
      }
    }
    if hasDuration { duration = fields.bits(40) }
    let (type, length) = (UInt8(fields.bits(8)), Int(fields.bits(8)))
    identifiers = SpliceIdentifier.list(type, fields.take(length))
    typeID = UInt8(fields.bits(8))
    (number, expected) = (fields.bits(8), fields.bits(8))
    // Only the starts of placement opportunities and of blocks can have parts; old sections do not have the fields.
    if [0x34, 0x36, 0x38, 0x3a, 0x44, 0x46].contains(typeID), fields.byteCount >= 2 {
      part = (fields.bits(8), fields.bits(8))
    }
  }
}

/// A unique program identifier (UPID): ANSI/SCTE 35 2023, 10.3.3.1.
package struct SpliceIdentifier {
  package let type: UInt8
  package let bytes: ArraySlice<UInt8>

  /// The identifier of `type`, or the nested identifiers.
  fileprivate static func list(_ type: UInt8, _ bytes: ArraySlice<UInt8>) -> [SpliceIdentifier] {
    guard type == 0x0d else { return type == 0 && bytes.isEmpty ? [] : [SpliceIdentifier(type: type, bytes: bytes)] }
    var (result, rest) = ([SpliceIdentifier](), PayloadReader(bytes))
    while rest.byteCount > 0 {
      let (type, length) = (UInt8(rest.bits(8)), Int(rest.bits(8)))
      result.append(SpliceIdentifier(type: type, bytes: rest.take(length)))
    }
    return result
  }

  /// The identifier as text, or in hexadecimal digits.
  package var text: String {
    let digits = hexText(bytes)
    switch type {
    case 0x10 where bytes.count == 16:
      let text = Array(digits.utf8)
      let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: text[$0], as: UTF8.self) }
      return parts.joined(separator: "-")
    case 0x04, 0x05, 0x06, 0x08, 0x0a: return digits
    default: return plainText(bytes) ?? digits
    }
  }
}
