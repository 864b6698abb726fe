import ISOBMFF
import MP4Bytes

/// AV1 or VP9 in an IVF file, or AV1 as a stream of open bitstream units with sizes: AV1 Bitstream & Decoding Process
/// Specification, 5.
struct VideoFrameStream {
  private let source: any ByteSource
  private let isIVF: Bool

  /// A picture, or the pictures of a temporal unit.
  private struct Frame {
    var parts: [Range<Int>] = []
    var isSync = false
    /// Its time in an IVF file.
    var time: Int?

    var byteCount: Int { parts.reduce(0) { $0 + $1.count } }
  }

  init(_ source: any ByteSource, isIVF: Bool) { (self.source, self.isIVF) = (source, isIVF) }

  /// Whether a stream of open bitstream units starts with these bytes: an empty temporal delimiter with a size, and
  /// another unit with a size.
  static func isUnits(_ start: ArraySlice<UInt8>) -> Bool {
    start.starts(with: [0x12, 0])
      && start.dropFirst(2).first.map { [1, 3, 5, 6].contains($0 >> 3) && $0 & 2 != 0 } ?? false
  }

  func movie(
    rate: FrameRate?, onProgress: (Int) -> Bool
  ) throws(MovieError) -> (movie: any ByteSource, diagnostics: [Diagnostic]) {
    var window = ByteWindow(source, readAhead: 1 << 12)
    let head = Array(try io(window.slice(at: 0, count: isIVF ? 32 : 0)))
    var (at, codec): (Int, FourCC) = (0, "AV01")
    var clock: (timescale: UInt32, unit: Int64)?
    if isIVF {
      guard head.count == 32 else { throw .impossible(file: source.name, .noSamples) }
      codec = FourCC(rawValue: head[8..<12].reduce(0) { $0 << 8 | UInt32($1) })
      at = max(32, head[6..<8].littleEndian)
      guard codec == "AV01" || codec == "VP90" else {
        throw .impossible(file: source.name, Obstacle("unsupported_format", "its codec is \(codec), not AV1 or VP9"))
      }
      if rate == nil, head[16..<20].littleEndian > 0, head[20..<24].littleEndian > 0 {
        // As many pictures in a second as the numbers say, for pictures that are a unit of time apart.
        let own = try PictureClock(
          FrameRate(Int64(head[16..<20].littleEndian), Int64(head[20..<24].littleEndian)), source.name)
        clock = (own.timescale, own.duration)
      }
    }
    if let rate {
      let own = try PictureClock(rate, source.name)
      clock = (own.timescale, own.duration)
    }
    guard let clock else {
      throw .impossible(
        file: source.name, Obstacle("no_frame_rate", "it does not declare its frame rate", remedy: .setFrameRate))
    }
    var parts = AssembledMedia.Parts()
    var (diagnostics, lost) = ([Diagnostic](), LostBytes())
    var track: ImportedTrack?
    var held: Frame?
    var lastDuration: Int64 = clock.unit
    var (isCut, readCount) = (false, 0)
    func append(_ next: Frame?) throws(MovieError) {
      guard let frame = held else { return }
      if rate == nil, let own = frame.time, let other = next?.time {
        let (duration, overflow) = Int64(other &- own).multipliedReportingOverflow(by: clock.unit)
        guard !overflow, other > own, duration <= UInt32.max else {
          throw .impossible(file: source.name, Obstacle("times", "its times do not increase"))
        }
        lastDuration = duration
      }
      try track?.append(byteCount: frame.byteCount, duration: lastDuration, isSync: frame.isSync)
    }
    while true {
      guard onProgress(at) else { throw .stopped(file: source.name) }
      var (frame, end): (Frame?, Int)
      var header: [UInt8]?
      if isIVF {
        let head = Array(try io(window.slice(at: at, count: 12)))
        if head.isEmpty { break }
        let range = at + 12..<at + 12 + (head.count == 12 ? head[..<4].littleEndian : 0)
        let last = try io(window.slice(at: range.upperBound - 1, count: 1))
        guard head.count == 12, !last.isEmpty else {
          isCut = true
          break
        }
        end = range.upperBound
        if codec == "AV01" {
          (frame, header, _) = try units(in: range, &window)
        } else {
          frame = try vp9(range, &window)
        }
        frame?.time = head[4..<11].littleEndian
        readCount += 1
      } else {
        let size = source.byteCount ?? .max
        if at >= size { break }
        (frame, header, end) = try units(in: at..<size, &window)
        if frame == nil { end = try nextDelimiter(after: at, &window) ?? end }
      }
      guard let frame, !frame.parts.isEmpty else {
        lost.add(at..<max(at, end))
        if end <= at { break }
        at = end
        continue
      }
      if track == nil {
        let own = try entry(of: source.name) { () throws(MovieWriterError) in
          if codec == "AV01" {
            guard let header else { throw .unreadableHeader("the first frame, which has no sequence header") }
            return try MovieWriter.Track.av1(sequenceHeader: header, timescale: clock.timescale)
          }
          let start: [UInt8]
          do throws(IOError) { start = Array(try window.slice(at: frame.parts[0].lowerBound, count: 32)) } catch {
            throw .io(error)
          }
          return try .vp9(keyframe: start, timescale: clock.timescale, pictureDuration: clock.unit)
        }
        track = try ImportedTrack(own, of: source.name)
      }
      try append(frame)
      held = frame
      for part in frame.parts { parts.append(part) }
      at = end
    }
    try append(nil)
    let effect = isIVF ? "" : "; the pictures after them are presented earlier"
    diagnostics += lost.diagnostics("frames of \(codec)", of: source.name, effect: effect)
    // The number of frames, which is 0 or a guess in files that are still being written.
    let declared = isIVF ? head[24..<28].littleEndian : 0
    if isCut {
      let all = declared > readCount + 1 ? "; it declares \(declared) frames, of which \(readCount) are there" : ""
      let text = "the frame at byte \(at) is cut off or damaged; it and everything after it are omitted\(all)"
      diagnostics.append(Diagnostic(.error, source.name, text))
    }
    guard let track else { throw .impossible(file: source.name, .noSamples) }
    return (try track.movie(AssembledMedia(parts, of: source)), diagnostics)
  }

