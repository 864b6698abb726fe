import ISOBMFF
import MP4

/// Edit lists in words.
enum EditWords {
  /// A phrase for each edit; empty if the edit list has no effect.
  static func words(of track: Track) -> [String] { TrackSummary.Edit.list(of: track).map(\.words) }
}

extension TrackSummary.Edit {
  /// The edits of a track; empty if the edit list has no effect.
  static func list(of track: Track) -> [Self] {
    let edits = track.edits.map { Self($0, of: track) }
    return edits.map(\.words) == ["from \(MediaTime(0, 1)) to the end"] ? [] : edits
  }

  private init(_ edit: EditListBox.Entry, of track: Track) {
    let length = track.length(of: edit)
    let rate = Int64(edit.mediaRateInteger) << 16 + Int64(UInt16(bitPattern: edit.mediaRateFraction))
    speed = Int(max(0, rate) * 1000 / 65536)
    guard edit.mediaTime >= 0 else {
      (mediaTime, duration, words) = (nil, length, "nothing for \(length)")
      return
    }
    let start = MediaTime(edit.mediaTime, track.timescale)
    mediaTime = start
    if rate == 0 {
      (duration, words) = (length, "the picture at \(start) for \(length)")
      return
    }
    // An edit that was written before fragments were added covers all of the media.
    let isWhole = track.edits.count == 1 && track.duration > length
    // Durations are rounded to movie time units.
    let end = start + length + MediaTime(1, track.movieTimescale)
    let isToEnd = edit.segmentDuration == 0 || end > track.compositionEnd || isWhole
    duration = isToEnd ? nil : length
    let speedWords = rate == 1 << 16 ? "" : " at \(Quantity.decimal(UInt64(speed), 3)) times the normal speed"
    words = "from \(start) " + (isToEnd ? "to the end" : "for \(length)") + speedWords
  }
}

extension Track {
  /// The duration of an edit.
  func length(of edit: EditListBox.Entry) -> MediaTime {
    MediaTime(Int64(clamping: edit.segmentDuration), movieTimescale)
  }
}
