/// The contents of a file, as read by the simplest possible code.
public struct MovieReading: Sendable {
  /// The types of the top-level boxes.
  public var boxTypes: [String] = []
  /// The major brand and the compatible brands.
  public var brands: [String] = []
  /// The timescale of the movie.
  public var timescale = 0
  /// The duration in `mvhd`.
  public var duration = 0
  /// Whether there is an `mvex`.
  public var isFragmented = false
  /// The tracks in the order of the file.
  public var tracks: [TrackReading] = []

  /// The samples by track.
  public var samples: [UInt32: [SampleRecord]] {
    Dictionary(tracks.map { ($0.id, $0.samples) }, uniquingKeysWith: { first, _ in first })
  }

  /// The start of each track's earliest sample on the timeline of the movie.
  public var presentationStart: [UInt32: Seconds] {
    var starts: [UInt32: Seconds] = [:]
    for track in tracks {
      starts[track.id] = Support.presentationStart(
        of: track.samples, edits: track.edits, timescale: track.timescale, movieTimescale: timescale)
    }
    return starts
  }
}

/// A track, as read by the simplest possible code.
public struct TrackReading: Sendable {
  /// track_ID
  public var id: UInt32 = 0
  /// handler_type
  public var handler = ""
  /// The timescale.
  public var timescale = 0
  /// The duration in `mdhd`.
  public var duration = 0
  /// The duration in `tkhd`, in the timescale of the movie.
  public var trackDuration = 0
  /// The edit list; empty if there is none.
  public var edits: [EditSpec] = []
  /// The sample entries, whole boxes.
  public var sampleEntries: [[UInt8]] = []
  /// The number of chunks in the tables of `moov`.
  public var chunkCount = 0
  /// The samples in decoding order.
  public var samples: [SampleRecord] = []
  /// The locations of their payloads.
  public var places: [Range<Int>] = []
}

/// Reads every sample of a file with the simplest possible code, to check the output of the library.
public enum SampleReader {
  /// Everything in `file`: the tables of `moov`, then the fragments.
  public static func read(_ file: [UInt8]) throws -> MovieReading {
    try read(BoxBytes.all(in: file, 0..<file.count), isCut: false)
  }

  /// Like `read`, for a file that can be cut off anywhere. Boxes extend as far as the file does. In each track
  /// fragment, the samples before the first one whose bytes are not in media data are read.
  public static func readTruncated(_ file: [UInt8]) throws -> MovieReading {
    try read(BoxBytes.allThere(in: file), isCut: true)
  }

  /// Like `read`, including the groups and auxiliary information that fragments declare for their samples.
  public static func readWithInformation(_ file: [UInt8]) throws -> MovieReading {
    try read(BoxBytes.all(in: file, 0..<file.count), isCut: false, hasInformation: true)
  }

  private static func read(_ boxes: [BoxBytes], isCut: Bool, hasInformation: Bool = false) throws -> MovieReading {
    var movie = MovieReading()
    movie.boxTypes = boxes.map(\.type)
    if let fileType = boxes.first(where: { $0.type == "ftyp" }) {
      movie.brands = try stride(from: 0, to: fileType.payload.count, by: 4).filter { $0 != 4 }.map { offset in
        let brand = big(UInt32(try fileType.number(offset)))
        return String(decoding: brand, as: Unicode.UTF8.self)
      }
    }
    guard let moov = boxes.first(where: { $0.type == "moov" }) else { throw ReadingError("there is no moov") }
    let header = try moov.one("mvhd")
    let wide = try header.version == 1
    movie.timescale = try header.number(wide ? 20 : 12)
    movie.duration = try header.number(wide ? 24 : 16, wide ? 8 : 4)
    for trak in try moov.children() where trak.type == "trak" { movie.tracks.append(try track(trak)) }
    movie.isFragmented = try moov.first("mvex") != nil
    if movie.isFragmented {
      var fragments = try FragmentSampleReader(moov: moov, tracks: movie.tracks)
      if isCut { fragments.mediaData = boxes.filter { $0.type == "mdat" }.map(\.payload) }
      fragments.hasInformation = hasInformation
      for moof in boxes where moof.type == "moof" { try fragments.read(moof) }
      movie.tracks = fragments.tracks
    }
    return movie
  }

  /// The samples by track.
  public static func samples(_ file: [UInt8]) throws -> [UInt32: [SampleRecord]] { try read(file).samples }

  private static func track(_ trak: BoxBytes) throws -> TrackReading {
    var track = TrackReading()
    let header = try trak.one("tkhd")
    let wide = try header.version == 1
    track.id = UInt32(try header.number(wide ? 20 : 12))
    track.trackDuration = try header.number(wide ? 28 : 20, wide ? 8 : 4)

    let media = try trak.one("mdia")
    let mediaHeader = try media.one("mdhd")
    let isWide = try mediaHeader.version == 1
    track.timescale = try mediaHeader.number(isWide ? 20 : 12)
    track.duration = try mediaHeader.number(isWide ? 24 : 16, isWide ? 8 : 4)
    let handler = big(UInt32(try media.one("hdlr").number(8)))
    track.handler = String(decoding: handler, as: Unicode.UTF8.self)
    if let list = try trak.first("edts", "elst") { track.edits = try edits(list) }

    let table = try media.one("minf").one("stbl")
    track.sampleEntries = try table.one("stsd").children(after: 8).map { Array($0.file[$0.start..<$0.end]) }
    try SampleTableReader(table).read(into: &track)
    return track
  }

  private static func edits(_ list: BoxBytes) throws -> [EditSpec] {
    let wide = try list.version == 1
    return try (0..<list.number(4)).map { index in
      let row = 8 + index * (wide ? 20 : 12)
      let time = try list.number(row + (wide ? 8 : 4), wide ? 8 : 4)
      let isEmpty = time == (wide ? Int.max : 0xffff_ffff)
      return EditSpec(duration: UInt64(try list.number(row, wide ? 8 : 4)), mediaTime: isEmpty ? -1 : Int64(time))
    }
  }
}
