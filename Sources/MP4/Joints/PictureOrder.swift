import Bytes
import ISOBMFF

/// The output order of AVC pictures around a joint at which decoding does not start again.
///
/// Decoders output pictures by their picture order count, whose high bits continue from the previous reference picture:
/// ISO/IEC 14496-10, 8.2.1.
struct PictureOrder {
  private let (configuration, headers): (DecoderConfiguration, AVCSliceHeader)
  private let lengthSize: Int
  /// Whether the samples before and after the joint have the same parameter sets. Others start with an IDR picture.
  private let hasSameParameters: Bool

  /// The order of samples with a configuration, after samples with another; `nil` for other codecs than AVC.
  init?(_ configuration: DecoderConfiguration, previous: DecoderConfiguration) {
    guard let (codec, lengthSize) = configuration.nalUnits, codec == .avc else { return nil }
    (self.configuration, self.lengthSize) = (configuration, lengthSize)
    headers = AVCSliceHeader(configuration.parameterSets)
    hasSameParameters = configuration.parameterSets == previous.parameterSets
  }

  /// The number of samples before the last presented one that are read.
  private static let lead = 16

  /// Whether all presented pictures after a joint are output after those before it; `nil` if that cannot be determined.
  func continues(
    after before: [JointSample], with after: [JointSample], _ isPresented: (Int64) -> Bool,
    _ reader: inout SampleUnitReader
  ) throws(MovieError) -> Bool? {
    guard hasSameParameters else { return false }
    func presented(_ samples: [JointSample]) -> [Int] {
      samples.indices.filter { isPresented(samples[$0].compositionTime) }
    }
    guard let last = presented(before).max(by: { before[$0].compositionTime < before[$1].compositionTime }),
      let first = presented(after).min(by: { after[$0].compositionTime < after[$1].compositionTime })
    else { return true }
    let start = max(0, last - Self.lead)
    var counter = Counter()
    var lastCount: Int?
    var reference: Int?
    for index in start..<before.count {
      guard let count = try count(before[index], &counter, &reader) else { return nil }
      if index == last { lastCount = count.value }
      if count.isIDR, index > last { return true }
      if count.isReference { reference = count.frameNumber }
    }
    guard let lastCount else { return nil }
    var firstCount: Int?
    for index in 0...first {
      guard let count = try count(after[index], &counter, &reader) else { return nil }
      if count.isIDR { return true }
      // Two reference pictures with the same number cannot be distinguished by those that refer to them.
      if index == 0, count.frameNumber == reference { return false }
      if index == first { firstCount = count.value }
    }
    return firstCount.map { $0 > lastCount }
  }

  private struct Counter {
    /// The high and the low bits of the previous reference picture.
    var high: Int?
    var low = 0
  }

  /// The picture order count of a sample; `nil` if it is unknown.
  private func count(_ sample: JointSample, _ counter: inout Counter, _ reader: inout SampleUnitReader)
    throws(MovieError) -> (value: Int, frameNumber: Int, isIDR: Bool, isReference: Bool)?
  {
    guard let units = try reader.units(of: sample, .avc, lengthSize: lengthSize),
      let slice = units.first(where: { NALUnits.Codec.avc.isSlice($0.type) })
    else { return nil }
    let bytes = try reader.bytes(slice.bytes.prefix(96), of: sample.source)
    guard let header = headers.order(of: bytes) else { return nil }
    let isReference = (bytes.first ?? 0) & 0x60 != 0
    if slice.type == 5 { counter = Counter(high: 0, low: 0) }
    guard let (low, modulus) = header.count else {
      // Pictures are output in decoding order.
      counter = Counter(high: (counter.high ?? 0) + 1, low: 0)
      return (counter.high ?? 0, header.frameNumber, slice.type == 5, isReference)
    }
    var high = counter.high ?? 0
    if counter.high != nil {
      if low < counter.low, counter.low - low >= modulus / 2 { high += modulus }
      if low > counter.low, low - counter.low > modulus / 2 { high -= modulus }
    }
    if isReference { counter = Counter(high: high, low: low) }
    return (high + low, header.frameNumber, slice.type == 5, isReference)
  }
}
