/// The SEI messages of a NAL unit of AVC or HEVC: ISO/IEC 14496-10, 7.3.2.3.1, and ISO/IEC 23008-2, 7.3.5.
struct SEIMessages: Sequence, IteratorProtocol {
  /// A message: its payload type and its bytes.
  struct Message {
    var type: Int
    var payload: ArraySlice<UInt8>
  }

  private var reader: BitReader

  /// The messages of `unit`, which includes its header.
  init(_ unit: ArraySlice<UInt8>, _ codec: NALUnits.Codec) {
    reader = BitReader(nalUnit: unit, headerSize: codec.headerSize)
  }

  /// Whether only the end of the unit follows.
  var isComplete: Bool { reader.rest.elementsEqual([0x80]) }

  /// The next message, up to the first damaged one.
  mutating func next() -> Message? {
    guard reader.bitsLeft >= 24, let type = reader.extended(), let size = reader.extended(),
      size <= reader.bitsLeft / 8
    else { return nil }
    return Message(type: type, payload: reader.bytes(size))
  }
}

extension BitReader {
  /// The sum of bytes up to the first one below 255; `nil` at the end.
  fileprivate mutating func extended() -> Int? {
    var sum = 0
    while bitsLeft >= 8 {
      let byte = bits(8)
      sum += byte
      if byte < 255 { return sum }
    }
    return nil
  }
}

extension NALUnits {
  /// The payloads of the messages with user data registered by ITU-T T.35 in a unit with SEI messages: its country
  /// code, and what follows.
  package static func registeredUserData(in unit: ArraySlice<UInt8>, _ codec: Codec) -> [ArraySlice<UInt8>] {
    SEIMessages(unit, codec).filter { $0.type == 4 }.map(\.payload)
  }
}
