import ISOBMFF
import MP4Bytes

/// A stream of audio frames that start with a sync word and declare their size: AAC in ADTS and LATM, AC-3, E-AC-3, and
/// MPEG audio.
struct AudioFrames {
  /// The header of a frame.
  struct Frame {
    /// The size of the frame with its header.
    var byteCount: Int
    /// The number of bytes before the sample: the header of ADTS, which MP4 omits.
    var headerSize = 0
    /// The number of samples of each channel.
    var duration: Int64
    /// Whether the frame belongs to the same sample as the one before it: a further substream of E-AC-3.
    var continues = false
    /// The fields that are equal in all frames of a stream.
    var format: [Int]
  }

  let format: ElementaryStreamFormat
  private let source: any ByteSource

  /// Frames of a format, which is that of ADTS, LATM, AC-3, E-AC-3 or MPEG audio.
  init(_ source: any ByteSource, _ format: ElementaryStreamFormat) { (self.source, self.format) = (source, format) }

  /// The format of frames that start with these bytes: two frames, or one that ends with them. MPEG audio and AAC
  /// follow ID3 tags.
  static func format(of start: ArraySlice<UInt8>, isWhole: Bool) -> ElementaryStreamFormat? {
    formats.first { format in
      guard let frame = frame(start, format) else { return false }
      let rest = start.dropFirst(frame.byteCount)
      if rest.count < 16 { return isWhole || frame.byteCount > start.count }
      return self.frame(rest, format)?.format == frame.format || isTag(rest)
    }
  }

  private static let formats: [ElementaryStreamFormat] = [.ac3, .eac3, .adts, .latm, .mp3]
  /// How many bytes before the first frame are searched, and how many frames must then follow, so that no other file
  /// counts as sound.
  private static let (searched, followers) = (1 << 16, 16)

  /// Whether a sync word can start with this byte.
  private static func isSync(_ byte: UInt8) -> Bool { byte == 0xff || byte == 0x0b || byte == 0x56 }

  /// Where frames start after bytes of another kind: many frames, or all up to the end. `nil` if `offset` is the start
  /// of frames, or if the file is of a kind that contains streams.
  static func laterStart(
    from offset: Int, in source: any ByteSource
  ) throws(MovieError) -> (format: ElementaryStreamFormat, offset: Int)? {
    var window = ByteWindow(source, readAhead: 0)
    let head = try io(window.slice(at: 0, count: 8))
    let containers: [[UInt8]] = [Array("RIFF".utf8), [0x1a, 0x45, 0xdf, 0xa3]]
    let boxes = ["uuid", "meta"].contains { head.dropFirst(4).elementsEqual($0.utf8) }
    guard !boxes, FileBox(startOf: head) == nil, !containers.contains(where: { head.starts(with: $0) }) else {
      return nil
    }
    let bytes = try io(window.slice(at: offset, count: searched))
    if format(of: bytes, isWhole: true) != nil { return nil }
    for index in bytes.indices where isSync(bytes[index]) {
      for format in formats {
        guard let first = frame(bytes[index...], format) else { continue }
        var (at, count, rest) = (offset + index - bytes.startIndex, 0, bytes[index...])
        while count < followers, let frame = frame(rest, format), frame.format == first.format {
          at += frame.byteCount
          count += 1
          rest = try io(window.slice(at: at - 1, count: 17)).dropFirst()
        }
        if count == followers || count > 1 && (rest.isEmpty || isTag(rest)) {
          return (format, offset + index - bytes.startIndex)
        }
      }
    }
    return nil
  }

  /// The size of the ID3 tag at the start of `bytes`; `nil` if there is none.
  static func tagSize(_ bytes: ArraySlice<UInt8>) -> Int? {
    let head = Array(bytes.prefix(10))
    guard head.count == 10, head.starts(with: "ID3".utf8), head[6...].allSatisfy({ $0 < 0x80 }) else { return nil }
    return 10 + head[6...].reduce(0) { $0 << 7 | Int($1) } + (head[5] & 0x10 != 0 ? 10 : 0)
  }

  /// Whether a tag starts there that can follow the last frame.
  private static func isTag(_ bytes: ArraySlice<UInt8>) -> Bool {
    ["TAG", "APETAGEX", "LYRICSBEGIN", "ID3"].contains { bytes.starts(with: $0.utf8) }
  }

  /// The size of a tag: ID3 in both versions, APE, or Lyrics3, which is at the end of a file; `nil` if there is none.
  private func tagSize(at offset: Int, _ head: ArraySlice<UInt8>, _ window: inout ByteWindow) throws(MovieError) -> Int?
  {
    guard Self.isTag(head) else { return nil }
    if let size = Self.tagSize(head) { return size }
    if head.starts(with: "TAG".utf8) { return 128 }
    if head.starts(with: "APETAGEX".utf8) {
      let size = try io(window.slice(at: offset + 12, count: 4)).littleEndian
      // The size does not include this header.
      return 32 + size
    }
    return max(1, (source.byteCount ?? offset + 1) - offset)
  }

