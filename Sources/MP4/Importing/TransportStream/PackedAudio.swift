import MP4Bytes

/// Audio without a container in a segment of HLS: an ID3 tag with the time of the first sample, and frames of AAC,
/// AC-3, E-AC-3 or MPEG audio (RFC 8216, 3.4).
struct PackedAudio {
  /// The time of the first sample in units of 1/90000 s.
  let time: Int64
  /// The size of the tag.
  let tagSize: Int

  private static let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
  /// The most bytes of a tag that are searched.
  private static let headSize = 4096

  /// Reads the tag; `nil` if there is none with a time, or if the source is a pipe, which cannot be read twice.
  init?(_ source: any ByteSource) throws(MovieError) {
    guard source.byteCount != nil else { return nil }
    var window = ByteWindow(source, readAhead: 0)
    guard let size = AudioFrames.tagSize(try io(window.slice(at: 0, count: 10))) else { return nil }
    let tag = try io(window.slice(at: 0, count: min(size, Self.headSize)))
    let own = Self.owner.count
    guard tag.count >= own + 8,
      let start = tag.indices.dropLast(own + 7).first(where: { tag[$0...].starts(with: Self.owner) })
    else { return nil }
    time = tag[(start + own)..<(start + own + 8)].reduce(0) { $0 << 8 | Int64($1) } & (PacketTable.period - 1)
    tagSize = size
  }

  /// Segments one after another as a track.
  static func track(_ segments: [any ByteSource], _ whole: any ByteSource) throws(MovieError) -> TransportedTrack {
    var (table, at) = (PacketTable(), 0)
    for segment in segments {
      let own = try PackedAudio(segment)
      table.append(offset: at + (own?.tagSize ?? 0), byte: at, presentation: own?.time, decode: nil)
      at += try io(segment.measuredByteCount())
    }
    guard let format = try ElementaryStreamFormat(of: whole) else {
      throw .impossible(file: whole.name, Obstacle("unknown_format", "its packed audio has an unknown format"))
    }
    return try AudioFrames(whole, format).track(isQuickTime: false, timedBy: table) { _ in true }
  }
}
