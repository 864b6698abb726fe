import Bytes
import ISOBMFF

/// Converts QuickTime movies if the output is an ISO file.
extension MovieInput {
  /// Converts QuickTime movies to ISO movies, with a note for each. Without QuickTime movies, nothing changes; with
  /// `everywhere`, audio descriptions and brands are also converted in other movies.
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

  /// Whether the first movie is a QuickTime movie.
  func isQuickTime() throws(MovieError) -> Bool {
    try isQuickTime(groups[0], QuickTimeConversion(sources[groups[0].source]))
  }

  private func isQuickTime(_ group: MovieGroup, _ conversion: QuickTimeConversion) throws(MovieError) -> Bool {
    let fileType = group.fileType.map { header in
      var box = Box(FileTypeBox())
      box.fields = .unchanged(header.payload)
      return box
    }
    return try conversion.isQuickTime(group.movie.box, fileType: fileType)
  }
}

extension Movie {
  /// The same movie in ISO form: QuickTime movies are converted, and QuickTime audio descriptions in any movie.
  public func convertingQuickTime() throws(MovieError) -> Movie {
    var input = input
    try input.convertQuickTime(everywhere: true)
    return try with(input)
  }
}
