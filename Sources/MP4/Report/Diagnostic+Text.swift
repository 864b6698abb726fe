import ISOBMFF
import MP4Bytes

extension Diagnostic: CustomStringConvertible {
  /// The file and the message.
  public var description: String { "\(file): \(text)" }

  /// The message, as a sentence.
  public var text: String { track.map { "track \($0.id): \(sentence)" } ?? sentence }

  /// The message without the track.
  var sentence: String {
    switch kind {
    case .timing(let timing, let spans): text(timing, spans)
    case .reordered: "fragments are not in time order; sorted"
    case .missingData(let spans): "\(missing(spans)); omitted"
    case .damagedBox(let type, let error, let next):
      "\(type): \(error); "
        + (next.map { "the next \(type == "moof" ? "box" : "fragment") was found at byte \($0)" }
          ?? "the file is cut off")
    case .damagedInFragment(let path, let error, let time): "\(path): \(error); \(omitted(path, time))"
    case .excessiveSize(let type, let error): "\(type): \(error), which contain all of its samples"
    case .zeros(let range):
      "\(counted(range.count, "zero")) from byte \(range.lowerBound) on \(range.count == 1 ? "follows" : "follow") the "
        + "last box; omitted"
    case .notABox(let range, let isOmitted):
      "\(counted(range.count, "byte")) from byte \(range.lowerBound) on \(range.count == 1 ? "is" : "are") not a box"
        + (isOmitted ? "; omitted" : "")
    case .cutHeader(let range):
      "the file is cut off inside the box header at byte \(range.lowerBound)"
    case .impossibleRun(let path, let offset, let reason, let time):
      "\(path) at byte \(offset): \(reason); \(samplesOmitted(time))"
    case .noTrackHeader(let path): "\(path): no tfhd before it; its samples are omitted"
    case .unknownTrack(let path, let id):
      "\(path): track \(id) is not declared in moov; its fragments are omitted"
    case .noPlace(let type, let count):
      "a progressive file cannot contain \(counted(count, "\(type) box", "\(type) boxes")); omitted"
    case .omitted(let type, let count):
      "\(counted(count, "\(type) box is", "\(type) boxes are")) not carried over"
    case .presented(let amount, let isStart):
      "without an edit list, \(time(amount)) of hidden media at its \(isStart ? "start" : "end") is presented"
    case .severalEdits:
      "its edit list has several parts or a speed other than 1; segments follow the media times, and players of "
        + "segments present the media without the edit list"
    case .longSegments(let count, let longest):
      "\(counted(count, "segment is", "segments are")) longer than requested, up to \(longest), because "
        + "no sync sample is close enough"
    case .negativeOffsets(let amount):
      "it has negative composition offsets; players that do not support them, such as ffmpeg up to 9.0, present it "
        + "\(time(amount)) late"
    case .notCarried(let type, let count):
      "\(counted(count, "\(type) box", "\(type) boxes")) of the track fragments cannot be carried over; omitted"
    case .notCarriedOfMovie(let types):
      "the sample information in moov's \(types.map(\.description).joined(separator: ", ")) cannot be carried "
        + "over; omitted"
    case .otherEncryption(let count):
      "\(counted(count, "fragment is", "fragments are")) encrypted with different parameters from the track, "
        + "which a progressive file cannot express"
    case .undecryptable(let samples):
      "the encryption data (senc, or saiz and saio) of \(counted(samples, "sample")) is missing; "
        + "\(samples == 1 ? "it" : "they") cannot be decrypted from this input"
    case .lostItems(let count):
      "meta/iloc: \(counted(count, "item is", "items are")) not complete in the file; omitted"
    case .undescribed(.unknown, let samples):
      "\(counted(samples, "sample refers", "samples refer")) to a sample description that does not exist; the last one "
        + "is used instead"
    case .undescribed(.zero, let samples):
      "\(counted(samples, "sample refers", "samples refer")) to sample description 0; 1 is used instead"
    case .emptyTrack: "it has no samples"
    case .gapTooLong(_, let time):
      "a gap\(from(time, "at ")) exceeds the maximum duration of a sample; the following samples are too early"
    case .rebased(let start, let new):
      "the presentation starts at \(start); all tracks were moved to "
        + (new.value == 0 ? "0" : "\(new.value)/\(new.timescale) s, so that no track start is rounded")
    case .hiddenPriming(let start):
      "the presentation starts with the first picture at \(start), which becomes 0; the audio before it is priming and "
        + "hidden"
    case .roundedStart where track != nil:
      "its start is not a multiple of 1/\(track?.timescale ?? 1) s and was rounded"
    case .roundedStart: "the start of a track could not be expressed in the movie timescale and was rounded"
    case .shifted: "without an edit list, it is presented at a different time"
    case .combined(let name):
      "it has its own moov; its tracks are merged with those of \(Self.shortened(name, beside: file))"
    case .equalMovie(let name):
      "it has the same moov as \(name), but different samples at the same times; its tracks are added beside those of "
        + "\(name), not after them"
    case .copy(let name): "it has the same moov and samples as \(name); used once"
    case .misfit(let movie, let misfit): "it does not match the init segment \(movie): \(misfit); omitted"
    case .staleBases(let count, let first):
      "the base data offset of \(counted(count, "fragment")), the first at byte \(first), is out of date, as if a box "
        + "had been inserted; the data was located relative to the start of the fragment"
    case .otherMovieBox(let type, let name):
      "moov/\(type): the output has that of \(Self.shortened(name, beside: file)); omitted"
    case .converted:
      "this is a QuickTime movie; the output is an MP4 file, with ISO brands and sample descriptions"
    case .renamedFormat("text", let new): "QuickTime text is written as 3GPP timed text (\(new))"
    case .renamedFormat(let old, let new):
      "audio format \(old) (QuickTime) is written as \(new); samples do not change"
        + (new == "mp4a" ? "" : ". Players without ISO/IEC 23003-5 support need a .mov")
    case .quickTimeOnly(let type, let name):
      "\(type) (\(name)) is defined only for QuickTime; kept, but MP4 players may not play it"
    case .progressive: "already progressive; written with `moov` first"
    case .rebuilt(let problem): "\(problem); the sample tables are re-created"
    case .lostTrack(let error, let samples):
      track == nil
        ? "a track cannot be used: \(error.reason); "
          + (samples > 0 ? "it and its \(counted(samples, "sample")) are omitted" : "it is omitted")
        : "its samples cannot be found: \(error.reason); "
          + (samples > 0 ? "\(counted(samples, "sample")) omitted" : "omitted")
    case .joints(let change, let count): text(change, count)
    case .segmentsSorted, .segmentGap, .segmentOverlap, .segmentTwice, .overTarget, .other: textOfSegments
    }
  }

