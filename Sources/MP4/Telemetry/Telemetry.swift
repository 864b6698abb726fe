import ISOBMFF
import MP4Bytes

/// The positions and measurements that cameras and drones record in tracks beside the video.
public struct Telemetry: Sendable {
  /// The formats of telemetry tracks.
  public enum Format: String, Sendable {
    /// GPMF of GoPro.
    case gpmf = "gpmd"
    /// Camera Motion Metadata of Google.
    case cameraMotion = "camm"
    /// Acquisition metadata of Sony (SMPTE RDD 18).
    case acquisition = "rtmd"
    /// QuickTime timed metadata.
    case timedMetadata = "mebx"
    /// Text of DJI's drones.
    case text
  }

  /// A value with its time.
  public struct Entry: Sendable {
    /// The ID of its track.
    public let track: UInt32
    /// The format of its track.
    public let format: Format
    /// Its presentation time, with edit lists applied; `nil` if no edit shows it.
    public let time: MediaTime?
    /// The value.
    public let value: TelemetryValue
  }

  /// The maximum size of a sample.
  private static let sampleLimit = 1 << 20

  private let file: String
  private let tracks: [TelemetryTrack]
  /// The creation time of the movie in seconds since 1970; `nil` if unknown.
  private let creation: Int?

  /// The telemetry of a movie. Samples are not read now.
  public init(_ movie: Movie) throws(MovieError) {
    file = movie.name
    var tracks: [TelemetryTrack] = []
    for track in movie.tracks { if let own = try TelemetryTrack(track) { tracks.append(own) } }
    self.tracks = tracks
    let header = movie.movieBoxes.first.flatMap { box in
      box.box.first("mvhd").flatMap { try? $0.payload(as: MovieHeaderBox.self, from: box.source).get() }
    }
    // The start of 1904.
    creation = header.flatMap { $0.creationTime == 0 ? nil : Int(clamping: $0.creationTime) &- 2_082_844_800 }
  }

  /// Whether no track has a format of telemetry. A track of text has only if its samples contain positions.
  public var isEmpty: Bool { tracks.isEmpty }

  /// The number of tracks with a format of telemetry.
  package var trackCount: Int { tracks.count }
  /// The ID of a track.
  package func trackID(_ index: Int) -> UInt32 { tracks[index].track.id }

  /// Calls `body` with the values of each track, in decoding order. One sample is in memory at a time.
  ///
  /// - Returns: Diagnostics about samples that cannot be read completely.
  @discardableResult
  public func forEachEntry(_ body: (Entry) throws(MovieError) -> Void) throws(MovieError) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    for index in tracks.indices { diagnostics += try forEachEntry(ofTrack: index, body) }
    return diagnostics
  }

  /// The same for one track.
  @discardableResult
  package func forEachEntry(
    ofTrack index: Int, _ body: (Entry) throws(MovieError) -> Void
  ) throws(MovieError) -> [Diagnostic] {
    let (own, track) = (tracks[index], tracks[index].track)
    if own.isEncrypted {
      return [Diagnostic(.error, file, "track \(track.id) is encrypted; its telemetry is skipped")]
    }
    var (large, damaged) = (0, 0)
    for sample in track.samples {
      guard sample.size <= Self.sampleLimit else {
        large += own.format == .text ? 0 : 1
        continue
      }
      let bytes = try sample.bytes(sample.size)
      let isIntact = try own.forEachValue(of: bytes, sample, creation) { (value) throws(MovieError) in
        let time = sample.presentationTime(ofPart: value.part, of: value.parts)
        try body(Entry(track: track.id, format: own.format, time: time, value: value.value))
      }
      if bytes.count < sample.size || !isIntact { damaged += 1 }
    }
    let problems = [(large, "larger than 1 MiB; skipped"), (damaged, "damaged; the rest of each is skipped")]
    return problems.filter { $0.0 > 0 }.map { count, problem in
      let text = "track \(track.id): \(counted(count, "sample is", "samples are")) \(problem)"
      return Diagnostic(.error, file, text)
    }
  }

  // MARK: Locations

  /// Calls `body` with each sample that contains locations: where it is, and its bytes without them.
  ///
  /// - Returns: The IDs of tracks whose samples may still contain locations, and why.
  func forEachLocation(
    _ body: (_ sample: Sample, _ before: [UInt8], _ after: [UInt8]) throws(MovieError) -> Void
  ) throws(MovieError) -> [(track: UInt32, reason: String)] {
    var kept: [(track: UInt32, reason: String)] = []
    for own in tracks where own.mayHaveLocations {
      let track = own.track
      if own.isEncrypted {
        kept.append((track.id, "it is encrypted"))
        continue
      }
      var problems = 0
      for sample in track.samples {
        guard sample.size <= Self.sampleLimit else {
          problems += own.format == .text ? 0 : 1
          continue
        }
        let bytes = try sample.bytes(sample.size)
        var result = bytes
        if !own.removeLocations(&result, sample) || bytes.count < sample.size { problems += 1 }
        if result != bytes { try body(sample, bytes, result) }
      }
      if problems > 0 {
        kept.append((track.id, "\(counted(problems, "sample is", "samples are")) damaged or too large"))
      }
    }
    return kept
  }
}

