import Bytes
import ISOBMFF

extension Notice: CustomStringConvertible {
  /// The file and what it is.
  public var description: String { "\(file): \(text)" }

  /// What it is, as a sentence.
  public var text: String { track.map { "track \($0.id): \(sentence)" } ?? sentence }

  private var sentence: String {
    switch kind {
    case .timing(let timing, let spans): text(timing, spans)
    case .reordered: "the fragments are not in the order of time; they were put in order"
    case .missingData(let spans): "there is no data for \(missing(spans)); left out"
    case .damagedBox(let type, let error, let next):
      "\(type): \(error); "
        + (next.map { "the next \(type == "moof" ? "box" : "fragment") was found at byte \($0)" }
          ?? "the file is cut off")
    case .damagedInFragment(let path, let error, let time): "\(path): \(error); \(leftOut(path, time))"
    case .notABox(let range, let isLeftOut):
      "\(counted(range.count, "byte")) from byte \(range.lowerBound) on \(range.count == 1 ? "is" : "are") not a box"
        + (isLeftOut ? "; left out" : "")
    case .impossibleRun(let path, let offset, let reason, let time):
      "\(path) at byte \(offset): \(reason); \(samplesLeftOut(time))"
    case .noTrackHeader(let path): "\(path): there is no tfhd before it; its samples are left out"
    case .unknownTrack(let path, let id):
      "\(path): track \(id) is not in the movie box; its fragments are left out"
    case .noPlace(let type, let count):
      "\(counted(count, "\(type) box has", "\(type) boxes have")) no place in a progressive file; left out"
    case .leftOut(let type, let count):
      "\(counted(count, "\(type) box is", "\(type) boxes are")) not carried over"
    case .presented(let amount, let isStart):
      "without an edit list \(time(amount)) at its \(isStart ? "start" : "end") are presented that were hidden"
    case .severalEdits:
      "its edit list presents several parts or another speed; segments are cut and timed by the media, and players of "
        + "segments present the media as it is"
    case .longSegments(let count, let longest):
      "\(counted(count, "segment is", "segments are")) longer than asked for, up to \(longest): there is no "
        + "sync sample to end at"
    case .notCarried(let type, let count):
      "\(counted(count, "\(type) box", "\(type) boxes")) of the track fragments cannot be carried over; left out"
    case .notCarriedOfMovie(let types):
      "what \(types.map(\.description).joined(separator: ", ")) in the movie box says of its samples cannot be "
        + "carried over; left out"
    case .otherEncryption(let count):
      "\(counted(count, "fragment is", "fragments are")) encrypted with other parameters than those of the track, "
        + "which a progressive file cannot say"
    case .undecryptable(let samples):
      "nothing says how its \(counted(samples, "sample is", "samples are")) encrypted (senc, or saiz and "
        + "saio); \(samples == 1 ? "it" : "they") cannot be decrypted from this input"
    case .lostItems(let count):
      "meta/iloc: \(counted(count, "item is", "items are")) not whole in the file; left out"
    case .undescribed(.unknown, let samples):
      "\(counted(samples, "sample names", "samples name")) a sample description that does not exist; the last "
        + "one is taken instead"
    case .undescribed(.zero, let samples):
      "\(counted(samples, "sample names", "samples name")) the sample description 0; that is taken as 1"
    case .emptyTrack: "there are no samples of it; it stays empty"
    case .gapTooLong(_, let time):
      "a gap\(from(time, "at ")) is longer than a sample can last; what follows it comes too early"
    case .rebased(let start, let new):
      "the presentation starts at \(start); all tracks were moved so that it starts at "
        + (new.value == 0 ? "0" : "\(new.value)/\(new.timescale) s, where no start of a track has to be rounded")
    case .roundedStart where track != nil:
      "its start is no whole number of units of 1/\(track?.timescale ?? 1) s and was rounded to the nearest"
    case .roundedStart: "the start of a track could not be expressed in the timescale of the movie and was rounded"
    case .shifted: "without an edit list it is presented at another time than before"
    case .combined(let name):
      "it has a movie box of its own; its tracks are put together with those of \(Self.shortened(name, beside: file))"
    case .equalMovie(let name):
      "its movie box is that of \(name), but its samples at the same times differ; its tracks are added beside those of "
        + "\(name) and do not follow them"
    case .copy(let name): "its movie box and the samples of it are those of \(name); they are used once"
    case .misfit(let movie, let misfit): "it is no segment of \(movie): \(misfit); left out"
    case .staleBases(let count, let first):
      "the base data offset of \(counted(count, "fragment")), the first at byte \(first), is out of date, as after a box "
        + "was inserted; the data was found by counting from the start of the fragment"
    case .otherMovieBox(let type, let name):
      "moov/\(type): the output has that of \(Self.shortened(name, beside: file)); left out"
    case .converted:
      "it is a QuickTime movie; the output is an MP4 file, with the brands and sample descriptions of ISO files"
    case .renamedFormat(let old, let new):
      "its sound is \(old) in QuickTime and \(new) in MP4 files; its bytes stay"
        + (new == "mp4a" ? "" : ". Players that do not know ISO/IEC 23003-5 need a .mov")
    case .quickTimeOnly(let type, let name):
      "\(type) (\(name)) is defined for QuickTime only; it is kept, but players of MP4 files may not play it"
    case .progressive: "the file is not fragmented; it is rewritten with the movie box first"
    case .rebuilt(let problem): "\(problem); the sample tables are re-created"
    case .lostTrack(let error, let samples):
      track == nil
        ? "a track cannot be used: \(error.reason); \(samples > 0 ? "it and its \(counted(samples, "sample")) are" : "it is") left out"
        : "its samples cannot be found: \(error.reason); \(samples > 0 ? "\(counted(samples, "sample")) left out" : "left out")"
    case .segmentsSorted, .segmentGap, .segmentOverlap, .segmentTwice, .overTarget, .other: textOfSegments
    }
  }

