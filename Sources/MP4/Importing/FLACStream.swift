import ISOBMFF
import MP4Bytes

/// A native FLAC file: RFC 9639. Its frames declare neither their size nor the end of the one before: a frame starts
/// where a valid header has the next number.
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
    var samples: Int64 = 0
    while true {
      guard onProgress(at) else { throw .stopped(file: source.name) }
      let next = try next(after: at, header, blockSize, &window)
      // The last frame can be shorter than the block size that its header repeats.
      try result.append(byteCount: next.offset - at, duration: header.duration)
      samples += header.duration
      at = next.offset
      guard let following = next.header else { break }
      header = following
    }
    if total > 0, samples < total {
      let text = "it declares \(total) samples, but has \(samples); it was cut off"
      diagnostics.append(Diagnostic(.error, source.name, text))
    }
    if omitted > 0 {
      diagnostics.append(Diagnostic(.note, source.name, "its comments and pictures are omitted"))
    }
    var parts = AssembledMedia.Parts()
    parts.append(first..<at)
    return (try result.movie(AssembledMedia(parts, of: source)), diagnostics)
  }

  /// The start of the frame after one, and its header; `nil` at the end of the file.
  private func next(
    after offset: Int, _ header: Header, _ blockSize: Int, _ window: inout ByteWindow
  ) throws(MovieError) -> (offset: Int, header: Header?) {
    let number = header.number + (header.numbersSamples ? Int(header.duration) : 1)
    var at = offset + 2
    while true {
      let bytes = try io(window.slice(at: at, count: 1 << 14))
      // A frame is followed by an ID3 tag at most.
      guard bytes.count > 16 else { return (at + bytes.count, nil) }
      for start in bytes.indices.dropLast(15) where bytes[start] == 0xff && bytes[start + 1] & 0xfe == 0xf8 {
        if let other = self.header(bytes[start..<start + 16], blockSize), other.number == number,
          other.numbersSamples == header.numbersSamples
        {
          return (at + start - bytes.startIndex, other)
        }
      }
      at += bytes.count - 15
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
    guard at < b.count, Self.checksum(b[..<at]) == b[at] else { return nil }
    return Header(duration: Int64(duration), number: number, numbersSamples: b[1] & 1 == 1)
  }

  /// The checksum of a header, with the polynomial x^8 + x^2 + x + 1.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { sum, _ in sum & 0x80 != 0 ? sum << 1 ^ 7 : sum << 1 }
    }
  }
}