/// A track with telemetry, or text that can be telemetry.
private struct TelemetryTrack: Sendable {
  let track: Track
  let format: Telemetry.Format
  /// The keys of each sample description.
  private var keys: [TimedMetadataKeys] = []

  /// `nil` for other tracks.
  init?(_ track: Track) throws(MovieError) {
    self.track = track
    let formats = track.decoderConfigurations.map(\.codedFormat)
    if let format = formats.lazy.compactMap({ Telemetry.Format(rawValue: $0.description) }).first, format != .text {
      self.format = format
    } else if formats.contains("tx3g") || formats.contains("text") {
      // Encrypted text cannot be told from subtitles.
      if track.protectionScheme != nil { return nil }
      format = .text
    } else {
      return nil
    }
    guard format == .timedMetadata else { return }
    for entry in track.box.first(in: ["mdia", "minf", "stbl", "stsd"])?.boxes ?? [] {
      keys.append(try TimedMetadataKeys(of: entry, in: track.boxSource))
    }
  }

  var isEncrypted: Bool { track.protectionScheme != nil }
  var mayHaveLocations: Bool { format != .timedMetadata || keys.contains(where: \.haveLocations) }

  private func keys(of sample: Sample) -> TimedMetadataKeys? {
    let index = sample.descriptionIndex - 1
    return keys.indices.contains(index) ? keys[index] : nil
  }

  /// Where the text of a sample is; `nil` if it ends early. Numbers are ASCII in all encodings but UTF-16.
  private func text(of bytes: [UInt8]) -> Range<Int>? {
    guard bytes.count >= 2 else { return bytes.isEmpty ? 0..<0 : nil }
    let end = 2 + bytes.prefix(2).bigEndianNumber
    return end <= bytes.count ? 2..<end : nil
  }

  /// - Returns: Whether the sample is not damaged.
  func forEachValue(
    of bytes: [UInt8], _ sample: Sample, _ creation: Int?, _ body: (SampleValue) throws(MovieError) -> Void
  ) throws(MovieError) -> Bool {
    switch format {
    case .gpmf:
      var reader = GPMF(bytes, lasting: sample.duration)
      try reader.forEachValue(body)
      return reader.isIntact
    case .cameraMotion: return try CameraMotion.forEachValue(of: bytes, created: creation, body)
    case .acquisition:
      let metadata = AcquisitionMetadata(bytes)
      try metadata.forEachValue(body)
      return metadata.isIntact
    case .timedMetadata: return try keys(of: sample)?.forEachValue(of: bytes, body) ?? false
    case .text:
      if let text = text(of: bytes) { try FlightText(bytes, in: text).forEachValue(body) }
      return true
    }
  }

  /// - Returns: Whether the sample was understood.
  func removeLocations(_ bytes: inout [UInt8], _ sample: Sample) -> Bool {
    switch format {
    case .gpmf: return GPMF.removeLocations(&bytes)
    case .cameraMotion: return CameraMotion.removeLocations(&bytes)
    case .acquisition: return AcquisitionMetadata.removeLocations(&bytes)
    case .timedMetadata: return keys(of: sample)?.removeLocations(&bytes) ?? false
    case .text:
      return text(of: bytes).map { FlightText.removeLocations(&bytes, in: $0) } ?? true
    }
  }
}
