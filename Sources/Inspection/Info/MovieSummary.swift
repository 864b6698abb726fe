import BoxCatalog
public import Bytes
import ISOBMFF
public import MP4

/// A summary of an MP4, QuickTime or CMAF movie.
public struct MovieSummary: Sendable {
  /// The layout of a file.
  public enum Layout: String, Sendable {
    /// All samples are in the tables of the movie box.
    case progressive
    /// Samples are in movie fragments.
    case fragmented
    /// An init segment, or a movie box without samples.
    case initSegment = "init segment"
  }

  /// The name of the input with the movie box.
  public let name: String
  /// The number of inputs: 1, or an init segment and its media segments.
  public let inputCount: Int
  /// The size of all inputs in bytes; `nil` if one is unknown.
  public let byteCount: Int?
  /// The layout of the file.
  public let layout: Layout
  /// Whether the movie box is before the samples; `nil` without samples.
  public let isMovieFirst: Bool?
  /// The major brand; `nil` without a file type.
  public let majorBrand: FourCC?
  /// The compatible brands.
  public let brands: [FourCC]
  /// The number of movie fragments.
  public let fragmentCount: Int
  /// The shortest and the longest duration of a movie fragment; `nil` without them.
  public let fragmentDurations: ClosedRange<MediaTime>?
  /// The media time at which the presentation starts, which is 0 in all other times.
  public let mediaStart: MediaTime
  /// The time span in which it is presented; `nil` without samples.
  public let presented: Range<MediaTime>?
  /// The duration in the movie header; `nil` if not declared.
  public let declaredDuration: MediaTime?
  /// The creation time in seconds since 1970-01-01 00:00 UTC; `nil` if unknown.
  public let creationTime: Int?
  /// The tracks, in file order.
  public let tracks: [TrackSummary]
  /// Descriptive metadata such as titles.
  public let metadata: Metadata
  /// The chapters.
  public let chapters: [Chapter]
  /// The data for protection systems in the movie box.
  public let protections: [ProtectionSummary]
  /// The number of event messages.
  public let eventCount: Int
  /// The still images of a file that has both, such as an image sequence; `nil` if there are none.
  public internal(set) var images: ImageSummary?
  /// The diagnostics that a defragmenter would report.
  public let diagnostics: [Diagnostic]

  /// The duration of the presentation; 0 without samples.
  public var duration: MediaTime {
    guard let presented else { return MediaTime(0, 1) }
    return presented.upperBound - (layout == .progressive ? MediaTime(0, 1) : presented.lowerBound)
  }
  /// The start of the first audio track minus that of the first video track; `nil` if there are not both.
  public var audioOffset: MediaTime? {
    guard let video = tracks.lazy.filter({ $0.video != nil }).compactMap(\.presented).first,
      let audio = tracks.lazy.filter({ $0.audio != nil }).compactMap(\.presented).first
    else { return nil }
    return audio.lowerBound - video.lowerBound
  }
  /// The average bit rate of the inputs in bits per second; `nil` if unknown.
  public var bitRate: Int? { byteCount.flatMap { Quantity.bitsPerSecond($0, in: duration) } }

  /// Examines a movie. Of its media, only at most 64 KiB of the first sync sample of each video track, the samples of
  /// chapters, and the first sample of each timecode track are read.
  public init(_ movie: Movie) throws(MovieError) {
    name = movie.name
    let sizes = movie.sources.compactMap(\.byteCount)
    (inputCount, byteCount) = (movie.sources.count, sizes.count == movie.sources.count ? sizes.reduce(0, +) : nil)
    let fileType = movie.fileType
    (majorBrand, brands) = (fileType?.majorBrand, fileType.map { Array($0.compatibleBrands) } ?? [])
    fragmentCount = movie.fragmentCount
    layout = fragmentCount > 0 ? .fragmented : movie.hasTables ? .progressive : .initSegment
    isMovieFirst = Self.isMovieFirst(movie)
    fragmentDurations = movie.fragmentDurations
    mediaStart = movie.mediaStart
    let box = movie.movieBoxes[0]
    metadata = Metadata(box)
    var tracks = try movie.tracks.map { (track) throws(MovieError) in try TrackSummary(track) }
    // The item does not tell which track it is about.
    if let text = metadata.entries.first(where: { $0.key == "com.apple.iTunes:iTunSMPB" })?.value,
      let index = tracks.firstIndex(where: { $0.audio != nil }), tracks[(index + 1)...].allSatisfy({ $0.audio == nil })
    {
      tracks[index].audio?.take(iTunSMPB: text)
    }
    self.tracks = tracks
    let spans = tracks.compactMap(\.presented)
    presented = spans.map(\.lowerBound).min().flatMap { start in
      spans.map(\.upperBound).max().map { start..<max(start, $0) }
    }
    let header = box.payload(["mvhd"], as: MovieHeaderBox.self)
    creationTime = header.flatMap { Self.unixTime($0.creationTime) }
    declaredDuration = header.flatMap {
      [0, UInt64(UInt32.max), .max].contains($0.duration)
        ? nil : MediaTime(Int64(clamping: $0.duration), $0.timescale)
    }
    chapters = try Chapter.list(of: movie)
    protections = movie.movieBoxes.flatMap { movie in
      movie.box.boxes.filter { $0.type == "pssh" }.compactMap { box in
        let payload = try? box.payload(as: ProtectionSystemSpecificHeaderBox.self, from: movie.source).get()
        return payload.map(ProtectionSummary.init)
      }
    }
    eventCount = movie.eventMessages.count
    diagnostics = movie.diagnostics
  }

  /// Whether the first sample is after the movie box.
  private static func isMovieFirst(_ movie: Movie) -> Bool? {
    let offsets = movie.tracks.compactMap { track in track.samples.first.map { $0.sourceIndex == 0 ? $0.offset : .max }
    }
    return offsets.min().map { $0 > movie.movieBoxes[0].offset }
  }

  /// Seconds since 1970, from seconds since 1904; `nil` for 0 and for times before 1970, when no camera existed.
  private static func unixTime(_ time: UInt64) -> Int? {
    time > 2_082_844_800 ? Int(clamping: time - 2_082_844_800) : nil
  }
}

extension Movie {
  /// The shortest and the longest duration of a movie fragment, according to the first video track, or else the first
  /// track; `nil` without fragments.
  var fragmentDurations: ClosedRange<MediaTime>? {
    let index = tracks.firstIndex { $0.pictureSize != nil } ?? tracks.firstIndex { !$0.samples.isEmpty }
    guard fragmentCount > 0, let index, case let starts = fragmentStarts(ofTrack: index),
      let first = tracks[index].samples.first
    else { return nil }
    let samples = tracks[index].samples
    let times = starts.filter(samples.indices.contains).map { samples[$0].decodeTime }
    let durations = zip(times, times.dropFirst() + [first.decodeTime + tracks[index].mediaDuration]).map { $1 - $0 }
    return durations.min().flatMap { least in durations.max().map { least...$0 } }
  }
}