  /// The units of a temporal unit without its delimiter, the first sequence header, and the end: the next delimiter.
  private func units(
    in range: Range<Int>, _ window: inout ByteWindow
  ) throws(MovieError) -> (Frame?, header: [UInt8]?, end: Int) {
    var (frame, header, at) = (Frame(), [UInt8]?.none, range.lowerBound)
    var hasFrame = false
    /// What was read before bytes that are no unit; in a stream, a frame before them is whole.
    func broken() -> (Frame?, header: [UInt8]?, end: Int) {
      hasFrame && !isIVF ? (frame, header, at) : (nil, nil, range.upperBound)
    }
    while at < range.upperBound {
      let head = Array(try io(window.slice(at: at, count: 16)))
      guard let first = head.first, first & 0x80 == 0 else { return broken() }
      let type = first >> 3 & 15
      if type == 2, at > range.lowerBound { break }
      var (size, used) = (0, first & 4 == 0 ? 1 : 2)
      if first & 2 == 0 {
        // Only in a container, where the size is that of the frame.
        guard isIVF else { return broken() }
        size = range.upperBound - at - used
      } else {
        for shift in 0..<8 {
          guard used < head.count else { return broken() }
          size |= Int(head[used] & 127) << (7 * shift)
          used += 1
          if head[used - 1] & 128 == 0 { break }
        }
      }
      guard size >= 0, size <= range.upperBound - at - used else { return broken() }
      let end = at + used + size
      let last = try io(window.slice(at: end - 1, count: 1))
      if last.isEmpty { return broken() }
      if type == 1, header == nil { header = Array(try io(window.slice(at: at, count: min(end - at, 1 << 12)))) }
      if type == 3 || type == 6, !hasFrame, used < head.count {
        hasFrame = true
        // Shown for the first time, a key frame, and shown: 5.9.2.
        frame.isSync = header != nil && head[used] & 0xf0 == 0x10
      }
      if type != 2 { frame.parts.append(at..<end) }
      at = end
    }
    return (hasFrame ? frame : nil, header, at)
  }

  /// The next temporal delimiter with another unit after it; `nil` if there is none.
  private func nextDelimiter(after start: Int, _ window: inout ByteWindow) throws(MovieError) -> Int? {
    var at = start + 1
    while true {
      let bytes = try io(window.slice(at: at, count: 1 << 16))
      if let found = bytes.indices.dropLast(2).first(where: { bytes[$0] == 0x12 && Self.isUnits(bytes[$0...]) }) {
        return at + found - bytes.startIndex
      }
      guard bytes.count == 1 << 16 else { return nil }
      at += bytes.count - 2
    }
  }

  /// A frame of VP9, or a superframe.
  private func vp9(_ range: Range<Int>, _ window: inout ByteWindow) throws(MovieError) -> Frame? {
    guard let first = try io(window.slice(at: range.lowerBound, count: 1)).first, first >> 6 == 2, !range.isEmpty else {
      return nil
    }
    // Profile 3 has one more bit before these: not shown again, and a key frame.
    let bits = first & 0x30 == 0x30 ? first >> 1 & 3 : first >> 2 & 3
    return Frame(parts: [range], isSync: bits == 0)
  }
}
