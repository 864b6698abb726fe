import ISOBMFF
import MP4Bytes

/// The places in a track where samples follow others that do not precede them in the source.
///
/// There, decoding must start again: at an IDR picture it does, at other sync samples of H.264, H.265 and H.266 it
/// continues with the references and the picture order of the samples before.
struct TrackJoints {
  /// One of these places.
  struct Joint {
    /// The number of its first sample.
    var sample: Int
    /// The configuration of its first sample.
    var configuration: DecoderConfiguration?
    /// The configuration of the sample before it.
    var previous: DecoderConfiguration?
    /// A number that the caller chooses.
    var number = 0
  }
  /// In the order of their samples.
  var joints: [Joint] = []
  /// The composition times that edits present; `nil` presents everything.
  var presented: [Range<Int64>]?
  /// The configuration of all samples, if edits that do not start at a joint are to be examined. Readers such as ffmpeg
  /// go back to a sync sample for each edit.
  var configuration: DecoderConfiguration?
  /// The indices of sync samples that are no longer marked as such.
  var notSync: Set<Int> = []

  func presents(_ time: Int64) -> Bool { presented?.contains { $0.contains(time) } ?? true }

  /// The presented times, without interruptions, and the number of the first edit of each.
  fileprivate var edits: [(times: Range<Int64>, number: Int)] {
    var result: [(times: Range<Int64>, number: Int)] = []
    for (number, times) in (presented ?? []).enumerated() {
      if let last = result.last, last.times.upperBound == times.lowerBound {
        result[result.count - 1].times = last.times.lowerBound..<times.upperBound
      } else {
        result.append((times, number))
      }
    }
    return result
  }
}

/// What was done at the joints of a movie.
struct JointResult {
  var diagnostics: [Diagnostic] = []
  /// The joints after which a decoder would output wrong pictures, or pictures in the wrong order: their tracks and
  /// numbers, or the numbers of edits that do not start at a joint.
  var disordered: [(track: Int, number: Int)] = []
}

extension MovieInput {
  /// The number of samples before a joint among which there may be hidden sync samples.
  private static let tailLimit = 32

  /// Makes decoders start again at the joints of all tracks.
  ///
  /// The slices of a CRA picture (H.265) become those of a BLA picture, which changes six bits of each: ISO/IEC
  /// 23008-2, 8.1.3. With an end of sequence before the CRA picture instead, decoders would discard the pictures that
  /// they have not output yet (C.5.2.2). H.266 has no BLA pictures, so its CRA pictures follow an end of sequence.
  /// H.264 has no means, so only the references and the order of its pictures are checked.
  mutating func startDecoders(at tracks: [TrackJoints], in all: inout [TrackSamples]) throws(MovieError)
    -> JointResult
  {
    var result = JointResult()
    let made = PlannedSink(name: "joints")
    let madeSource = sources.count
    for (track, own) in tracks.enumerated() where self.tracks[track].handler == "vide" {
      var counts: [Diagnostic.JointChange: Int] = [:]
      var hidden = Array(own.notSync)
      var changes: [(sample: Int, change: SampleChange)] = []
      var reader = SampleUnitReader(sources)
      let samples = all[track].list
      var wrong: Set<Int> = []
      for (number, joint) in own.joints.enumerated() {
        let place = joint.sample
        let previous = number == 0 ? 0 : own.joints[number - 1].sample
        guard place < samples.count, case let sample = samples.jointSample(place), sample.isSync,
          let configuration = joint.configuration, let (codec, lengthSize) = configuration.pictureUnits
        else { continue }
        // If the durations of its run are wrong, those of single samples are unknown.
        let run = all[track].runs[all[track].run(ofSample: place)]
        guard !run.isScaled, let units = try reader.units(of: sample, codec, lengthSize: lengthSize),
          let slice = units.first(where: { codec.isSlice($0.type) })
        else {
          counts[.unknown, default: 0] += 1
          continue
        }
        if codec.isIDR(slice.type) { continue }
        switch codec {
        case .avc:
          let next = number + 1 < own.joints.count ? own.joints[number + 1].sample : samples.count
          let isRight = try PictureOrder(configuration, previous: joint.previous ?? configuration)?.continues(
            after: samples.pictures(previous..<place, fromEnd: true, presented: own.presents),
            with: samples.pictures(place..<next, presented: own.presents), isClipped: own.presented != nil, &reader)
          if isRight == false { wrong.insert(joint.number) }
          counts[isRight == nil ? .unknown : isRight == true ? .continued : .disordered, default: 0] += 1
        case .hevc:
          guard slice.type == 21 else { continue }
          let change = try SampleChange(brokenLink: units, of: sample, &reader)
          changes.append((place, change))
          counts[.brokenLink, default: 0] += 1
          // A sync sample that is only needed for leading pictures, which are presented before it. Readers that go on
          // to the next sync sample after an edit, as ffmpeg does, would go on to that of the joint, and decode it
          // twice.
          let tail = (max(previous, place - Self.tailLimit)..<max(previous, place)).map(samples.jointSample)
          guard tail.contains(where: { !$0.isSync }) else { continue }
          hidden += tail.indices.filter { index in
            tail[index].isSync && !own.presents(tail[index].compositionTime)
              && !tail[index...].contains {
                $0.compositionTime > tail[index].compositionTime && own.presents($0.compositionTime)
              }
          }.map { tail[$0].number }
        case .vvc:
          guard slice.type == 9 || slice.type == 10 else { continue }
          guard configuration.format == configuration.codedFormat else {
            counts[.unknown, default: 0] += 1
            continue
          }
          changes.append((place, SampleChange(endOfSequenceBefore: sample, lengthSize: lengthSize)))
          counts[.endOfSequence, default: 0] += 1
        }
      }
      wrong.formUnion(try wrongEdits(own, samples, &reader))
      result.disordered += wrong.sorted().map { (track, $0) }
      if !hidden.isEmpty, hidden.count < samples.count {
        all[track].setNoSync(hidden)
        counts[.hiddenSync] = hidden.count
      }
      // `samples` are those before the changes.
      let new = try changes.reversed().map { (number, change) throws(MovieError) in
        (number: number, sample: try apply(change, to: all[track].list, number, made))
      }
      if !new.isEmpty { all[track].replace(new.reversed(), source: madeSource) }
      for change in Diagnostic.JointChange.allCases {
        guard let count = counts[change], change != .disordered else { continue }
        result.diagnostics.append(
          Diagnostic(.joints(change, count: count), name(ofTrack: track), self.tracks.reference(track)))
      }
    }
    if made.position > 0 {
      sources.append(PlannedSource(made.file, name: made.name))
      contents.append(SourceContents(group: 0, isGenerated: true))
    }
    return result
  }

