public import Bytes
import ISOBMFF

extension FragmentPlan {
  /// Writes a JSON report with all decisions; the man page of `mp4tool fragment` lists its members.
  ///
  /// `output` is the name of the file or folder in messages, `isWritten` whether it was written and not only planned,
  /// and `names` are those of the init segment and the media segments, if these are separate files.
  public func writeReport(
    to sink: any ByteSink, output: String?, isWritten: Bool, names: [String]? = nil
  ) throws(IOError) {
    let inputs = movie.inputs
    var json = JSONWriter(sink)
    json.beginObject()
    json.member("inputs", inputs.count) { json, index in DefragmentReport.write(inputs[index], &json) }
    let size =
      names == nil ? byteCount : segments.indices.reduce(initializationByteCount) { $0 + byteCount(ofSegment: $1) }
    json.key("output", onNewLine: true)
    json.write(DefragmentReport.Output(name: output, byteCount: size, isWritten: isWritten))
    json.write(diagnostics.map(\.severity).max())
    json.key("profile", onNewLine: true)
    switch options.profile {
    case .source: json.value("source")
    case .cmaf: json.value("cmaf")
    case .cmf2: json.value("cmf2")
    case .apple: json.value("apple")
    }
    writeParts(names: names, &json)
    json.member("diagnostics", diagnostics.count) { json, index in diagnostics[index].write(&json, inputs) }
    json.endObject()
    json.finish()
    if let failure = json.failure { throw failure }
  }

  /// Writes the brands, the tracks and the segments as members of an object.
  package func writeParts(names: [String]?, _ json: inout JSONWriter) {
    json.key("cmaf_brands", onNewLine: true)
    json.write(cmafBrands.map(\.description))
    json.member("tracks", tracks.count) { json, index in writeTrack(index, &json) }
    json.member("segments", segments.count + 1) { json, index in
      if index == 0 { writeInitialization(names?.first, &json) } else { write(index - 1, names?[index], &json) }
    }
  }

  private func writeTrack(_ index: Int, _ json: inout JSONWriter) {
    let (track, writer) = (tracks[index], writer.tracks[index])
    json.beginObject()
    json.member("id", Int(writer.trackID))
    json.member("input_id", Int(track.id))
    json.member("handler", track.handler.description)
    json.member("timescale", Int(track.timescale))
    json.member("movie_timescale", Int(movie.timescale))
    json.member("samples", writer.list.count)
    json.member("start", Int(writer.placement.start))
    json.member("media_duration", Int(writer.list.duration))
    json.write(edits: writer.placement.edits)
    json.key("is_reference")
    json.value(index == reference)
    json.endObject()
  }

  private func writeInitialization(_ name: String?, _ json: inout JSONWriter) {
    json.beginObject()
    json.member("type", "initialization")
    if let name { json.member("name", name) } else { json.member("offset", 0) }
    if let initializationSource { json.member("source", initializationSource) }
    json.member("size", initializationByteCount)
    json.endObject()
  }

  private func write(_ index: Int, _ name: String?, _ json: inout JSONWriter) {
    let segment = segments[index]
    json.beginObject()
    json.member("type", "separable")
    json.member("number", index + 1)
    if let name {
      json.member("name", name)
      json.member("size", byteCount(ofSegment: index))
    } else {
      json.member("offset", offset(ofSegment: index))
      if let source = segment.source { json.member("source", source) }
      json.member("size", segment.byteCount)
    }
    json.key("start")
    json.write(segment.start)
    json.key("duration")
    json.write(segment.duration)
    json.member("fragments", segment.fragmentSizes.count)
    json.key("starts_with_sync")
    json.value(segment.accessPoint != .none)
    json.key("tracks")
    json.beginArray()
    for track in segment.tracks {
      json.element()
      write(track, inFile: byteCount(ofSegment: index) - segment.byteCount, isFile: name != nil, &json)
    }
    json.endArray()
    json.endObject()
  }

  private func write(_ track: MediaSegment.Track, inFile front: Int, isFile: Bool, _ json: inout JSONWriter) {
    json.beginObject()
    json.member("id", Int(trackIDs[track.index]))
    json.member("handler", tracks[track.index].handler.description)
    json.member("timescale", Int(tracks[track.index].timescale))
    json.member("samples", track.sampleCount)
    json.member("decode_time", Int(track.decodeTime))
    json.member("earliest_presentation_time", Int(track.earliestPresentationTime))
    json.member("duration", Int(track.duration))
    json.member("media_bytes", track.byteCount)
    json.key("first_sample")
    json.beginObject()
    json.member("presentation_time", Int(track.firstSample.presentationTime))
    json.member("offset", track.firstSample.offset + (isFile ? front : 0))
    json.member("size", track.firstSample.length)
    json.key("is_sync")
    json.value(track.firstSample.isSync)
    json.endObject()
    json.endObject()
  }
}

extension Movie {
  /// The input files for reports.
  package var inputs: [DefragmentReport.Input] { DefragmentReport.inputs(input) }
}
