import ISOBMFF
import MP4

/// Edit lists in words.
enum EditWords {
  /// A phrase for each edit; none for an edit list that changes nothing.
  static func words(of track: Track) -> [String] {
    let words = phrases(of: track)
    return words == ["from \(MediaTime(0, 1)) to the end"] ? [] : words
  }

  private static func phrases(of track: Track) -> [String] {
    let mediaDuration = track.mediaDuration
    return track.edits.map { edit in
      let length = track.length(of: edit)
      if edit.mediaTime < 0 { return "nothing for \(length)" }
      let start = MediaTime(edit.mediaTime, track.timescale)
      let rate = Int64(edit.mediaRateInteger) << 16 + Int64(UInt16(bitPattern: edit.mediaRateFraction))
      if rate == 0 { return "the picture at \(start) for \(length)" }
      var words = "from \(start)"
      // An edit that was written before fragments followed means all of the media.
      let isWhole = track.edits.count == 1 && track.duration > length
      let isToEnd = edit.segmentDuration == 0 || start + length >= mediaDuration || isWhole
      words += isToEnd ? " to the end" : " for \(length)"
      if rate != 1 << 16 {
        words += " at \(Quantity.decimal(UInt64(max(0, rate)) * 1000 / 65536, 3)) times the normal speed"
      }
      return words
    }
  }
}

extension Track {
  /// How long an edit lasts.
  func length(of edit: EditListBox.Entry) -> MediaTime {
    MediaTime(Int64(clamping: edit.segmentDuration), movieTimescale)
  }
}
