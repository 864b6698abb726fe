import Bytes
import ISOBMFF

/// QuickTime movies in an output that is to be an ISO file.
extension MovieInput {
  /// Makes ISO movies of those of QuickTime, with a note for each. Where there are none, nothing changes; with
  /// `everywhere`, descriptions of sound and brands lose what is of QuickTime in other movies too.
  mutating func convertQuickTime(everywhere: Bool = false) throws(MovieError) {
    for index in groups.indices {
      let group = groups[index]
      var conversion = QuickTimeConversion(sources[group.source])
      let isQuickTime = try isQuickTime(group, conversion)
      guard isQuickTime || everywhere else { continue }
      isOfISO = true
      let tracks = tracks
      try conversion.convert(&groups[index].movie.box, isQuickTime: isQuickTime) { number in
        tracks.reference(group.tracks.lowerBound + number)
      }
      guard isQuickTime else { continue }
      hasNegativeOffsets = hasNegativeOffsets || conversion.hasNegativeOffsets
      diagnostics.append(Diagnostic(.converted, sources[group.source].name))
      diagnostics += conversion.diagnostics
    }
  }

  /// Whether a movie is one of QuickTime, by its brand, or without one by what is in it.
  private func isQuickTime(_ group: MovieGroup, _ conversion: QuickTimeConversion) throws(MovieError) -> Bool {
    guard let header = group.fileType else { return try conversion.isQuickTime(group.movie.box) }
    var box = Box(FileTypeBox())
    box.fields = .unchanged(header.payload)
    return try conversion.fields(of: box, FileTypeBox.self)?.majorBrand == "qt  "
  }
}

extension Movie {
  /// The same movie as ISO files describe it: QuickTime movies become such, and descriptions of sound are those of ISO
  /// files in any.
  public func convertingQuickTime() throws(MovieError) -> Movie {
    var input = input
    try input.convertQuickTime(everywhere: true)
    return try with(input)
  }
}
