import ISOBMFF
import MP4
import MP4Bytes
package import MP4Records

/// The report on a track.
package struct TrackReport: Sendable {
  /// A part of its presentation.
  struct Span: Sendable {
    let time: Range<MediaTime>
    /// Whether it is an empty edit.
    let isEmpty: Bool
  }
  /// A sample in decoding order, and its rank in presentation order among the samples shown.
  struct OrderedSample: Sendable {
    let sample: Int
    let kind: SampleBins.Kind
    let place: Int
  }

  /// The letter of its movie, if movies are compared.
  let file: String?
  /// The summary of the track.
  package let summary: TrackSummary
  /// The media timescale.
  package let timescale: UInt32
  /// The value added to decode times.
  let shift: MediaTime
  /// The use that determines its color.
  let use: ByteMap.Use
  /// The parts of its presentation.
  let spans: [Span]
  /// The starts of its fragments, inputs and sync samples, as positions from 0 to 1; positions that are too close are
  /// omitted.
  let fragmentPositions: [Double], inputPositions: [Double], keyPositions: [Double]
  /// Its samples.
  package let samples: SampleBins
  /// Its bytes over time.
  package let rates: RateBins
  /// Its GOPs; `nil` if all samples are sync samples.
  package let groups: GroupBins?
  /// Statistics by kind of sample; kinds without samples are omitted.
  package let kinds: [KindStatistics]
  /// The first samples that are reordered; empty if there are none.
  let order: [OrderedSample]

  /// The maximum number of samples whose order is shown.
  private static let orderCount = 30
  /// The maximum number of parts of the presentation that are shown.
  private static let spanLimit = 1000
  /// Closer positions cannot be distinguished.
  private static let leastDistance = 1.0 / 1000

  /// Examines a track whose samples are in inputs that start at `starts`.
  init(
    _ track: Track, _ summary: TrackSummary, _ axis: TimeAxis, fragments: [Int], starts: [Int], limit: Int,
    file: String? = nil
  ) {
    (self.summary, self.file) = (summary, file)
    timescale = track.timescale
    let shift = track.presentationShift
    (self.shift, use) = (shift + track.mediaStart, ByteMap.Use(track.handler))
    spans = Self.spans(of: track)
    var bins = SampleBins(count: track.samples.count, limit: limit)
    var rates = RateBins(axis.binCount, track.timescale)
    var kinds = SampleBins.Kind.allCases.map(KindStatistics.init)
    var (keys, inputs, input) = (Positions(), Positions(), track.samples.first?.sourceIndex)
    var (latest, firstBackward) = (Int64.min, Int?.none)
    let (scale, shiftSeconds) = (Double(track.timescale), shift.seconds)
    // Most tracks have a common offset, which need not be looked up for each sample.
    let commonOffset = track.isInOrder ? track.samples.first?.compositionOffset.value : nil
    for sample in track.samples {
      let (time, size) = (sample.decodeTime.value, sample.size)
      let offset = commonOffset ?? sample.compositionOffset.value
      let seconds = Double(time) / scale + shiftSeconds
      let composition = time &+ offset
      let kind: SampleBins.Kind = sample.isSync ? .key : composition < latest ? .backward : .forward
      latest = max(latest, composition)
      if kind == .backward, firstBackward == nil { firstBackward = sample.index }
      if kind == .key { keys.add(axis.position(of: seconds)) }
      kinds[kind.rawValue].add(size)
      let source = sample.sourceIndex
      if source != input {
        inputs.add(axis.position(of: seconds))
        input = source
      }
      let start = starts.indices.contains(source) ? starts[source] : 0
      bins.add(sample, size, kind, composition: Int(offset), at: start + sample.offset)
      rates.add(size, at: time, bin: axis.bin(of: seconds))
    }
    (samples, self.rates, self.kinds) = (bins, rates, kinds.filter { $0.count > 0 })
    groups =
      track.samples.areAllSync || track.samples.isEmpty
      ? nil : GroupBins(track, count: max(1, summary.samples.keyframeCount), limit: limit)
    order = firstBackward.map { Self.order(of: track, around: $0) } ?? []
    var places = Positions()
    for index in fragments where track.samples.indices.contains(index) {
      places.add(axis.position(of: track.samples[index].decodeTime.seconds + shiftSeconds))
    }
    (fragmentPositions, inputPositions) = (places.values, inputs.values)
    keyPositions = track.samples.areAllSync ? [] : keys.values
  }

  /// Collects positions that can be distinguished.
  private struct Positions {
    var values: [Double] = []
    mutating func add(_ position: Double) {
      if values.last.map({ abs(position - $0) >= leastDistance }) ?? true { values.append(position) }
    }
  }

  private static func spans(of track: Track) -> [Span] {
    guard let presented = track.presentedTimes else { return [] }
    var (clock, spans) = (track.editStarts.first ?? MediaTime(0, 1), [Span]())
    for edit in track.edits.prefix(spanLimit) {
      let isEmpty = edit.mediaTime < 0
      // An edit without a duration extends to the end.
      let isToEnd = edit.segmentDuration == 0 || track.edits.count == 1
      let end = isToEnd && !isEmpty ? presented.upperBound : min(clock + track.length(of: edit), presented.upperBound)
      if end > clock { spans.append(Span(time: clock..<end, isEmpty: isEmpty)) }
      clock = max(clock, end)
    }
    return track.edits.isEmpty ? [Span(time: presented, isEmpty: false)] : spans
  }

  private static func order(of track: Track, around index: Int) -> [OrderedSample] {
    let first = track.samples.syncIndex(atOrBefore: index) ?? 0
    // If there is no sync sample nearby, the samples before this one are just as useful.
    let start = index - first < orderCount ? first : max(0, index - orderCount / 2)
    let samples = (start..<min(track.samples.count, start + orderCount)).map { track.samples[$0] }
    let places = samples.indices.sorted {
      (samples[$0].compositionTime.value, $0) < (samples[$1].compositionTime.value, $1)
    }
    var latest = Int64.min
    return samples.enumerated().map { number, sample in
      let time = sample.compositionTime.value
      let kind: SampleBins.Kind = sample.isSync ? .key : time < latest ? .backward : .forward
      latest = max(latest, time)
      return OrderedSample(
        sample: sample.index + 1, kind: kind, place: places.firstIndex(of: number) ?? number)
    }
  }
}

extension TrackReport: Record {
  package static let summary = "The values of the charts for a track."
  package static let members: [RecordMember<Self>] = [
    RecordMember("id", "its track ID") { Int($0.summary.id) },
    RecordMember("name", "its name in the report") { $0.label },
    RecordMember("timescale", "the number of time units per second") { Int($0.timescale) },
    RecordMember("shift_seconds", "the offset that charts add to its decode times") { $0.shift },
    RecordMember("kinds", "its samples by kind") { $0.kinds },
    RecordMember("samples", "its samples, in bins") { $0.samples },
    RecordMember("rates", "its bytes over time") { $0.rates },
    RecordMember("groups", "its GOPs, in bins; missing if all samples are sync samples") { $0.groups },
  ]

  /// Its label in the report.
  var label: String { "\(file.map { "\($0): track" } ?? "Track") \(summary.id), \(summary.kind)" }
}
