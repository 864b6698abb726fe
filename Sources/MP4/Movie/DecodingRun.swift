import ISOBMFF
import MP4Bytes

/// Samples that are decoded one after another to present a part of a track.
public struct DecodingRun: Sendable {
  /// Their indices, in decoding order. Decoding can start with the first one.
  public let range: Range<Int>
  /// The part of the presentation.
  public let times: Range<MediaTime>
  /// The difference between presentation times and composition times, which are relative to the first decode time.
  private let shift: MediaTime
  private let all: Samples

  fileprivate init(_ range: Range<Int>, _ segment: PresentationTimeline.Segment, of all: Samples) {
    (self.range, self.all) = (range, all)
    (times, shift) = (segment.time, segment.shift)
  }

  /// The samples, in decoding order.
  public var samples: some RandomAccessCollection<Sample> & Sendable { all[range] }

  /// Whether a sample is presented in this part. The others are decoded, but not shown: pictures from the sync sample
  /// on, audio that the codec needs before, and pictures after the part that others refer to.
  public func isShown(_ sample: Sample) -> Bool {
    range.contains(sample.index) && sample.presentations.contains { $0.overlaps(times) }
  }

  /// When a sample is presented and decoded, on the clock of the presentation. Samples that are only decoded are before
  /// or after `times`, possibly at negative times. The speed of an edit is not applied.
  public func timing(of sample: Sample) -> (presentation: MediaTime, decode: MediaTime) {
    let (start, timescale) = (all.storage.start, all.storage.timescale)
    return (
      shift + MediaTime(sample.compositionTime.value &- start, timescale),
      shift + MediaTime(sample.decodeTime.value &- start, timescale)
    )
  }
}

extension Track {
  /// What has to be decoded to present a part of the presentation: a run for each edit, in the order of presentation.
  ///
  /// A run starts at a sync sample before its first picture, with open GOPs at an earlier one, and with as much audio
  /// as the codec needs before.
  public func decodingRuns(presenting times: Range<MediaTime>) -> [DecodingRun] {
    let kind = TrackCutter.Kind(description, properties, details.groupDescriptions, list)
    let cutter = TrackCutter(
      list: list, presentation: samples.storage.presentation, timescale: timescale, kind: kind,
      sources: samples.storage.sources)
    return cutter.runs(in: times).map { DecodingRun($0.samples, $0.segment, of: samples) }
  }

  /// The samples that are presented in a part of the presentation, in the order of their presentation.
  public func samples(presentedIn times: Range<MediaTime>) -> [Sample] {
    var indices: Set<Int> = []
    var shown: [(time: MediaTime, sample: Sample)] = []
    for run in decodingRuns(presenting: times) {
      for sample in run.samples where run.isShown(sample) && indices.insert(sample.index).inserted {
        let time = sample.presentations.first { $0.overlaps(times) }?.lowerBound
        shown.append((time ?? times.lowerBound, sample))
      }
    }
    return shown.sorted { $0.time < $1.time }.map(\.sample)
  }

  // MARK: Keyframes

  /// The last presented sync sample that is presented at or before a time; `nil` if there is none.
  public func keyframe(atOrBefore time: MediaTime) -> Sample? {
    var latest: Sample?
    // Pictures that are decoded later can be presented earlier, but a sync sample is presented after all before it.
    var index = samples.index(atPresentationTime: time) ?? samples.count - 1
    while let number = samples.syncIndex(atOrBefore: index) {
      let sample = samples[number]
      if let shown = sample.presentationTime, shown <= time {
        latest = sample
        break
      }
      index = number - 1
    }
    return latest
  }

  /// The first presented sync sample that is presented at or after a time; `nil` if there is none.
  public func keyframe(atOrAfter time: MediaTime) -> Sample? {
    let start = keyframe(atOrBefore: time)
    if start?.presentationTime == time { return start }
    return samples[(start.map { $0.index + 1 } ?? 0)...].first { sample in
      sample.isSync && sample.presentationTime.map { $0 >= time } ?? false
    }
  }