  private static func frame(_ bytes: ArraySlice<UInt8>, _ format: ElementaryStreamFormat) -> Frame? {
    let head = Array(bytes.prefix(16))
    guard head.count >= 8 else { return nil }
    return switch format {
    case .adts: adts(head)
    case .latm: latm(head)
    case .ac3: ac3(head)
    case .eac3: enhanced(head)
    default: mpeg(head)
    }
  }

  // MARK: The movie

  /// The stream as a movie. Bytes between frames are lost; the sound after them keeps its time.
  func movie(
    isQuickTime: Bool, onProgress: (Int) -> Bool
  ) throws(MovieError) -> (movie: any ByteSource, diagnostics: [Diagnostic]) {
    let result = try track(isQuickTime: isQuickTime, onProgress: onProgress)
    return (try result.track.movie(result.media), result.diagnostics)
  }

  /// The stream as a track, with the times of the packets of a transport stream if there are any.
  func track(
    isQuickTime: Bool, timedBy table: PacketTable? = nil, onProgress: (Int) -> Bool
  ) throws(MovieError) -> TransportedTrack {
    var window = ByteWindow(source, readAhead: 1 << 16)
    var (parts, sizes, gaps) = (AssembledMedia.Parts(areBits: format == .latm), [UInt32](), FrameGaps())
    var at = 0
    while let size = Self.tagSize(try io(window.slice(at: at, count: 10))) { at += size }
    if let later = try Self.laterStart(from: at, in: source), later.format == format {
      gaps.add(at..<later.offset, after: 0)
      at = later.offset
    }
    var first: Frame?
    var track: ImportedTrack?
    var trim = MediaTime(0, 1)
    // The frames of the latest sample, which are kept when something that can follow them was found.
    var sample: [(bytes: Range<Int>, header: Int)] = []
    // Those of LATM are samples, which start within bytes; their configuration can change only if it stays the same.
    // Where each sample starts, if its time is in a packet.
    var starts: [Int] = []
    var (payloads, mux, latest): ([Range<Int>], StreamMuxConfig?, StreamMuxConfig?) = ([], nil, nil)
    var gapless: MPEGAudioInfo?
    func keep() {
      guard let place = sample.first?.bytes.lowerBound else { return }
      if table != nil { starts += Array(repeating: place, count: format == .latm ? payloads.count : 1) }
      if format == .latm {
        for payload in payloads {
          parts.append(bit: payload.lowerBound, byteCount: payload.count / 8)
          sizes.append(UInt32(payload.count / 8))
        }
        return sample = []
      }
      for frame in sample { parts.append((frame.bytes.lowerBound + frame.header)..<frame.bytes.upperBound) }
      sizes.append(UInt32(clamping: sample.reduce(0) { $0 + $1.bytes.count - $1.header }))
      sample = []
    }
    while true {
      let head = try io(window.slice(at: at, count: 16))
      if head.isEmpty { break }
      guard onProgress(at) else { throw .stopped(file: source.name) }
      var frame = try completeFrame(head, at: at, first, &window)
      var own: [Range<Int>] = []
      if format == .latm, let whole = frame {
        let element = try io(window.slice(at: at + 3, count: whole.byteCount - 3))
        do throws(StreamMuxConfig.Problem) {
          own = try StreamMuxConfig.payloads(of: element, &latest).map {
            $0.lowerBound + 8 * (at + 3)..<$0.upperBound + 8 * (at + 3)
          }
          if mux == nil { mux = latest }
          if latest?.audioSpecificConfig != mux?.audioSpecificConfig { frame = nil }
        } catch {
          if error == .unsupported, mux == nil {
            let text = "its LATM has several programs or layers, or another codec than AAC"
            throw .impossible(file: source.name, Obstacle("unsupported_format", text))
          }
          frame = nil
        }
        if let mux, let length = mux.duration { frame?.duration = length }
      }
      guard let frame, !frame.continues || !sample.isEmpty else {
        // Files that were concatenated have tags between their frames.
        if let size = try tagSize(at: at, head, &window) {
          at += size
          continue
        }
        var start = at
        if let last = sample.last?.bytes, last.upperBound == at {
          // The frame before is damaged if another one starts within it.
          let next = try next(after: last.lowerBound, before: at, first, &window)
          if next < at {
            sample.removeLast()
            (start, at) = (last.lowerBound, next)
          }
        }
        if at == start { at = try next(after: at, before: .max, first, &window) }
        keep()
        gaps.add(start..<at, after: sizes.count, isFrame: Self.frame(head, format) != nil)
        continue
      }
      defer { at += frame.byteCount }
      if first == nil {
        first = frame
        let bytes = try io(window.slice(at: at, count: frame.byteCount))
        if format == .mp3, let info = MPEGAudioInfo(bytes) {
          // The frame with information about the others has no sound.
          gapless = info
          continue
        }
      }
      if track == nil {
        let bytes = try io(window.slice(at: at, count: frame.byteCount))
        let description = try description(bytes, frame, gapless, mux, isQuickTime, &window, at)
        trim = description.trim
        track = try ImportedTrack(description, of: source.name)
      }
      if !frame.continues { keep() }
      payloads = own
      sample.append((at..<at + frame.byteCount, frame.headerSize))
    }
    keep()
    guard var track, let first else { throw .impossible(file: source.name, .noSamples) }
    gaps.measure(sizes, header: first.headerSize, duration: first.duration)
    let media = AssembledMedia(parts, of: source)
    if let table {
      return try timed(table, starts, sizes, track, gaps, first.duration, media)
    }
    var missing = gaps.missing[...]
    for (index, size) in sizes.enumerated() {
      var duration = first.duration
      if let gap = missing.first, gap.frame == index {
        missing.removeFirst()
        if index < sizes.count - 1 { duration += Int64(gap.count) * first.duration }
      }
      try track.append(byteCount: Int(size), duration: duration)
    }
    // The end of a file to which another one was appended is presented.
    if let count = gapless?.frameCount, count != sizes.count + gaps.frameCount { track.presentAll() }
    let diagnostics = gaps.diagnostics(
      format, of: source.name, count: sizes.count, duration: first.duration, timescale: track.timescale, trim: trim)
    return TransportedTrack(track: track, media: media, start: 0, diagnostics: diagnostics)
  }