  private var textOfSegments: String {
    switch kind {
    case .segmentsSorted(byName: true):
      "the segments overlap in time, as those of two takes do; they are put in the order of their names"
    case .segmentsSorted: "the segments were put in the order of their decode times"
    case .segmentGap(let name, let amount):
      "there is a hole of \(amount) between \(Self.shortened(name, beside: file)) and this segment"
    case .segmentOverlap(let name, let amount):
      "this segment overlaps \(Self.shortened(name, beside: file)) by \(amount)"
    case .segmentTwice(let name, let isSameSize):
      "this segment has the same times as \(name)"
        + (isSameSize ? "; one of them is a duplicate" : ", but is of another size; one of them is of another take")
    case .overTarget(let segment, let duration, let declared, _):
      "\(segment) lasts \(duration), but the playlist has declared at most \(declared) s, which cannot change; "
        + "players may stall"
    case .other(_, let text): text
    default: ""
    }
  }

  /// What is not in the output when a box of a fragment cannot be read.
  private func leftOut(_ path: String, _ time: Int64?) -> String {
    let box = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    if box.starts(with: "trun".utf8) || box.starts(with: "tfhd".utf8) { return samplesLeftOut(time) }
    if box.starts(with: "mfhd".utf8) { return "the number of the fragment is not known" }
    if box.starts(with: "tfdt".utf8) { return "its samples follow those before" }
    // Other boxes only say more of samples, which are kept.
    return "what it says\(ofFragment(time)) is left out"
  }
  private func samplesLeftOut(_ time: Int64?) -> String { "its samples\(ofFragment(time)) are left out" }
  private func ofFragment(_ time: Int64?) -> String { time.map { ", of the fragment at \(self.time($0))," } ?? "" }

  func missing(_ spans: [Span]) -> String {
    guard let first = spans.first else { return "" }
    let samples = counted(spans.reduce(0) { $0 + $1.samples }, "sample")
    let place = "from \(time(first.time)) to \(time(first.time &+ first.duration))"
    return spans.count == 1 ? "\(samples) \(place)" : "\(samples) in \(spans.count) places, the first \(place)"
  }

  private func text(_ timing: Timing, _ spans: [Span]) -> String {
    guard let first = spans.first else { return "" }
    let (count, start) = (spans.count, time(first.time))
    let samples = spans.reduce(0) { $0 + $1.samples }
    switch timing {
    case .gap:
      let sum = time(spans.reduce(0) { $0 &+ $1.duration })
      return count == 1
        ? "there is a gap of \(sum) at \(start); the sample before it was made longer to fill it"
        : "there are \(count) gaps, \(sum) in all, the first at \(start); the samples before them were made longer to "
          + "fill them"
    case .stepBack:
      return count == 1
        ? "a fragment starts at \(start), before the last sample of the one before has ended; that sample was shortened"
        : "\(count) fragments, the first at \(start), start before the last sample of the one before has ended; "
          + "those samples were shortened"
    case .repeated:
      return samples == 1
        ? "1 sample, at \(start), is given twice; it is used once"
        : "\(samples) samples, the first at \(start), are given twice; they are used once"
    case .keptAsAsked:
      return
        "\(counted(samples, "sample")) of later fragments, from \(start) on, \(samples == 1 ? "is" : "are") left out for "
        + "others of the same times"
    case .replaced, .replacedAsAsked:
      return "later fragments replace \(counted(samples, "sample")) from \(start) on with others of the same times"
    case .overrun:
      return
        "by the durations of their samples, \(counted(count, "fragment lasts", "fragments last")) longer than until "
        + "the next one starts; "
        + "such durations are wrong and were scaled to fit"
    case .impossible:
      let what = counted(count, "fragment declares a decode time", "fragments declare decode times")
      return
        "\(what) of 2^61 or more, which no recording reaches; the samples, the first at \(start), follow those before"
    }
  }

  // MARK: Words

  private func time(_ value: Int64) -> MediaTime { track?.time(value) ?? MediaTime(value, 1) }
  private func from(_ time: Int64?, _ word: String) -> String { time.map { " \(word)\(self.time($0))" } ?? "" }

  /// What is left of the name of a file without the folders in which `file` is too, which is named already.
  package static func shortened(_ name: String, beside file: String) -> String {
    let (own, other) = (Array(file.utf8), Array(name.utf8))
    var start = 0
    for index in 0..<min(own.count, other.count) {
      guard own[index] == other[index] else { break }
      // Not the root, and not what stands before the name of a host.
      if own[index] == UInt8(ascii: "/"), index > 0, own[index - 1] != UInt8(ascii: "/") {
        start = own[index - 1] == UInt8(ascii: ":") ? 0 : index + 1
      }
    }
    return start == 0 ? name : String(decoding: other[start...], as: UTF8.self)
  }
}
