public import MP4Bytes
package import MP4Records

extension Recovery.Means {
  /// The identifier used in reports.
  public var word: String {
    switch self {
    case .movieBox: "moov"
    case .foundMovieBox: "found_moov"
    case .fragments: "fragments"
    case .fragmentsLikePattern: "fragments_like"
    case .pattern: "like"
    }
  }
}

extension Recovery {
  /// Writes the result as one JSON object, whose members are listed in the man page of `mp4tool recover`. `output` is
  /// the name of the output, and `isWritten` whether it was written.
  public func writeJSON(to sink: any ByteSink, output: String?, isWritten: Bool) throws(IOError) {
    let output = DefragmentReport.Output(name: output, byteCount: plan.byteCount, isWritten: isWritten)
    try RecoveryReport(recovery: self, output: output).write(to: sink)
  }
}

/// The report on a recovery.
package struct RecoveryReport: Record {
  package static let summary = "What was found, and what is written."
  let recovery: Recovery
  let output: DefragmentReport.Output

  package static let members: [RecordMember<RecoveryReport>] = [
    .output(\.output),
    RecordMember(
      "means",
      "how samples were located: `moov`, `found_moov`, `fragments`, `fragments_like` (fragments, with the `moov` of "
        + "GOOD), or `like`", onNewLine: true
    ) { $0.recovery.means.word },
    RecordMember("moov_offset", "the offset of the `moov` that was found", onNewLine: true) { report -> Int? in
      if case .foundMovieBox(let offset) = report.recovery.means { offset } else { nil }
    },
    RecordMember("totals", "sums over all tracks", onNewLine: true) { Totals(recovery: $0.recovery) },
    RecordMember("tracks", "the tracks", onNewLine: true) { $0.recovery.tracks },
    RecordMember("unknown", "the ranges that cannot be assigned to a track", onNewLine: true) { report in
      report.recovery.unknown.map { Place(range: $0) }
    },
    .diagnostics { ($0.recovery.diagnostics, []) },
  ]

  private struct Totals: Record {
    static let summary = "Sums."
    let recovery: Recovery
    static let members: [RecordMember<Totals>] = [
      RecordMember("input_bytes", "the size of BROKEN") { $0.recovery.inputByteCount },
      RecordMember("samples", "the number of samples") { $0.recovery.tracks.reduce(0) { $0 + $1.sampleCount } },
      RecordMember("media_bytes", "the size of all samples") { $0.recovery.tracks.reduce(0) { $0 + $1.byteCount } },
      RecordMember("unknown_bytes", "the size of data that cannot be assigned to a track") {
        $0.recovery.unknownByteCount
      },
      RecordMember("padding_bytes", "the size of padding, boxes and zeros") { $0.recovery.paddingByteCount },
    ]
  }

  private struct Place: Record {
    static let summary = "A range of the input."
    let range: Range<Int>
    static let members: [RecordMember<Place>] = [
      RecordMember("offset", "its offset") { $0.range.lowerBound },
      RecordMember("size", "its size in bytes") { $0.range.count },
    ]
  }
}

extension Recovery.Track: Record {
  package static let summary = "A track."
  package static let members: [RecordMember<Recovery.Track>] = [
    RecordMember("id", "its ID") { Int($0.id) },
    RecordMember("handler", "its handler type") { $0.handler },
    RecordMember("codec", "its codec") { $0.codec },
    RecordMember("samples", "the number of its samples") { $0.sampleCount },
    RecordMember("bytes", "the size of its samples") { $0.byteCount },
    RecordMember("timescale", "the timescale of its duration") { Int($0.duration.timescale) },
    RecordMember("duration", "its duration") { $0.duration.value },
  ]
}
