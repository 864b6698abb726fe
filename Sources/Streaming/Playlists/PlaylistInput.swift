public import Bytes
public import MP4

/// The segments of a presentation, or of a part of it between discontinuities, as input of a `Defragmenter`.
public struct PlaylistInput {
  /// The init segments and media segments, in reading order.
  public var sources: [any ByteSource] = []
  /// For each source, its media playlist and its part between discontinuities.
  public var parts: [SourcePart] = []

  init() {}

  /// Combines these parts to one input, in which each part continues where the previous one ends.
  public init(joining inputs: [PlaylistInput]) {
    for (number, input) in inputs.enumerated() {
      sources += input.sources
      parts += input.parts.map { SourcePart(series: $0.series, period: number) }
    }
  }

  /// The inputs read from media playlists, one for each part between discontinuities.
  static func periods(_ streams: [StreamState]) -> [PlaylistInput] {
    var found: [Int: [Int: [any ByteSource]]] = [:]
    for (series, stream) in streams.enumerated() {
      var own: [Int: [Piece]] = [:]
      var isReadable = false
      for piece in stream.pieces {
        // Without an init segment, the segments that follow cannot be read.
        if piece.isMap { isReadable = !piece.isLost }
        if piece.isLost || !isReadable { continue }
        // If reading was stopped here, the rest does not count.
        guard piece.source != nil else { break }
        own[piece.discontinuity, default: []].append(piece)
      }
      for (discontinuity, pieces) in own where pieces.contains(where: { !$0.isMap }) {
        found[discontinuity, default: [:]][series] = pieces.compactMap(\.source)
      }
    }
    return found.sorted { $0.key < $1.key }.map { _, all in
      var input = PlaylistInput()
      for (series, sources) in all.sorted(by: { $0.key < $1.key }) {
        input.sources += sources
        input.parts += sources.map { _ in SourcePart(series: series, period: 0) }
      }
      return input
    }
  }
}