  /// The presented sync sample that is presented nearest to a time; `nil` without any.
  public func keyframe(nearest time: MediaTime) -> Sample? {
    guard let before = keyframe(atOrBefore: time), let shown = before.presentationTime else {
      return keyframe(atOrAfter: time)
    }
    guard let after = keyframe(atOrAfter: time), let next = after.presentationTime else { return before }
    return next - time < time - shown ? after : before
  }
}

extension TrackCutter {
  /// The samples that are needed to present parts of the track.
  fileprivate func runs(
    in times: Range<MediaTime>
  ) -> [(samples: Range<Int>, segment: PresentationTimeline.Segment)] {
    let limit = UInt64(TrackTimeline.limit)
    guard list.count > 0,
      [list.duration, list.compositionStart, list.compositionEnd].allSatisfy({ $0.magnitude < limit })
    else { return [] }
    let preRoll = if case .media(let preRoll) = kind { preRoll } else { PreRoll.samples(0) }
    return presentation.segments(in: times).filter { $0.media < list.compositionEnd }.map { segment in
      var segment = segment
      // The times of segments are rounded, but a sample that is shown for a moment is needed too.
      if let start = presentation.compositionTime(at: segment.time.lowerBound), start < segment.media {
        (segment.media, segment.length) = (start, segment.length &+ segment.media &- start)
      }
      if let end = presentation.compositionTime(at: segment.time.upperBound), isShown(at: end, in: segment.time) {
        segment.length = max(segment.length, end &+ 1 &- segment.media)
      }
      return (needed(segment, preRoll), segment)
    }
  }

  /// Whether the sample of a composition time is presented in a part of the presentation.
  private func isShown(at time: Int64, in times: Range<MediaTime>) -> Bool {
    guard let index = list.index(atCompositionTime: time) else { return false }
    let start = list.columns.time(index) &+ list.compositionOffset(index)
    return presentation.presentations(of: start, lasting: list.duration(index)).contains { $0.overlaps(times) }
  }
}

// MARK: Decoders

extension Track {
  /// Whether it has pictures.
  public var isVideo: Bool { handler == "vide" }
  /// Whether it has sound.
  public var isAudio: Bool { handler == "soun" }

  /// The parameter sets of its first sample entry, without lengths and start codes: those of H.264, H.265 and
  /// H.266; empty for other codecs.
  public var parameterSets: [[UInt8]] {
    decoderConfigurations.lazy.compactMap(AnnexBFraming.init).first?.parameterSets ?? []
  }

  /// The AudioSpecificConfig of its first sample entry: ISO/IEC 14496-3, 1.6.2.1; `nil` for other codecs.
  public var audioSpecificConfig: [UInt8]? {
    let descriptor = decoderConfigurations.first?.box(ESDescriptorBox.self)
    guard descriptor?.decoderConfig?.objectTypeIndication == 0x40 else { return nil }
    return descriptor?.decoderSpecificInfo.map { Array($0) }
  }

  /// Samples as a byte stream of H.264, H.265 or H.266 with start codes (Annex B). Parameter sets are inserted before
  /// pictures at which decoding can start. `nil` if the codec is another one, or if the NAL units are not valid.
  ///
  /// - Throws: `MovieError.io`, also if a source ends before a sample does.
  public func annexB(of range: Range<Int>) throws(MovieError) -> [UInt8]? {
    let framings = decoderConfigurations.map(AnnexBFraming.init)
    var stream: [UInt8] = []
    for (index, bytes) in zip(range, try samples.bytes(of: range)) {
      let (sample, own) = (samples[index], MemorySource(bytes, name: samples[index].source.name))
      guard sample.descriptionIndex - 1 < framings.count, let framing = framings[sample.descriptionIndex - 1] else {
        return nil
      }
      var window = ByteWindow(own, readAhead: bytes.count)
      let isValid = try io(
        framing.forEachPart(of: 0..<bytes.count, in: &window, isStart: sample.isSync) { part in
          switch part {
          case .bytes(let bytes): stream += bytes
          case .range(let range): stream += bytes[range]
          }
        })
      if !isValid { return nil }
    }
    return stream
  }
}
