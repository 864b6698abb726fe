import ISOBMFF
import MP4Bytes

/// The timecode of the first picture, as people write it: `01:00:00:00`, or `01:00:00;00` with dropped frames.
public struct StartTimecode: Hashable, Sendable, LosslessStringConvertible {
  /// The hours, from 0 to 23.
  public var hours: Int
  /// The minutes.
  public var minutes: Int
  /// The seconds.
  public var seconds: Int
  /// The frames.
  public var frames: Int
  /// Whether numbers are dropped to keep 29.97 or 59.94 frames per second in step with a clock: SMPTE ST 12-1.
  public var dropsFrames: Bool

  /// A timecode of these numbers.
  public init(_ hours: Int, _ minutes: Int, _ seconds: Int, _ frames: Int, dropsFrames: Bool = false) {
    (self.hours, self.minutes, self.seconds, self.frames) = (hours, minutes, seconds, frames)
    self.dropsFrames = dropsFrames
  }

  /// A timecode from its text: four numbers of at most three digits. `;` or `.` before the frames, or `df` after them,
  /// means dropped frames.
  public init?(_ text: String) {
    let isMarked = text.hasSuffix("df") || text.hasSuffix("DF")
    let digits = isMarked ? text.dropLast(2) : text[...]
    let separators = digits.filter { !("0"..."9").contains($0) }
    guard [":::", "::;", "::.", ";;;"].contains(separators) else { return nil }
    let numbers = digits.split(omittingEmptySubsequences: false) { separators.contains($0) }
    guard numbers.count == 4, numbers.allSatisfy({ 1...3 ~= $0.utf8.count }) else { return nil }
    let values = numbers.compactMap { Int($0) }
    guard values.count == 4 else { return nil }
    self.init(values[0], values[1], values[2], values[3], dropsFrames: isMarked || separators != ":::")
  }

  /// Two digits for each number.
  public var description: String {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return [hours, minutes, seconds].map(digits).joined(separator: ":") + (dropsFrames ? ";" : ":") + digits(frames)
  }
}

/// A timecode track with one sample, which counts from the first picture on.
struct TimecodeTrack {
  private let format: TimecodeSampleEntry
  private let reel: String?
  /// The duration of its sample: a number of complete frames.
  private let sampleDuration: UInt32
  /// When the first picture is presented.
  private let delay: MediaTime
  /// The frame number, as the only sample.
  let media: [UInt8]

