import ISOBMFF
import MP4Bytes

/// Places the media of one track of several parts: in decoding order without gaps, and presented so that every part
/// starts in sync.
///
/// The last sample of a track is extended up to the next part, because readers do not agree on empty edits between
/// other edits: ffmpeg presents the first samples of the track again. If the last sample must not be extended, such as
/// that of subtitles, or if samples at the end are hidden, an empty edit fills the gap.
struct TrackSeams {
  /// The edits so far.
  private(set) var edits: [EditPlan.PlacedEdit] = []
  /// The decode time at which each part starts; `nil` for parts without samples of their own.
  private(set) var starts: [Int64?] = []
  /// The longest extension of a last sample, and the index of its part.
  private(set) var longestExtension: (time: MediaTime, part: Int)?
  /// Whether there is an empty edit after another edit.
  private(set) var hasInnerGap = false
  /// Whether an edit list is needed.
  private(set) var isNeeded = false
  private let timescale: UInt32
  /// The presentation time after the edits so far.
  private var clock = MediaTime(0, 1)
  /// The end of the media so far, and the largest composition end in it.
  private var end: Int64 = 0
  private var compositionEnd: Int64 = 0
  /// The maximum extension of the last sample, and its current extension.
  private var room: Int64 = 0
  private var extended: Int64 = 0
  private var lastDuration: Int64 = 0
  private var canExtend = false

  /// An empty track with this timescale.
  init(timescale: UInt32) { self.timescale = timescale }

  /// The number of edits that present media.
  var mediaEditCount: Int { edits.count { $0.entry.mediaTime >= 0 } }
  /// The duration of the media.
  var duration: Int64 { end }

  /// Adds a part that has no samples of the track.
  mutating func skip() { starts.append(nil) }

  /// The decode time at which the samples of a part have to start so that its first edit continues the last one, and
  /// the index of the part with that edit; `nil` if there is a gap between them, or if the samples would not overlap or
  /// start before that part.
  func continuation(of track: ConcatenationPart.Track, at time: MediaTime) -> (time: Int64, part: Int)? {
    guard let last = edits.last, let first = track.edits.first, let media = first.media, first.isPlain,
      media >= track.compositionStart, last.end == time,
      let part = starts.lastIndex(where: { $0 != nil }), let start = starts[part], last.mediaEnd - media >= start,
      last.mediaEnd - media < end
    else { return nil }
    return (last.mediaEnd - media, part)
  }

  /// Adds a part that starts at `time`, and whose first samples can repeat the last ones of the previous part. Returns
  /// `false` if the track becomes too long.
  mutating func append(_ track: ConcatenationPart.Track, at time: MediaTime, _ repetition: Repetition? = nil) -> Bool {
    var begin = time
    let empty = track.edits.prefix { $0.media == nil }
    for edit in empty { begin = begin + edit.duration }
    var shown = Array(track.edits.dropFirst(empty.count))
    // Media before the first composition time is empty too.
    if let first = shown.first, let media = first.media, first.isPlain, media < track.compositionStart, !edits.isEmpty {
      let lead = min(MediaTime(track.compositionStart - media, timescale), first.duration)
      begin = begin + lead
      (shown[0].media, shown[0].duration) = (track.compositionStart, first.duration - lead)
    }
    if !shown.isEmpty { fill(until: begin) }
    // Composition times of two parts must not overlap, because edits refer to them.
    let needed = starts.contains { $0 != nil } ? compositionEnd - track.compositionStart - (end + extended) : 0
    if repetition == nil, needed > 0 { extended += min(needed, max(0, room - extended)) }
    let start = repetition?.start ?? end + extended
    guard start + max(track.mediaDuration, track.compositionEnd) <= TrackTimeline.limit else { return false }
    for edit in shown { add(edit, start) }
    isNeeded = isNeeded || track.hasEdits
    if let repetition, repetition.isWhole {
      skip()
      return true
    }
    starts.append(start)
    end = start + track.mediaDuration
    compositionEnd = max(compositionEnd, start + track.compositionEnd)
    (room, extended, lastDuration) = (Int64(UInt32.max) - track.lastDuration, 0, track.lastDuration)
    canExtend = track.lastCanLast
    return true
  }

  /// Extends the last sample, or adds an empty edit, up to a presentation time.
  private mutating func fill(until time: MediaTime) {
    guard time > clock else { return }
    defer { clock = time }
    var gap = EditPlan.PlacedEdit(start: clock, end: time, entry: EditListBox.Entry())
    gap.entry.mediaTime = -1
    guard let last = edits.last, last.entry.mediaTime >= 0 else {
      if let last = edits.indices.last {
        edits[last].end = time
      } else {
        edits.append(gap)
      }
      return
    }
    // The rest of the last sample, such as the padding of audio, can be presented; other hidden samples cannot.
    let mediaEnd = last.entry.mediaTime + (time - last.start).converted(to: timescale).value
    let addition = max(0, mediaEnd - compositionEnd)
    guard canExtend, last.mediaEnd >= 0, compositionEnd - last.mediaEnd < max(1, lastDuration), addition <= room else {
      hasInnerGap = true
      return edits.append(gap)
    }
    let lasting = MediaTime(addition, timescale)
    if addition > 0, longestExtension.map({ $0.time < lasting }) ?? true {
      longestExtension = (lasting, starts.count - 1)
    }
    extended = addition
    compositionEnd += addition
    edits[edits.count - 1].end = time
    edits[edits.count - 1].mediaEnd = max(last.mediaEnd, mediaEnd)
  }

  private mutating func add(_ edit: ConcatenationPart.Edit, _ start: Int64) {
    guard let media = edit.media else { return fill(until: clock + edit.duration) }
    var placed = EditPlan.PlacedEdit(start: clock, end: clock + edit.duration, entry: edit.entry)
    placed.entry.mediaTime = start + media
    clock = placed.end
    if edit.isPlain { placed.mediaEnd = start + media + edit.duration.converted(to: timescale).value }
    if let last = edits.last, edit.isPlain, last.mediaEnd == placed.entry.mediaTime, last.end == placed.start {
      edits[edits.count - 1].end = placed.end
      edits[edits.count - 1].mediaEnd = placed.mediaEnd
    } else {
      edits.append(placed)
    }
  }

  /// The composition times that the edits present; `nil` if they present everything.
  var presented: [Range<Int64>]? {
    written.isEmpty
      ? nil
      : written.filter { $0.entry.mediaTime >= 0 }.map {
        $0.entry.mediaTime..<max($0.entry.mediaTime, $0.mediaEnd < 0 ? .max : $0.mediaEnd)
      }
  }

  /// The edits to write; none if all media is presented from the start.
  var written: [EditPlan.PlacedEdit] {
    guard !isNeeded, edits.count == 1, edits[0].entry.mediaTime == 0, edits[0].mediaEnd >= compositionEnd else {
      return edits
    }
    return []
  }
}

extension ConcatenationPart.Track {
  /// Whether its last sample can be extended: video, audio, a timecode, a chapter, or an empty cue.
  fileprivate var lastCanLast: Bool {
    switch properties.handler {
    case "vide", "soun", "tmcd": true
    // A `tx3g` sample without text consists of a length of 0; `wvtt` has an empty box (`vtte`).
    case "text", "sbtl", "subt": properties.isChapters == true || lastSize == 2 || lastSize == 8
    default: false
    }
  }
}
