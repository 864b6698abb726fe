public import Bytes

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
    var json = JSONWriter(sink)
    json.beginObject()
    json.key("output", onNewLine: true)
    json.write(DefragmentReport.Output(name: output, byteCount: plan.byteCount, isWritten: isWritten))
    json.key("means", onNewLine: true)
    json.value(means.word)
    if case .foundMovieBox(let offset) = means { json.member("moov_offset", offset) }
    json.key("totals", onNewLine: true)
    json.beginObject()
    json.member("input_bytes", inputByteCount)
    json.member("samples", tracks.reduce(0) { $0 + $1.sampleCount })
    json.member("media_bytes", tracks.reduce(0) { $0 + $1.byteCount })
    json.member("unknown_bytes", unknownByteCount)
    json.member("padding_bytes", paddingByteCount)
    json.endObject()
    json.member("tracks", tracks.count) { json, index in
      let track = tracks[index]
      json.beginObject()
      json.member("id", Int(track.id))
      json.member("handler", track.handler.description)
      json.member("codec", track.codec)
      json.member("samples", track.sampleCount)
      json.member("bytes", track.byteCount)
      json.member("timescale", Int(track.duration.timescale))
      json.key("duration")
      json.value(track.duration.value)
      json.endObject()
    }
    json.member("unknown", unknown.count) { json, index in
      json.beginObject()
      json.member("offset", unknown[index].lowerBound)
      json.member("size", unknown[index].count)
      json.endObject()
    }
    json.member("diagnostics", diagnostics.count) { json, index in
      let diagnostic = diagnostics[index]
      json.beginObject()
      json.member("severity", "\(diagnostic.severity)")
      json.member("file", diagnostic.file)
      json.member("message", diagnostic.text)
      json.endObject()
    }
    json.endObject()
    json.finish()
    if let failure = json.failure { throw failure }
  }
}
