import MP4Bytes

/// Bytes between the frames of a stream that are no frames, and how much sound is missing there.
///
/// The number of missing frames is that of as many bytes of the frames around, rounded: it is exact if all frames have
/// the same size and no byte was lost. The frame before lasts longer, so that the sound after it keeps its time.
struct FrameGaps {
  private struct Gap {
    /// The number of frames before it.
    var place: Int
    var byteCount: Int
    /// The number of frames that are missing.
    var frames = 0
  }
  private var gaps: [Gap] = []
  private var firstByte: Int?
  private var byteCount = 0
  /// The number of bytes before the first frame.
  private(set) var leading = 0
  /// The number of missing frames.
  private(set) var frameCount = 0
  /// Whether all frames have the same size, and the bytes are that of whole frames.
  private var (isConstant, isExact) = (false, true)

  /// Records bytes after a number of frames; they are a frame that is cut off, or not.
  mutating func add(_ range: Range<Int>, after place: Int, isFrame: Bool = false) {
    if range.isEmpty { return }
    if place == 0 { return leading += range.count }
    firstByte = firstByte ?? range.lowerBound
    byteCount += range.count
    if let last = gaps.indices.last, gaps[last].place == place {
      gaps[last].byteCount += range.count
    } else {
      gaps.append(Gap(place: place, byteCount: range.count))
    }
    if isFrame { gaps[gaps.count - 1].frames = 1 }
  }

  /// The number of frames on each side whose size counts.
  private static let neighbors = 32

  /// Computes how many frames are missing, of which each has a duration. `sizes` are those of all frames without their
  /// headers.
  mutating func measure(_ sizes: [UInt32], header: Int, duration: Int64) {
    let (least, most) = (Int(sizes.min() ?? 0) + header, Int(sizes.max() ?? 0) + header)
    // Frames of a constant bit rate have padding of one or two bytes.
    isConstant = most - least <= 2
    let limit = max(0, Int(UInt32.max) / Int(max(1, duration)) - 1)
    for index in gaps.indices {
      let (place, bytes) = (gaps[index].place, gaps[index].byteCount)
      let around = sizes[max(0, place - Self.neighbors)..<min(sizes.count, place + Self.neighbors)]
      let size = max(1, around.reduce(0) { $0 + Int($1) + header } / max(1, around.count))
      let isCut = gaps[index].frames == 1 && bytes < most
      let count = isCut ? 1 : min((bytes + size / 2) / size, limit)
      gaps[index].frames = count
      frameCount += count
      if !isCut, !isConstant || !(count * least...count * most ~= bytes) { isExact = false }
    }
  }

  /// The number of frames that are missing after each frame, in order; only frames after which some are missing.
  var missing: [(frame: Int, count: Int)] { gaps.map { ($0.place - 1, $0.frames) } }

  /// The number of places that are listed.
  private static let listed = 8

  /// What was omitted, in a stream of `count` frames. Times count from the end of `trim`.
  func diagnostics(
    _ format: ElementaryStreamFormat, of file: String, count: Int, duration: Int64, timescale: UInt32, trim: MediaTime
  ) -> [Diagnostic] {
    var result: [Diagnostic] = []
    if leading > 0 {
      let text =
        "the \(counted(leading, "byte")) before the first frame of \(format) are omitted; the sound starts with that "
        + "frame"
      result.append(Diagnostic(.warning, file, text))
    }
    guard let firstByte else { return result }
    var (missing, places, more): (Int64, [String], Int) = (0, [], 0)
    for gap in gaps where gap.frames > 0 {
      let start = MediaTime((Int64(gap.place) + missing) * duration, timescale) - trim
      missing += Int64(gap.frames)
      guard places.count < Self.listed else {
        more += 1
        continue
      }
      let isEnd = gap.place == count
      places.append("\(MediaTime(Int64(gap.frames) * duration, timescale)) at \(isEnd ? "the end" : "\(start)")")
    }
    let list = places.joined(separator: ", ") + (more > 0 ? " and at \(counted(more, "more place"))" : "")
    let isWithin = gaps.contains { $0.place < count && $0.frames > 0 }
    let constant = isConstant ? " (all frames have the same size)" : ""
    let rule = isExact ? constant : " (estimated from the size of the frames around)"
    let effect =
      places.isEmpty
      ? "by their size, no whole frame is missing"
      : "sound is missing: \(list)\(rule)"
        + (isWithin ? "; the sound after it keeps its time, because the frame before lasts longer" : "")
    let doubt = isExact ? "" : ". If the file lost bytes there, the sound after it is too early"
    let text =
      "\(counted(byteCount, "byte")), the first at byte \(firstByte), are no frames of \(format) and are omitted; "
      + "\(effect)\(doubt)"
    result.append(Diagnostic(.error, file, text))
    return result
  }

  /// What was omitted in a stream whose packets have times.
  func diagnostics(_ format: ElementaryStreamFormat, of file: String) -> [Diagnostic] {
    guard leading + byteCount > 0 else { return [] }
    let text =
      "\(counted(leading + byteCount, "byte")) of \(format) are no frames and are omitted; the sound after "
      + "them keeps its time"
    return [Diagnostic(firstByte == nil ? .warning : .error, file, text)]
  }
}