  /// The track of frames in a transport stream.
  private func timed(
    _ table: PacketTable, _ starts: [Int], _ sizes: [UInt32], _ track: consuming ImportedTrack, _ gaps: FrameGaps,
    _ duration: Int64, _ media: any ByteSource
  ) throws(MovieError) -> TransportedTrack {
    guard
      let times = TimedFrames(
        table.times(ofSamplesAt: starts), duration: duration, timescale: track.timescale, missing: gaps.missing)
    else { throw .impossible(file: source.name, .noSamples) }
    for (index, size) in sizes.enumerated() {
      try track.append(byteCount: Int(size), duration: times.duration(index, usual: duration))
    }
    return TransportedTrack(
      track: track, media: media, start: times.first,
      diagnostics: gaps.diagnostics(format, of: source.name) + times.diagnostics(of: source.name))
  }

  /// The frame at an offset, if it is of the same format as the first one, and not cut off.
  private func completeFrame(
    _ head: ArraySlice<UInt8>, at offset: Int, _ first: Frame?, _ window: inout ByteWindow
  ) throws(MovieError) -> Frame? {
    guard let frame = Self.frame(head, format), first == nil || frame.format == first?.format,
      try io(window.slice(at: offset, count: frame.byteCount)).count == frame.byteCount
    else { return nil }
    return frame
  }

  /// The next place after `offset` where a frame starts that is followed by another, or by the end; `end` if there is
  /// none before.
  private func next(
    after offset: Int, before end: Int, _ first: Frame?, _ window: inout ByteWindow
  ) throws(MovieError) -> Int {
    var at = offset + 1
    while at < end {
      let bytes = try io(window.slice(at: at, count: 1 << 12))
      guard bytes.count > 16 else { return min(end, at + bytes.count) }
      for start in bytes.indices.dropLast(15) where Self.isSync(bytes[start]) {
        let place = at + start - bytes.startIndex
        guard place < end, let frame = Self.frame(bytes[start...], format),
          first == nil || frame.format == first?.format
        else { continue }
        var other = ByteWindow(source, readAhead: 0)
        let rest = try io(other.slice(at: place + frame.byteCount - 1, count: 17))
        if rest.count == 1 || Self.frame(rest.dropFirst(), format)?.format == frame.format { return place }
      }
      at += bytes.count - 15
    }
    return end
  }

  // MARK: Headers

  private static let frequencies = [
    96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
  ]

