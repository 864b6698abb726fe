public import Bytes
import ISOBMFF

/// The samples of one track in file order, each preceded by its size in 32 bits, as written by mp4dump.
public struct TrackSamples: Sendable {
  /// The number of samples.
  public private(set) var count = 0
  /// The size of the output.
  public private(set) var byteCount = 0
  /// Diagnostics and losses.
  public let diagnostics: [Diagnostic]
  private let sources: [any ByteSource]
  private let samples: SampleColumns
  private let fragments: [TrackFragment]

  /// Finds the samples of the only selected track in a progressive or fragmented file, or in an init segment and its
  /// media segments.
  ///
  /// - Throws: `MovieError` if there is no movie, not exactly one such track, or nothing usable.
  public init(of selection: TrackSelection, in sources: [any ByteSource]) throws(MovieError) {
    var input = try MovieInput(reading: sources, selection)
    guard input.tracks.count == 1, let trackID = input.tracks.first?.id else {
      throw .impossible(
        file: sources.first?.name ?? "the input",
        MovieObstacle.severalTracks(input.tracks.map(MovieObstacle.Track.init)))
    }
    try input.readMovieSamples()
    try input.checkClaims()
    let tracks = input.tracks
    self.sources = sources
    diagnostics = input.diagnostics
    samples = input.fragments.samples[0]
    fragments = input.fragments.trackFragments.filter { tracks[$0.track].id == trackID }
    for fragment in fragments {
      count += fragment.sampleCount
      byteCount += 4 * fragment.sampleCount + samples.byteCount(of: fragment.samples)
    }
  }

  /// Writes the samples.
  public func write(to sink: any ByteSink) throws(IOError) {
    for fragment in fragments {
      for extent in samples.extents(in: fragment.samples) { try write(extent, of: sources[fragment.source], to: sink) }
    }
  }

  private func write(_ extent: SampleColumns.Extent, of source: any ByteSource, to sink: any ByteSink) throws(IOError) {
    var offset = extent.offset
    for sample in extent.samples {
      let size = samples.size(sample)
      try sink.write([
        UInt8(truncatingIfNeeded: size >> 24), UInt8(size >> 16 & 0xff), UInt8(size >> 8 & 0xff), UInt8(size & 0xff),
      ])
      if size > 0 { try sink.copy(offset..<offset + size, of: source) }
      offset += size
    }
  }
}
