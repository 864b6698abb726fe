import ISOBMFF
import MP4Bytes

/// A native FLAC file: RFC 9639. Its frames do not declare their size: a frame ends where its checksum is right and
/// another one starts, or where a valid header of the same format has a later number.
struct FLACStream {
  private let source: any ByteSource

  init(_ source: any ByteSource) { self.source = source }

  /// The header of a frame.
  private struct Header {
    /// The number of samples in the frame.
    var duration: Int64
    /// The number of the frame, or of its first sample.
    var number: Int
    var numbersSamples: Bool
    /// The codes of the sample rate, the channels and the sample size.
    var format: [UInt8]

    /// The number of the next frame.
    var next: Int { number + (numbersSamples ? Int(duration) : 1) }
  }

  func movie(onProgress: (Int) -> Bool) throws(MovieError) -> (movie: any ByteSource, diagnostics: [Diagnostic]) {
    var window = ByteWindow(source, readAhead: 1 << 16)
    var at = 0
    while let size = AudioFrames.tagSize(try io(window.slice(at: at, count: 10))) { at += size }
    at += 4
    var (info, omitted): ([UInt8]?, Int) = (nil, 0)
    while true {
      let head = Array(try io(window.slice(at: at, count: 4)))
      guard head.count == 4 else { throw .impossible(file: source.name, .noSamples) }
      let size = head[1...].reduce(0) { $0 << 8 | Int($1) }
      if head[0] & 127 == 0, size == 34 { info = Array(try io(window.slice(at: at + 4, count: size))) }
      // Comments and pictures are those that a user would miss.
      if head[0] & 127 == 4 || head[0] & 127 == 6 { omitted += 1 }
      at += 4 + size
      if head[0] & 128 != 0 { break }
    }
    guard let info, info.count == 34 else {
      throw .impossible(file: source.name, Obstacle("no_stream_info", "it has no STREAMINFO block"))
    }
    let track = try entry(of: source.name) { () throws(MovieWriterError) in try MovieWriter.Track.flac(streamInfo: info)
    }
    var result = try ImportedTrack(track, of: source.name)
    var diagnostics: [Diagnostic] = []
    let blockSize = Int(info[2]) << 8 | Int(info[3])
    let total = (Int(info[13]) & 15) << 32 | info[14..<18].reduce(0) { $0 << 8 | Int($1) }
    let first = at
    guard var header = header(try io(window.slice(at: at, count: 16)), blockSize) else {
      throw .impossible(file: source.name, .noSamples)
    }
    var (samples, missing, damaged): (Int64, Int64, Int) = (0, 0, 0)
    var end: End
    repeat {
      guard onProgress(at) else { throw .stopped(file: source.name) }
      end = try self.end(of: header, at: at, blockSize, &window)
      if !end.isIntact { damaged += 1 }
      var duration = header.duration
      if let next = end.next, next.number > header.next {
        // The frame before a gap lasts until the next one.
        let gap = Int64(next.number - header.next) * (header.numbersSamples ? 1 : header.duration)
        missing += gap
        duration += gap
      }
      try result.append(byteCount: end.offset - at, duration: min(duration, Int64(UInt32.max)))
      samples += duration
      at = end.offset
      if let next = end.next { header = next }
    } while end.next != nil
    if damaged > 0 {
      let text = "\(counted(damaged, "frame")) with a wrong checksum; the bytes are kept"
      diagnostics.append(Diagnostic(.error, source.name, text))
    }
    if missing > 0 {
      let text = "\(counted(Int(missing), "sample")) are missing between frames; the frames before them last longer"
      diagnostics.append(Diagnostic(.error, source.name, text))
    }
    if total > 0, samples < total {
      let text = "it declares \(total) samples, but has \(samples); it was cut off"
      diagnostics.append(Diagnostic(.error, source.name, text))
    }
    if end.isFollowed {
      let text = "another file follows the first one, and is omitted; concatenate them as movies"
      diagnostics.append(Diagnostic(.error, source.name, text))
    }
    if omitted > 0 {
      diagnostics.append(Diagnostic(.note, source.name, "its comments and pictures are omitted"))
    }
    var parts = AssembledMedia.Parts()
    parts.append(first..<at)
    return (try result.movie(AssembledMedia(parts, of: source)), diagnostics)
  }

