/// Messages beside pictures.
extension HeaderWriting {
  /// A unit of AVC or HEVC with SEI messages, in which static metadata has the new values, and from which names of
  /// encoders are removed; empty if nothing remains, and `nil` if the structure of a picture contradicts the new order
  /// of fields. `timingBits` is that of the sequence parameter set. Damaged units stay as they are.
  package func writing(
    messages unit: ArraySlice<UInt8>, _ codec: NALUnits.Codec, _ timingBits: Int?
  ) -> [UInt8]? {
    var messages = SEIMessages(unit, codec)
    var (kept, isChanged) = ([Message](), false)
    while let message = messages.next() {
      if omitsEncoder, message.type == 5, PictureMessages.encoder(in: message.payload) != nil {
        isChanged = true
        continue
      }
      var new = Message(type: message.type, payload: Array(message.payload))
      if let other = display.first(where: { $0.type == message.type }) { new = other }
      if message.type == 1, let fieldOrder, let timingBits {
        guard let payload = fieldOrder.writing(message.payload, timingBits, codec) else { return nil }
        new.payload = payload
      }
      isChanged = isChanged || !message.payload.elementsEqual(new.payload)
      kept.append(new)
    }
    guard isChanged, messages.isComplete else { return Array(unit) }
    return kept.isEmpty ? [] : Self.unit(kept, header: unit.prefix(codec.headerSize))
  }

  /// A unit of AVC before the slices; empty if nothing remains, and `nil` if it cannot have the new values.
  package func writing(avcUnit unit: ArraySlice<UInt8>, _ timingBits: Int?) -> [UInt8]? {
    switch NALUnits.Codec.avc.type(unit) {
    case 6: writing(messages: unit, .avc, timingBits)
    case 7: writing(avc: unit)
    default: Array(unit)
    }
  }

  /// The same for HEVC.
  package func writing(hevcUnit unit: ArraySlice<UInt8>, _ timingBits: Int?) -> [UInt8]? {
    switch NALUnits.Codec.hevc.type(unit) {
    case 32: writing(hevcVideo: unit)
    case 33: writing(hevc: unit)
    case 39: writing(messages: unit, .hevc, timingBits)
    default: Array(unit)
    }
  }

  /// Whether units of AV1 have all static metadata.
  package func hasMetadata(av1 units: ArraySlice<UInt8>) -> Bool {
    let types = OpenBitstreamUnit.all(in: units, hasTrimming: false).filter { $0.type == 5 }.map(\.payload.first)
    return display.allSatisfy { types.contains($0.metadataType) }
  }

  /// A unit with messages.
  package static func unit(_ messages: [Message], header: some Collection<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    func extended(_ number: Int) -> [UInt8] {
      [UInt8](repeating: 255, count: number / 255) + [UInt8(number % 255)]
    }
    for message in messages {
      plain += extended(message.type) + extended(message.payload.count) + message.payload
    }
    return Array(header) + EmulationPrevention.added(to: plain + [0x80])
  }

  /// A unit with the messages of static metadata that are not in these units.
  package func missingMetadata(in units: [ArraySlice<UInt8>], _ codec: NALUnits.Codec) -> [UInt8]? {
    let present = Set(units.flatMap { SEIMessages($0, codec).map(\.type) })
    let missing = display.filter { !present.contains($0.type) }
    // A prefix message of HEVC: the base layer, the lowest temporal one.
    return missing.isEmpty ? nil : Self.unit(missing, header: codec == .avc ? [6] : [39 << 1, 1])
  }
}

extension HeaderWriting.Message {
  /// Its type in metadata of AV1: 6.7.1.
  var metadataType: UInt8? { type == 144 ? 1 : type == 137 ? 2 : nil }

  /// The metadata of AV1, with its type and the trailing bits: 5.8.3 and 5.8.4.
  var metadata: [UInt8] {
    guard let metadataType else { return [] }
    var bits = Bits()
    bits.append(Int(metadataType), count: 8)
    if type == 144 {
      for byte in payload { bits.append(Int(byte), count: 8) }
    } else {
      var r = BitReader(payload[...])
      // Green, blue, red and white in units of 0.00002 become red, green, blue and white in units of 2^-16.
      let places = (0..<8).map { _ in (r.bits(16) * 65536 + 25000) / 50000 }
      for index in [4, 5, 0, 1, 2, 3, 6, 7] { bits.append(min(places[index], 0xffff), count: 16) }
      // Units of 0.0001 become units of 2^-8 and 2^-14.
      bits.append(min((r.bits(32) * 256 + 5000) / 10000, 0xffff_ffff), count: 32)
      bits.append(min((r.bits(32) * 16384 + 5000) / 10000, 0xffff_ffff), count: 32)
    }
    bits.append(0x80, count: 8)
    return bits.bytes
  }
}

extension FieldOrder {
  /// A message about picture timing with this order; `nil` if its picture is a field, or if the message would need
  /// another size: ISO/IEC 14496-10, D.2.3, and ISO/IEC 23008-2, D.3.3.
  fileprivate func writing(
    _ message: ArraySlice<UInt8>, _ timingBits: Int, _ codec: NALUnits.Codec
  ) -> [UInt8]? {
    var r = BitReader(message)
    r.skip(timingBits)
    let old = r.bits(4)
    guard !r.isBroken else { return Array(message) }
    var bits = Bits(message)
    // A frame, its two fields, or three fields of which one is repeated.
    let structures: [FieldOrder: Int]
    switch old {
    case 5, 6: structures = [.topFirst: 5, .bottomFirst: 6]
    case 0, 3, 4: structures = [.progressive: 0, .topFirst: 3, .bottomFirst: 4]
    case 7, 8: structures = [.progressive: old]
    default: return nil
    }
    guard let new = structures[self] else { return nil }
    // In AVC, the number of clock times depends on the structure.
    if codec == .avc, (old == 0) != (new == 0) { return nil }
    bits.replace(at: timingBits, with: new, count: 4)
    if codec == .hevc { bits.replace(at: timingBits + 4, with: self == .progressive ? 1 : 0, count: 2) }
    return bits.bytes
  }
}
