import ISOBMFF
public import MP4
import MP4Bytes
package import MP4Records

/// A track of one movie, and the track of another movie with which it is compared.
public struct TrackComparison: Sendable {
  /// The track of the first movie; `nil` if it has no matching one.
  public let track: Track?
  /// The track of the other movie; `nil` if it has no matching one.
  public let other: Track?
  /// The names of both movies.
  let names: (String, String)
  /// The differences of the samples; `nil` if there is only one track.
  public let differences: TrackDifferences?
  /// Whether samples are presented at the same times, according to the edit lists, relative to the start of their
  /// movies.
  public let hasSamePresentationTimes: Bool

  /// Whether there are two tracks with the same samples, presented at the same times.
  public var isSame: Bool { hasSamePresentationTimes && differences?.isEmpty == true }

  /// The durations of the last samples if they differ, which is not counted as a difference.
  private var lastDurations: (MediaTime, MediaTime)? {
    guard let last = track?.samples.last, let otherLast = other?.samples.last, track?.samples.count == otherCount,
      last.duration != otherLast.duration
    else { return nil }
    return (last.duration, otherLast.duration)
  }

  private var otherCount: Int? { other?.samples.count }

  /// The first sample in `differences`; that of the other movie if only it has the sample.
  private var firstSample: Sample? {
    guard let first = differences?.first else { return nil }
    return first.index.flatMap { track?.samples[$0] } ?? first.otherIndex.flatMap { other?.samples[$0] }
  }
}

extension TrackComparison: CustomStringConvertible {
  /// One line.
  public var description: String {
    guard let track, let other, let differences else {
      guard let single = track ?? other else { return "" }
      return "\(single.label) (\(single.handler), \(counted(single.samples.count, "sample"))) is only in "
        + (track == nil ? names.1 : names.0)
    }
    let label = track.label + (track.id == other.id ? "" : " (\(other.id) in \(names.1))")
    var words = "\(label): "
    if differences.isEmpty {
      words += "\(counted(track.samples.count, "sample")), the same"
      if let (duration, otherDuration) = lastDurations {
        words += "; the duration of the last one is \(duration.exact), \(otherDuration.exact)"
      }
    } else {
      words += counts(track, other, differences)
      if let sample = firstSample, let values = firstValues {
        let place = sample.presentationTime.map { "at \($0.clock)" } ?? "(never presented)"
        words += "; the first is sample \(sample.index + 1) \(place): \(values)"
      }
    }
    if !hasSamePresentationTimes { words += "; presented \(track.presentation), \(other.presentation)" }
    return words
  }

  private func counts(_ track: Track, _ other: Track, _ differences: TrackDifferences) -> String {
    let changed = differences.changedCount
    let (count, otherCount) = (track.samples.count, other.samples.count)
    var codecs = ""
    if differences.codecsOnlyCount > 0 {
      let all = differences.codecsOnlyCount == changed
      codecs = all ? " only in codecs" : ", \(differences.codecsOnlyCount) of them only in codecs"
    }
    if differences.decoderStartsCount > 0 {
      let all = differences.decoderStartsCount == changed
      codecs +=
        all
        ? " only in whether decoding starts again there"
        : ", \(differences.decoderStartsCount) of them only in whether decoding starts again there"
    }
    if count == otherCount {
      return "\(changed) of \(counted(count, "sample")) \(changed == 1 ? "differs" : "differ")\(codecs)"
    }
    var words = ["\(count), \(counted(otherCount, "sample"))"]
    if differences.removedCount > 0 { words.append("\(differences.removedCount) only in \(names.0)") }
    if differences.addedCount > 0 { words.append("\(differences.addedCount) only in \(names.1)") }
    if changed > 0 { words.append("\(changed) \(changed == 1 ? "differs" : "differ")\(codecs)") }
    return words.joined(separator: ", ")
  }

