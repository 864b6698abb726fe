import ISOBMFF

/// The fields of parameter sets and picture headers of VVC that determine the output order: ISO/IEC 23090-3, 7.3.2.
struct VVCHeaders {
  /// A picture header.
  struct Picture {
    /// The type of slices of the picture: 10 for gradual decoding refresh, 7 for another random access picture, and 0
    /// if the header does not say.
    var type = 0
    /// Whether the picture can be used as a reference.
    var isReference = true
    /// The low bits of the picture order count, and the number of their values; `nil` if they are not read.
    var order: (low: Int, modulus: Int)?
  }
  /// The numbers of bits of the output order in sequences, and the sequences of picture parameter sets.
  private var sequences: [Int: Int] = [:]
  private var pictures: [Int: Int] = [:]

  /// Records a NAL unit if it is a parameter set; returns `false` if it is damaged.
  mutating func note(_ unit: ArraySlice<UInt8>) -> Bool {
    switch NALUnits.Codec.vvc.type(unit) {
    case NALUnits.Codec.vvc.sequenceParameterSet:
      guard let (id, bitCount) = SequenceParameters.vvcOrder(unit) else { return false }
      sequences[id] = bitCount
    case NALUnits.Codec.vvc.pictureParameterSet:
      var r = MediaBits(nalUnit: unit, headerSize: 2)
      let (id, sequence) = (r.bits(6), r.bits(4))
      if r.isPastEnd { return false }
      pictures[id] = sequence
    default: break
    }
    return true
  }

  /// Parses a picture header (7.3.2.8) in a unit of its own.
  func picture(_ unit: ArraySlice<UInt8>) -> Picture? {
    var r = MediaBits(nalUnit: unit, headerSize: 2)
    return picture(&r)
  }

  /// Parses the start of a slice of this type, whose fields are in a picture header in it or before it: 7.3.7. A slice
  /// that contains the picture header is the only one of its picture.
  func slice(_ unit: ArraySlice<UInt8>, _ type: Int, _ header: Picture?) -> (picture: Picture, hasHeader: Bool)? {
    var r = MediaBits(nalUnit: unit, headerSize: 2)
    let hasHeader = r.flag()
    guard var picture = hasHeader ? picture(&r) : header else { return nil }
    guard !hasHeader || (picture.type < 7 || 7...10 ~= type) && (picture.type == 10) == (type == 10) else { return nil }
    picture.type = type
    return (picture, hasHeader)
  }

  private func picture(_ r: inout MediaBits) -> Picture? {
    var picture = Picture()
    let isRandomAccess = r.flag()
    picture.isReference = !r.flag()
    if isRandomAccess { picture.type = r.flag() ? 10 : 7 }
    if r.flag() {
      // Random access pictures are not predicted.
      if picture.type == 7 { return nil }
      r.skip(1)
    }
    guard let bitCount = pictures[r.golomb()].flatMap({ sequences[$0] }) else { return nil }
    if bitCount > 0 { picture.order = (r.bits(bitCount), 1 << bitCount) }
    return r.isPastEnd ? nil : picture
  }
}
