import ISOBMFF
import MP4Bytes

/// The references and the output order of AVC pictures after a joint at which decoding does not start again.
///
/// Decoders output pictures by their picture order count, whose high bits continue from the previous reference picture,
/// and keep the reference pictures before the joint: ISO/IEC 14496-10, 8.2.1 and 8.2.5.
struct PictureOrder {
  /// A sample, and whether it is presented.
  struct Picture {
    var sample: JointSample
    var isPresented: Bool
  }
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

  /// The number of samples before a joint that are examined.
  static let lead = 64
  /// The number of samples after a joint in which presented ones are searched, and the number of those that are
  /// examined.
  static let limits = (samples: 4096, presented: 32)
  /// The maximum number of frames in a decoder.
  private static let capacity = 16

  /// Whether all presented pictures after a joint have their references, and are output after those before it and in
  /// their order; `nil` if that cannot be determined. Sync samples are those of the source. With `isClipped`, no other
  /// picture after the joint can be output before the presented ones before it: GStreamer would discard those.
  func continues(
    after before: [Picture], with after: [Picture], isClipped: Bool, _ reader: inout SampleUnitReader
  ) throws(MovieError) -> Bool? {
    guard let start = after.lazy.filter(\.isPresented).map(\.sample.compositionTime).min() else { return true }
    var counter = Counter()
    var pictures: [Decoded] = []
    for picture in before {
      guard let next = try decoded(picture, &counter, &reader) else { return nil }
      // The high bits of the counts before the first reference picture are unknown.
      if next.isReference || !pictures.isEmpty { pictures.append(next) }
    }
    let joint = pictures.count
    var (presented, restart): (Int, Int?) = (0, nil)
    for picture in after where presented < Self.limits.presented {
      guard let next = try decoded(picture, &counter, &reader) else { return nil }
      if next.isIDR {
        if presented == 0 { return hasSameParameters || pictures.count == joint }
        break
      }
      if picture.sample.isSync, picture.sample.compositionTime <= start, presented == 0 { restart = pictures.count }
      if picture.isPresented { presented += 1 }
      pictures.append(next)
    }
    guard hasSameParameters, joint < pictures.count else { return false }
    let order = pictures[joint].order
    guard
      hasReferences(pictures, joint)
        || pictures[joint..<(restart ?? joint)].count(where: \.isReference) >= max(1, order.referenceCount)
    else { return false }
    return [order.reorderCount ?? order.referenceCount, Self.capacity].allSatisfy {
      let output = output(of: pictures, delay: $0)
      if isClipped, let first = output.firstIndex(where: { $0 >= joint }),
        output[first...].contains(where: { $0 < joint && pictures[$0].isPresented })
      {
        return false
      }
      let expected = pictures.indices.filter { pictures[$0].isPresented }.sorted {
        ($0 < joint ? 0 : 1, pictures[$0].time) < ($1 < joint ? 0 : 1, pictures[$1].time)
      }
      return output.filter { pictures[$0].isPresented } == expected
    }
  }

  /// Whether the references before a joint do not change which pictures those after it refer to: all of them are
  /// earlier in both orders. Decoders replace missing ones by copies of the last one with slightly later counts.
  private func hasReferences(_ pictures: [Decoded], _ joint: Int) -> Bool {
    let first = pictures[joint]
    let before = pictures[(pictures[..<joint].lastIndex(where: \.isIDR) ?? 0)..<joint].filter(\.isReference)
    guard let last = before.last else { return true }
    if first.order.frameNumber == last.order.frameNumber { return false }
    let isNext = first.order.frameNumber == (last.order.frameNumber + 1) % first.order.frameNumberModulus
    let copies = isNext ? 0 : 2 * first.order.referenceCount
    return before.allSatisfy { $0.count < first.count } && last.count + copies < first.count
  }

  /// The indices of the pictures in the order in which a decoder outputs them that delays this number of pictures, and
  /// discards those that arrive too late.
  private func output(of pictures: [Decoded], delay: Int) -> [Int] {
    var output: [Int] = []
    var delayed: [Int] = []
    var last = Int.min
    func sort() { delayed.sort { pictures[$0].count < pictures[$1].count } }
    for (index, picture) in pictures.enumerated() {
      if picture.isIDR {
        output += delayed
        (delayed, last) = ([], .min)
      }
      delayed.append(index)
      sort()
      let count = pictures[delayed[0]].count
      if count < last {
        delayed.removeFirst()
      } else if delayed.count > delay {
        last = count
        output.append(delayed.removeFirst())
      }
    }
    return output + delayed
  }

  /// A picture with its picture order count.
  private struct Decoded {
    var order: AVCSliceHeader.Order
    var count: Int
    var time: Int64
    var isIDR: Bool
    var isReference: Bool
    var isPresented: Bool
  }
  private struct Counter {
    /// The high and the low bits of the previous reference picture.
    var high: Int?
    var low = 0
  }

  /// A decoded picture; `nil` if it is unknown.
  private func decoded(_ picture: Picture, _ counter: inout Counter, _ reader: inout SampleUnitReader)
    throws(MovieError) -> Decoded?
  {
    let sample = picture.sample
    guard let units = try reader.units(of: sample, .avc, lengthSize: lengthSize),
      let slice = units.first(where: { NALUnits.Codec.avc.isSlice($0.type) })
    else { return nil }
    let bytes = try reader.bytes(slice.bytes.prefix(96), of: sample.source)
    guard let order = headers.order(of: bytes) else { return nil }
    var result = Decoded(
      order: order, count: 0, time: sample.compositionTime, isIDR: slice.type == 5,
      isReference: (bytes.first ?? 0) & 0x60 != 0, isPresented: picture.isPresented)
    if result.isIDR { counter = Counter(high: 0, low: 0) }
    guard let (low, modulus) = order.count else {
      // Pictures are output in decoding order.
      counter = Counter(high: (counter.high ?? 0) + 1, low: 0)
      result.count = counter.high ?? 0
      return result
    }
    var high = counter.high ?? 0
    if counter.high != nil {
      if low < counter.low, counter.low - low >= modulus / 2 { high += modulus }
      if low > counter.low, low - counter.low > modulus / 2 { high -= modulus }
    }
    if result.isReference { counter = Counter(high: high, low: low) }
    result.count = high + low
    return result
  }
}