  /// The values of both sides at the first difference.
  private var firstValues: String? {
    guard let first = differences?.first, let sample = firstSample else { return nil }
    guard let track, let other, first.index != nil, let index = first.otherIndex else {
      return "only in \(first.index == nil ? names.1 : names.0)"
    }
    let otherSample = other.samples[index]
    func both(_ text: (Track, Sample) -> String) -> String { "\(text(track, sample)), \(text(other, otherSample))" }
    return switch first.property {
    case .presence: "only in \(names.0)"
    case .codecs: both { $0.codec(of: $1) }
    case .decodeTime: "decoded at " + both { ($1.decodeTime - $0.samples[0].decodeTime).exact }
    case .compositionTime: "composition offset " + both { $1.compositionOffset.exact }
    case .duration: "lasts " + both { $1.duration.exact }
    case .keyframe: both { $1.isSync ? "keyframe" : "no keyframe" }
    case .decoderStart: "decoding starts again there in only one of them"
    case .size: both { counted($1.size, "byte") }
    case .bytes: "\(counted(sample.size, "byte")), which differ"
    }
  }
}

extension Track {
  fileprivate var label: String { "track \(id)" }

  fileprivate func codec(of sample: Sample) -> String {
    let index = sample.descriptionIndex - 1
    let codecs = decoderConfigurations.indices.contains(index) ? decoderConfigurations[index].codecs : ""
    return codecs.isEmpty ? "unknown codec" : codecs
  }

  /// The time span in which it is presented, and its edits.
  fileprivate var presentation: String {
    let edits = EditWords.words(of: self)
    let words = edits.isEmpty ? "no edits" : "edits: " + edits.joined(separator: ", ")
    return "\(presentedTimes.map { "from \($0.lowerBound.clock) to \($0.upperBound.clock)" } ?? "never") (\(words))"
  }
}

extension MediaTime {
  /// Such as `512/12800 s`.
  fileprivate var exact: String { "\(value)/\(timescale) s" }
}

extension TrackComparison: Record {
  package static let summary = "A comparison of a track of one movie with a track of another movie."
  package static let members: [RecordMember<TrackComparison>] = [
    RecordMember("track", "the ID of the track in the first file; missing if there is none") {
      $0.track.map { Int($0.id) }
    },
    RecordMember("other_track", "the ID of the track in the second file; missing if there is none") {
      $0.other.map { Int($0.id) }
    },
    RecordMember("same", "whether both tracks have the same samples, presented at the same times") { $0.isSame },
    RecordMember("samples", "the number of samples in the first file") { $0.track?.samples.count },
    RecordMember("other_samples", "the number of samples in the second file") { $0.otherCount },
    RecordMember("changed", "the number of samples that differ") { $0.differences?.changedCount },
    RecordMember("codecs_only", "the number of samples that differ only in their codec") {
      $0.differences?.codecsOnlyCount
    },
    RecordMember(
      "decoder_starts_only",
      "the number of samples that differ only in whether decoding starts again at them, as `cut` and `concat` write "
        + "them"
    ) { $0.differences?.decoderStartsCount },
    RecordMember("removed", "the number of samples that are only in the first file") { $0.differences?.removedCount },
    RecordMember("added", "the number of samples that are only in the second file") { $0.differences?.addedCount },
    RecordMember("first_sample", "the number of the first sample that differs, in the first file, starting at 1") {
      $0.differences?.first?.index.map { $0 + 1 }
    },
    RecordMember("first_other_sample", "its number in the second file, starting at 1") {
      $0.differences?.first?.otherIndex.map { $0 + 1 }
    },
    RecordMember("first_seconds", "its presentation time in seconds; missing if it is never presented") {
      $0.firstSample?.presentationTime
    },
    RecordMember(
      "first_property",
      "the property that differs: `presence`, `codecs`, `decode_time`, `composition_time`, `duration`, `keyframe`, "
        + "`decoder_start`, `size` or `bytes`"
    ) { $0.differences?.first?.property.rawValue },
    RecordMember("presented_alike", "whether the edit lists present both tracks at the same times") {
      $0.hasSamePresentationTimes
    },
    RecordMember("description", "the comparison in one line of text") { $0.description },
  ]

  /// Compares two tracks. Presentation times are relative to the starts of the movies.
  init(
    _ track: Track?, _ other: Track?, names: (String, String), starts: (MediaTime, MediaTime)
  ) throws(MovieError) {
    (self.track, self.other, self.names) = (track, other, names)
    guard let track, let other else {
      (differences, hasSamePresentationTimes) = (nil, false)
      return
    }
    differences = try TrackDifferences(of: track, from: other)
    hasSamePresentationTimes = track.isPresented(from: starts.0, like: other, from: starts.1)
  }
}