  /// A track that begins after `delay`, and ends with a complete frame after `duration`.
  init(
    _ start: StartTimecode, _ rate: FrameRate, reel: String?, delay: MediaTime, duration: MediaTime
  ) throws(Obstacle) {
    guard let scale = UInt32(exactly: rate.numerator), let length = UInt32(exactly: rate.denominator), length > 0,
      scale >= length,
      case let rounded = (Int64(scale) + Int64(length) - 1) / Int64(length), let count = UInt8(exactly: rounded),
      count > 0
    else { throw Obstacle("timecode_rate", "timecodes count 1 to 255 frames per second, not \(Self.text(rate))") }
    var entry = TimecodeSampleEntry()
    (entry.timeScale, entry.frameDuration, entry.numberOfFrames) = (scale, length, count)
    // Timecodes wrap after 24 hours.
    entry.flags = 2
    // As QuickTime and ffmpeg write and read it, although the documentation says 24 bits.
    entry.hasLongReserve = false
    if start.dropsFrames {
      guard rounded % 30 == 0, rate.numerator * 1001 == rounded * 1000 * rate.denominator else {
        let text =
          "timecodes drop frames only at 29.97 frames per second and its multiples, and the rate is \(Self.text(rate))"
          + "; write \(StartTimecode(start.hours, start.minutes, start.seconds, start.frames)) instead of \(start)"
        throw Obstacle("timecode_drop", text)
      }
      entry.flags |= 1
    }
    guard 0..<24 ~= start.hours, 0..<60 ~= start.minutes, 0..<60 ~= start.seconds else {
      throw Obstacle("timecode_number", "\(start) is no timecode: hours end at 23, minutes and seconds at 59")
    }
    guard let format = TimecodeFormat(entry),
      let number = format.number(start.hours, start.minutes, start.seconds, start.frames)
    else {
      let dropped = start.dropsFrames ? "; drop-frame timecodes leave out the first numbers of most minutes" : ""
      throw Obstacle("timecode_number", "\(start) is no timecode at \(Self.text(rate)) frames per second\(dropped)")
    }
    (self.format, self.reel) = (entry, reel)
    let units = max(0, duration.converted(to: scale).value)
    let frames = max(1, units / Int64(length) + (units % Int64(length) > 0 ? 1 : 0))
    let (whole, isTooLong) = frames.multipliedReportingOverflow(by: Int64(length))
    guard !isTooLong, let sample = UInt32(exactly: whole) else {
      throw Obstacle("timecode_duration", "a timecode of more than \(UInt32.max / scale) seconds is not possible")
    }
    (sampleDuration, self.delay) = (sample, delay)
    media = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  static func text(_ rate: FrameRate) -> String {
    rate.denominator == 1 ? "\(rate.numerator)" : "\(rate.numerator)/\(rate.denominator)"
  }

  /// The track box.
  func box(_ place: MovieEditor.NewTrack) -> Box {
    var (header, media, handler) = (TrackHeaderBox(), MediaHeaderBox(), HandlerBox())
    func inMovie(_ time: MediaTime) -> UInt64 { UInt64(max(0, time.converted(to: place.movieTimescale).value)) }
    let own = inMovie(MediaTime(Int64(sampleDuration), format.timeScale))
    var edits: [EditListBox.Entry] = []
    if inMovie(delay) > 0 {
      edits = [
        EditListBox.Entry(segmentDuration: inMovie(delay), mediaTime: -1),
        EditListBox.Entry(segmentDuration: own, mediaTime: 0),
      ]
    }
    (header.trackID, header.duration) = (place.id, inMovie(delay) + own)
    (media.timescale, media.duration) = (format.timeScale, UInt64(sampleDuration))
    handler.handlerType = "tmcd"
    if place.isQuickTime {
      handler.preDefined = "mhlr"
      handler.name = BoxString(Array("Timecode".utf8), form: .counted)
    }
    var stts = TimeToSampleBox()
    stts.entries = BoxTable([
      TimeToSampleBox.Entry(sampleCount: 1, sampleDelta: sampleDuration)
    ])
    let table = [Box(stts)] + TrackBoxes.chunks([(description: 1, sizes: [4])], at: place.offset)
    let entry = Box(format, boxes: reel.map { [Self.name($0)] } ?? [])
    var trak = TrackBoxes.track(header, edits: edits, media, handler, TrackBoxes.description(entry), table: table)
    trak.edit("mdia", "minf") { minf in
      minf.edit("nmhd") { $0 = Self.mediaHeader }
      if place.isQuickTime, let dataHandler = place.dataHandler { minf.boxes.insert(dataHandler, at: 1) }
    }
    return trak
  }

  /// The reel: a text of QuickTime user data, with its size and language.
  private static func name(_ reel: String) -> Box {
    let text = Array(reel.utf8.prefix(Int(UInt16.max)))
    return Box("name", bytes: [UInt8(text.count >> 8), UInt8(text.count & 0xff), 0, 0] + text)
  }

  private static var mediaHeader: Box {
    // Version and flags, graphics mode (dither copy), opcolor (gray), balance.
    let gmin = Box("gmin", bytes: [0, 0, 0, 0, 0, 0x40, 0x80, 0, 0x80, 0, 0x80, 0, 0, 0, 0, 0])
    // Version and flags, font, face, size 12, reserved, white text on black, no font name.
    let tcmi = Box(
      "tcmi",
      bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0])
    return Box("gmhd", boxes: [gmin, Box("tmcd", boxes: [tcmi])])
  }
}