  /// The numbers of the edits whose AVC pictures readers such as ffmpeg would not present: they decode more samples
  /// than an edit presents, and then go back to a sync sample for the next edit.
  private func wrongEdits(_ own: TrackJoints, _ samples: SampleList, _ reader: inout SampleUnitReader)
    throws(MovieError) -> [Int]
  {
    let edits = own.edits
    guard edits.count > 1, own.configuration != nil || !own.joints.isEmpty else { return [] }
    let joints = Dictionary(own.joints.map { ($0.sample, $0) }) { first, _ in first }
    var result: [Int] = []
    var previous: (samples: Range<Int>, times: Range<Int64>)?
    for (times, number) in edits {
      let decoded = samples.decoded(for: times, notSync: own.notSync)
      defer { previous = (decoded, times) }
      let joint = joints[decoded.lowerBound]
      guard let previous, decoded.lowerBound != previous.samples.upperBound,
        let configuration = joint?.configuration ?? own.configuration
      else { continue }
      let isRight = try PictureOrder(configuration, previous: joint?.previous ?? configuration)?.continues(
        after: samples.pictures(previous.samples, fromEnd: true, presented: previous.times.contains),
        with: samples.pictures(decoded, presented: times.contains), isClipped: false, &reader)
      if isRight == false { result.append(joint?.number ?? number) }
    }
    return result
  }

  /// A changed sample, whose bytes are added to `made`. Decoding can start at it.
  private func apply(_ change: SampleChange, to list: SampleList, _ number: Int, _ made: PlannedSink)
    throws(MovieError) -> SampleColumns
  {
    let start = made.position
    do throws(IOError) {
      for part in change.parts {
        switch part {
        case .bytes(let bytes): try made.write(bytes)
        case .range(let range): try made.copy(range, of: sources[change.source])
        }
      }
    } catch { throw .io(error) }
    var sample = SampleColumns()
    sample.append(
      duration: list.columns.duration(number), size: UInt32(clamping: made.position - start),
      flags: list.flags(number).rawValue & ~0x1_0000,
      compositionOffset: Int32(truncatingIfNeeded: list.compositionOffset(number)), at: start)
    return sample
  }
}

/// A sample that consists of bytes of a source and of a few others.
struct SampleChange {
  enum Part {
    case bytes([UInt8])
    case range(Range<Int>)
  }
  private(set) var parts: [Part] = []
  let source: Int

  /// A CRA picture of HEVC as a BLA picture that may have leading pictures. The first slices of pictures with
  /// `no_output_of_prior_pics_flag`, which has no effect in CRA pictures, get it cleared.
  init(brokenLink units: [SampleUnitReader.Unit], of sample: JointSample, _ reader: inout SampleUnitReader)
    throws(MovieError)
  {
    source = sample.source
    var at = sample.bytes.lowerBound
    for unit in units where unit.type == 21 {
      let header = Array(try reader.bytes(unit.bytes.lowerBound..<unit.bytes.lowerBound + 3, of: source))
      guard header.count == 3, unit.bytes.count > 2 else { continue }
      var new = [header[0] & 0x81 | 16 << 1, header[1], header[2]]
      // The flag follows `first_slice_segment_in_pic_flag`. A zero could start the pattern of a start code.
      if header[2] & 0x40 != 0, header[2] & 0xbf != 0 { new[2] &= 0xbf }
      parts += [.range(at..<unit.bytes.lowerBound), .bytes(new)]
      at = unit.bytes.lowerBound + 3
    }
    parts.append(.range(at..<sample.bytes.upperBound))
  }

  /// A picture of VVC after an end of sequence. It is in the same sample, so that it also takes effect where decoding
  /// continues with this sample after another, as ffmpeg does at edits.
  init(endOfSequenceBefore sample: JointSample, lengthSize: Int) {
    source = sample.source
    let length = [UInt8](repeating: 0, count: lengthSize - 1) + [2]
    parts = [.bytes(length + [0, 21 << 3 | 1]), .range(sample.bytes)]
  }
}

extension SampleList {
  /// The pictures of these samples, at most the number that is examined.
  fileprivate func pictures(_ range: Range<Int>, fromEnd: Bool = false, presented: (Int64) -> Bool)
    -> [PictureOrder.Picture]
  {
    let range = fromEnd ? range.suffix(PictureOrder.lead) : range.prefix(PictureOrder.limits.samples)
    var (result, count): ([PictureOrder.Picture], Int) = ([], 0)
    for number in range where count <= PictureOrder.limits.presented {
      let sample = jointSample(number)
      let isPresented = presented(sample.compositionTime)
      result.append(PictureOrder.Picture(sample: sample, isPresented: isPresented))
      if !fromEnd, isPresented { count += 1 }
    }
    return result
  }
}