  private func text(_ change: JointChange, _ count: Int) -> String {
    switch change {
    case .brokenLink:
      "\(counted(count, "CRA picture")) after a splice became \(count == 1 ? "a BLA picture" : "BLA pictures"), so "
        + "that decoding starts again there; only the types of "
        + "\(count == 1 ? "its" : "their") NAL units changed"
    case .endOfSequence:
      "an end of sequence was inserted before \(counted(count, "CRA picture")) after a splice, so that decoding "
        + "starts again there"
    case .repeated:
      "\(counted(count, "sample")) that the next file repeats \(count == 1 ? "was" : "were") omitted, so that "
        + "the samples continue without a splice"
    case .hiddenSync:
      "\(counted(count, "picture")) near a splice \(count == 1 ? "is" : "are") no longer marked as "
        + "\(count == 1 ? "a sync sample" : "sync samples"), so that readers do not start decoding there"
    case .continued:
      "\(counted(count, "splice is", "splices are")) at an open GOP, where H.264 decoders cannot start again; "
        + "pictures are presented in their order, but decoders may show errors there"
    case .disordered:
      "\(counted(count, "splice is", "splices are")) at an open GOP, where H.264 decoders cannot start again; "
        + "pictures after it are presented in the wrong order or not at all"
    case .unknown:
      "the pictures after \(counted(count, "splice")) cannot be examined; if they are not IDR pictures, decoders may "
        + "lose pictures there"
    }
  }

  private var textOfSegments: String {
    switch kind {
    case .segmentsSorted(byName: true):
      "the segments overlap in time, like two recordings; sorted by name"
    case .segmentsSorted: "segments were sorted by decode time"
    case .segmentGap(let name, let amount):
      "gap of \(amount) between \(Self.shortened(name, beside: file)) and this segment"
    case .segmentOverlap(let name, let amount):
      "this segment overlaps \(Self.shortened(name, beside: file)) by \(amount)"
    case .segmentTwice(let name, let isSameSize):
      "this segment has the same times as \(name)"
        + (isSameSize ? "; one of them is a duplicate" : ", but a different size; one is from a different recording")
    case .overTarget(let segment, let duration, let declared, _):
      "\(segment) lasts \(duration), but the playlist declares at most \(declared) s and cannot change; "
        + "players may stall"
    case .other(_, let text): text
    default: ""
    }
  }