  /// The end of a frame.
  private struct End {
    var offset: Int
    /// The frame that follows; `nil` at the end of the stream.
    var next: Header?
    /// Whether its checksum is right.
    var isIntact: Bool
    /// Whether another file follows.
    var isFollowed = false
  }

  private func end(
    of header: Header, at start: Int, _ blockSize: Int, _ window: inout ByteWindow
  ) throws(MovieError) -> End {
    let furthest = header.next + (1 << 17) * (header.numbersSamples ? Int(header.duration) : 1)
    var (at, sum): (Int, UInt16) = (start, 0)
    while true {
      let bytes = try io(window.slice(at: at, count: 1 << 14))
      let isLast = bytes.count < 1 << 14
      for index in bytes.startIndex..<(isLast ? bytes.endIndex : bytes.endIndex - 16) {
        let place = at + index - bytes.startIndex
        // A frame has at least a header and a checksum.
        if place > start + 7, bytes[index] == 0xff, index + 10 <= bytes.endIndex, bytes[index + 1] & 0xfe == 0xf8,
          let other = self.header(bytes[index..<min(index + 16, bytes.endIndex)], blockSize),
          other.numbersSamples == header.numbersSamples
        {
          let isLater = other.format == header.format && header.next...max(furthest, header.next) ~= other.number
          if isLater || sum == 0 && other.number > header.number {
            return End(offset: place, next: other, isIntact: sum == 0)
          }
        } else if sum == 0, place > start + 7 {
          let rest = bytes[index...]
          if rest.starts(with: "fLaC".utf8) || rest.starts(with: "ID3".utf8) {
            return End(offset: place, isIntact: true, isFollowed: true)
          }
          if rest.starts(with: "TAG".utf8) || rest.starts(with: "APETAGEX".utf8) {
            return End(offset: place, isIntact: true)
          }
        }
        sum = Checksums.crc16(sum, adding: bytes[index])
      }
      if isLast { return End(offset: at + bytes.count, isIntact: sum == 0) }
      at += bytes.count - 16
    }
  }

  /// 9.1.
  private func header(_ bytes: ArraySlice<UInt8>, _ fixedSize: Int) -> Header? {
    let b = Array(bytes)
    guard b.count >= 6, b[0] == 0xff, b[1] & 0xfe == 0xf8, b[3] & 1 == 0, b[3] >> 4 < 11, b[2] & 15 != 15 else {
      return nil
    }
    // A number coded like UTF-8, with up to seven bytes.
    let more = b[4] < 0x80 ? 0 : (~b[4]).leadingZeroBitCount - 1
    guard more >= 0, more <= 6, b[4] < 0x80 || more > 0, b.count > 9 + more else { return nil }
    var number = more == 0 ? Int(b[4]) : Int(b[4] & (0x3f >> UInt8(more)))
    for byte in b[5..<5 + more] {
      guard byte & 0xc0 == 0x80 else { return nil }
      number = number << 6 | Int(byte & 63)
    }
    var at = 5 + more
    let duration: Int
    switch b[2] >> 4 {
    case 0: return nil
    case 1: duration = 192
    case 2...5: duration = 576 << (Int(b[2] >> 4) - 2)
    case 6:
      duration = Int(b[at]) + 1
      at += 1
    case 7:
      duration = Int(b[at]) << 8 + Int(b[at + 1]) + 1
      at += 2
    default: duration = 256 << (Int(b[2] >> 4) - 8)
    }
    at += [12: 1, 13: 2, 14: 2][Int(b[2] & 15)] ?? 0
    guard at < b.count, Checksums.crc8(b[..<at]) == b[at] else { return nil }
    return Header(duration: Int64(duration), number: number, numbersSamples: b[1] & 1 == 1, format: [b[2] & 15, b[3]])
  }
}
