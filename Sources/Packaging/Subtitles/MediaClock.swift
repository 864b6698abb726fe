import ISOBMFF
public import MP4
public import MP4Bytes

/// Finds the media time of a segment, to which subtitles are aligned.
public enum MediaClock: Sendable {
  /// The presentation time of the first picture of a segment, or of its first audio sample if it has no video: from the
  /// decode time and the edit list of `initialization` in MP4, from the timestamps of MPEG-TS, or from the tag
  /// before packed audio. `nil` if it is not declared.
  public static func start(of segment: any ByteSource, initialization: (any ByteSource)?) -> MediaTime? {
    var window = ByteWindow(segment)
    guard let front = try? window.slice(at: 0, count: TransportStreamClock.mostBytes) else { return nil }
    if let time = TransportStreamClock.start(of: front) ?? TransportStreamClock.start(ofPackedAudio: front) {
      return MediaTime(time, 90_000)
    }
    let sources = (initialization.map { [$0] } ?? []) + [segment]
    guard let movie = try? Movie(reading: sources) else { return nil }
    func starts(_ handler: FourCC?) -> [MediaTime] {
      movie.tracks.compactMap { handler == nil || $0.handler == handler ? $0.start : nil }
    }
    return starts("vide").min() ?? starts(nil).min()
  }

  /// A time in the 33 bits of 1/90000 s of `X-TIMESTAMP-MAP`.
  static func mpegTS(_ time: MediaTime) -> UInt64 {
    UInt64(bitPattern: time.converted(to: 90_000).value) & 0x1_ffff_ffff
  }
}

/// Timestamps in units of 1/90000 s.
enum TransportStreamClock {
  /// The limit of the search for the first video timestamp.
  static let mostBytes = 1 << 20
  private static let packetSize = 188

  /// The first timestamp of a video stream, or else of any stream: ISO/IEC 13818-1, 2.4.3. `nil` for other data.
  static func start(of bytes: ArraySlice<UInt8>) -> Int64? {
    guard bytes.count >= packetSize, bytes[bytes.startIndex] == 0x47 else { return nil }
    var other: Int64?
    for start in stride(from: bytes.startIndex, through: bytes.endIndex - packetSize, by: packetSize) {
      let packet = bytes[start..<(start + packetSize)]
      guard packet[start] == 0x47 else { return other }
      guard let (stream, time) = timeStamp(packet) else { continue }
      if 0xe0...0xef ~= stream { return time }
      other = other ?? time
    }
    return other
  }

  /// The stream and the presentation time of a packet that starts a PES packet.
  private static func timeStamp(_ packet: ArraySlice<UInt8>) -> (stream: UInt8, time: Int64)? {
    let start = packet.startIndex
    guard packet[start + 1] & 0x40 != 0, packet[start + 3] & 0x10 != 0 else { return nil }
    let adaptation = packet[start + 3] & 0x20 != 0 ? Int(packet[start + 4]) + 1 : 0
    let payload = packet.dropFirst(4 + adaptation)
    guard payload.count >= 14, payload.starts(with: [0, 0, 1]) else { return nil }
    let (at, fields) = (payload.startIndex, payload[payload.startIndex + 7])
    guard 0xc0...0xef ~= payload[at + 3] || payload[at + 3] == 0xbd, fields & 0x80 != 0 else { return nil }
    func bits(_ index: Int) -> Int64 { Int64(payload[at + index]) }
    let (high, middle, low) = (bits(9) >> 1 & 7, bits(10) << 7 | bits(11) >> 1, bits(12) << 7 | bits(13) >> 1)
    return (payload[at + 3], high << 30 | middle << 15 | low)
  }

  /// The timestamp in the tag before packed audio: RFC 8216, 3.4.
  static func start(ofPackedAudio bytes: ArraySlice<UInt8>) -> Int64? {
    guard bytes.starts(with: "ID3".utf8) else { return nil }
    let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
    let tag = bytes.prefix(4096)
    for start in tag.indices where tag[start...].starts(with: owner) {
      let value = tag[start...].dropFirst(owner.count).prefix(8)
      guard value.count == 8 else { return nil }
      return value.reduce(0) { $0 << 8 | Int64($1) } & 0x1_ffff_ffff
    }
    return nil
  }
}