  /// A clause that states what is omitted because a box of a fragment cannot be read.
  private func omitted(_ path: String, _ time: Int64?) -> String {
    let box = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    if box.starts(with: "trun".utf8) || box.starts(with: "tfhd".utf8) { return samplesOmitted(time) }
    if box.starts(with: "mfhd".utf8) { return "the sequence number is unknown" }
    if box.starts(with: "tfdt".utf8) { return "its samples follow the previous ones" }
    // Other boxes only add information about samples. The samples are kept.
    return "its information\(ofFragment(time)) is omitted"
  }
  private func samplesOmitted(_ time: Int64?) -> String { "its samples\(ofFragment(time)) are omitted" }
  private func ofFragment(_ time: Int64?) -> String { time.map { " (fragment at \(self.place($0)))" } ?? "" }

  func missing(_ spans: [Span]) -> String {
    guard let first = spans.first else { return "" }
    let samples = "no data for " + counted(spans.reduce(0) { $0 + $1.samples }, "sample")
    let (start, end) = ("\(place(first.time))", "\(place(first.time &+ first.duration))")
    let place = start == end ? "at \(start)" : "from \(start) to \(end)"
    return spans.count == 1 ? "\(samples) \(place)" : "\(samples) in \(spans.count) places, the first \(place)"
  }

  private func text(_ timing: Timing, _ spans: [Span]) -> String {
    guard let first = spans.first else { return "" }
    let (count, start) = (spans.count, place(first.time))
    let samples = spans.reduce(0) { $0 + $1.samples }
    switch timing {
    case .gap:
      let sum = time(spans.reduce(0) { $0 &+ $1.duration })
      return count == 1
        ? "gap of \(sum) at \(start); the sample before it was extended"
        : "\(count) gaps, \(sum) in total, the first at \(start); the samples before them were extended"
    case .stepBack:
      return count == 1
        ? "a fragment starts at \(start), before the previous fragment ends, whose last sample was shortened"
        : "\(count) fragments, the first at \(start), start before the previous fragment ends; "
          + "the last sample before each was shortened"
    case .repeated:
      return samples == 1
        ? "1 sample at \(start) is repeated; used once"
        : "\(samples) samples from \(start) on are repeated; used once"
    case .keptAsAsked:
      return
        "\(counted(samples, "sample")) of later fragments from \(start) on \(samples == 1 ? "is" : "are") omitted: "
        + "earlier fragments have different samples at these times"
    case .replaced, .replacedAsAsked:
      return "later fragments replace \(counted(samples, "sample")) from \(start) on with different ones"
    case .overrun:
      return
        "sample durations in \(counted(count, "fragment")) extend past the start of the next fragment; scaled to fit"
    case .impossible:
      let what = counted(count, "fragment declares a decode time", "fragments declare decode times")
      return
        "\(what) of 2^61 or more, which is invalid; the samples from \(start) on follow the previous ones"
    }
  }

  // MARK: Wording

  private func time(_ value: Int64) -> MediaTime { track?.time(value) ?? MediaTime(value, 1) }
  /// A media time as a time of the presentation.
  private func place(_ value: Int64) -> MediaTime { track?.presentationTime(value) ?? MediaTime(value, 1) }
  private func from(_ time: Int64?, _ word: String) -> String { time.map { " \(word)\(place($0))" } ?? "" }

  /// The name of a file without the leading folders that it shares with `file`, which the message already contains.
  package static func shortened(_ name: String, beside file: String) -> String {
    let (own, other) = (Array(file.utf8), Array(name.utf8))
    var start = 0
    for index in 0..<min(own.count, other.count) {
      guard own[index] == other[index] else { break }
      // Neither the root nor the slashes before a host name count as shared folders.
      if own[index] == UInt8(ascii: "/"), index > 0, own[index - 1] != UInt8(ascii: "/") {
        start = own[index - 1] == UInt8(ascii: ":") ? 0 : index + 1
      }
    }
    return start == 0 ? name : String(decoding: other[start...], as: UTF8.self)
  }
}