  /// ISO/IEC 14496-3, 1.A.2.2. The number of blocks in a frame is part of the format, because only one is supported.
  private static func adts(_ b: [UInt8]) -> Frame? {
    guard b[0] == 0xff, b[1] & 0xf6 == 0xf0 else { return nil }
    let frequency = Int(b[2] >> 2 & 15)
    let size = Int(b[3] & 3) << 11 | Int(b[4]) << 3 | Int(b[5] >> 5)
    let header = b[1] & 1 == 1 ? 7 : 9
    guard frequency < frequencies.count, size > header, b[6] & 3 == 0 else { return nil }
    let channels = Int(b[2] & 1) << 2 | Int(b[3] >> 6)
    return Frame(
      byteCount: size, headerSize: header, duration: 1024, format: [Int(b[2] >> 6), frequency, channels])
  }

  /// ISO/IEC 14496-3, 1.7.2. The duration is in the configuration within the frames.
  private static func latm(_ b: [UInt8]) -> Frame? {
    guard b[0] == 0x56, b[1] & 0xe0 == 0xe0 else { return nil }
    let size = Int(b[1] & 31) << 8 | Int(b[2])
    return size > 0 ? Frame(byteCount: size + 3, headerSize: 3, duration: 1024, format: []) : nil
  }

  /// ETSI TS 102 366, 4.3.
  private static func ac3(_ b: [UInt8]) -> Frame? {
    FrameSyntax.ac3.byteCount(b[...]).map {
      Frame(byteCount: $0, duration: 1536, format: [Int(b[4] >> 6), Int(b[5] >> 3)])
    }
  }

  /// ETSI TS 102 366, E.1.3. Samples have all substreams, and six blocks.
  private static func enhanced(_ b: [UInt8]) -> Frame? {
    guard let size = FrameSyntax.eac3.byteCount(b[...]), b[2] >> 6 < 3 else { return nil }
    let isReduced = b[4] >> 6 == 3
    let blocks = isReduced ? 6 : [1, 2, 3, 6][Int(b[4] >> 4 & 3)]
    let isFirst = b[2] >> 6 != 1 && b[2] >> 3 & 7 == 0
    let rate = isReduced ? 4 + Int(b[4] >> 4 & 3) : Int(b[4] >> 6)
    return Frame(byteCount: size, duration: Int64(256 * blocks), continues: !isFirst, format: [rate, blocks])
  }

  /// ISO/IEC 11172-3, 2.4.2.3, and 13818-3.
  private static func mpeg(_ b: [UInt8]) -> Frame? {
    guard let size = FrameSyntax.mpeg.byteCount(b[...]) else { return nil }
    let (version, layer, frequency) = (Int(b[1] >> 3 & 3), Int(b[1] >> 1 & 3), Int(b[2] >> 2 & 3))
    let duration: Int64 = layer == 1 && version != 3 ? 576 : 1152
    return Frame(byteCount: size, duration: duration, format: [version, layer, frequency, b[3] >> 6 == 3 ? 1 : 2])
  }

  // MARK: Sample entries

  private func description(
    _ bytes: ArraySlice<UInt8>, _ frame: Frame, _ gapless: MPEGAudioInfo?, _ mux: StreamMuxConfig?,
    _ isQuickTime: Bool, _ window: inout ByteWindow, _ offset: Int
  ) throws(MovieError) -> MovieWriter.Track {
    // The substreams of the first sample of E-AC-3, and their size.
    var (substreams, byteCount) = ([Array(bytes.prefix(128))], bytes.count)
    while format == .eac3, substreams.count < 16 {
      let head = Array(try io(window.slice(at: offset + byteCount, count: 128)))
      guard let next = Self.frame(head[...], format), next.continues else { break }
      substreams.append(head)
      byteCount += next.byteCount
    }
    return try entry(of: source.name) { () throws(MovieWriterError) in
      switch format {
      case .adts:
        let (profile, frequency, channels) = (frame.format[0], frame.format[1], frame.format[2])
        if channels == 0 { throw .unsupportedFormat("AAC whose channels are described in its frames") }
        let configuration = (profile + 1) << 11 | frequency << 7 | channels << 3
        return try .aac(
          audioSpecificConfig: [UInt8(configuration >> 8), UInt8(configuration & 0xff)], isQuickTime: isQuickTime)
      case .latm: return try .aac(audioSpecificConfig: mux?.audioSpecificConfig ?? [], isQuickTime: isQuickTime)
      case .ac3: return try .ac3(frame: Array(bytes.prefix(16)))
      case .eac3: return try .eac3(substreams: substreams, byteCount: byteCount, duration: frame.duration)
      default:
        var track = try MovieWriter.Track.mpegAudio(header: Array(bytes.prefix(4)))
        if let gapless {
          track.trim = MediaTime(Int64(gapless.delay), track.timescale)
          track.presentedDuration = gapless.presentedDuration(frame.duration).map { MediaTime($0, track.timescale) }
        }
        return track
      }
    }
  }
}
