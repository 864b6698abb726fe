public import Bytes
import ISOBMFF

extension DefragmentReport {
  /// Writes the report as one JSON object; the man page of `mp4tool defrag` lists its members.
  ///
  /// Numbers are integers. Times are beside their timescale, or in `movie_timescale`.
  public func writeJSON(to sink: any ByteSink) throws(IOError) {
    var json = JSONWriter(sink)
    json.beginObject()
    json.member("inputs", inputs.count) { json, index in Self.write(inputs[index], &json) }
    json.key("output", onNewLine: true)
    json.write(output)
    json.write(severity)
    json.key("movie_timescale", onNewLine: true)
    json.value(Int64(movieTimescale))
    json.key("start", onNewLine: true)
    json.write(start)
    json.key("totals", onNewLine: true)
    writeTotals(&json)
    json.member("tracks", tracks.count) { json, index in Self.write(tracks[index], &json) }
    json.member("diagnostics", diagnostics.count) { json, index in diagnostics[index].write(&json, inputs) }
    json.endObject()
    json.finish()
    if let failure = json.failure { throw failure }
  }

  private func writeTotals(_ json: inout JSONWriter) {
    json.beginObject()
    json.member("samples", sampleCount)
    json.member("lost_samples", lostSampleCount)
    json.member("fragments", fragmentCount)
    json.member("media_bytes", mediaByteCount)
    json.endObject()
  }

  package static func write(_ input: Input, _ json: inout JSONWriter) {
    json.beginObject()
    json.member("name", input.name)
    if let size = input.byteCount { json.member("size", size) }
    json.member("fragments", input.fragmentCount)
    json.endObject()
  }

  private static func write(_ track: Track, _ json: inout JSONWriter) {
    json.beginObject()
    json.member("id", Int(track.id))
    json.key("input")
    if let input = track.input { json.value(Int64(input)) } else { json.null() }
    json.key("input_id")
    if let id = track.inputID { json.value(Int64(id)) } else { json.null() }
    json.member("handler", track.handler.description)
    json.member("timescale", Int(track.timescale))
    json.member("input_movie_timescale", Int(track.inputMovieTimescale))
    json.member("samples", track.sampleCount)
    json.member("fragments", track.fragmentCount)
    json.member("start", Int(track.start))
    json.member("media_duration", Int(track.mediaDuration))
    json.key("presentation_duration")
    json.value(track.presentationDuration)
    json.write(edits: track.edits)
    json.endObject()
  }
}

extension JSONWriter {
  package mutating func member(_ name: StaticText, _ text: String) {
    key(name)
    value(text)
  }
  package mutating func member(_ name: StaticText, _ number: Int) {
    key(name)
    value(number)
  }
  /// An array with an element on each line.
  package mutating func member(_ name: StaticText, _ count: Int, element write: (inout JSONWriter, Int) -> Void) {
    key(name, onNewLine: true)
    beginArray()
    for index in 0..<count {
      element(onNewLine: true)
      write(&self, index)
    }
    endArray()
  }
  /// An array of texts in one line.
  package mutating func write(_ texts: [String]) {
    beginArray()
    for text in texts {
      element()
      value(text)
    }
    endArray()
  }
  mutating func write(_ time: MediaTime) {
    beginObject()
    member("value", Int(time.value))
    member("timescale", Int(time.timescale))
    endObject()
  }
  mutating func write(edits: [EditListBox.Entry]) {
    key("edits")
    beginArray()
    for edit in edits {
      element()
      beginObject()
      key("segment_duration")
      value(edit.segmentDuration)
      member("media_time", Int(edit.mediaTime))
      member("media_rate_integer", Int(edit.mediaRateInteger))
      member("media_rate_fraction", Int(edit.mediaRateFraction))
      endObject()
    }
    endArray()
  }
  package mutating func write(_ severity: Diagnostic.Severity?) {
    key("severity", onNewLine: true)
    if let severity { value(severity.name) } else { null() }
  }
  package mutating func write(_ output: DefragmentReport.Output) {
    beginObject()
    key("name")
    if let name = output.name { value(name) } else { null() }
    member("size", output.byteCount)
    key("is_written")
    value(output.isWritten)
    endObject()
  }
}

extension Diagnostic.Severity {
  /// The name of the case.
  package var name: String {
    switch self {
    case .note: "note"
    case .warning: "warning"
    case .error: "error"
    }
  }
}
