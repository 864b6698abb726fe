package import Bytes
import ISOBMFF

extension Diagnostic {
  /// Writes the values and the sentence of the diagnostic as an object.
  package func write(_ json: inout JSONWriter, _ inputs: [DefragmentReport.Input]) {
    json.beginObject()
    json.member("kind", kindName)
    json.member("severity", severity.name)
    json.member("file", file)
    if let track {
      json.member("track", track.index)
      json.member("input_id", Int(track.id))
      json.member("timescale", Int(track.timescale))
    }
    for (name, value) in values {
      switch value {
      case .number(let number): json.member(name, number)
      case .text(let text): json.member(name, text)
      case .claim(let claim):
        json.key(name)
        json.value(claim)
      case .types(let types):
        json.key(name)
        json.beginArray()
        for type in types {
          json.element()
          json.value(type.description)
        }
        json.endArray()
      }
    }
    if let spans { write(spans, &json, inputs) }
    json.member("message", text)
    json.endObject()
  }

  private func write(_ spans: [Span], _ json: inout JSONWriter, _ inputs: [DefragmentReport.Input]) {
    // Times are relative to the start of the presentation, as in messages.
    let start = track.map { $0.mediaStart.converted(to: $0.timescale).value } ?? 0
    json.key("spans")
    json.beginArray()
    for span in spans {
      json.element()
      json.beginObject()
      json.member("time", Int(span.time &- start))
      json.member("duration", Int(span.duration))
      json.member("samples", span.samples)
      if let before = span.before, before < inputs.count { json.member("before", inputs[before].name) }
      if let after = span.after, after < inputs.count { json.member("after", inputs[after].name) }
      json.endObject()
    }
    json.endArray()
  }

  private var spans: [Span]? {
    switch kind {
    case .timing(_, let spans), .missingData(let spans): spans
    default: nil
    }
  }

  /// The name of its kind in JSON.
  package var kindName: String {
    switch kind {
    case .timing(.gap, _): "gap"
    case .timing(.stepBack, _): "step_back"
    case .timing(.repeated, _): "repeated"
    case .timing(.replaced, _), .timing(.replacedAsAsked, _): "replaced"
    case .timing(.keptAsAsked, _): "kept"
    case .timing(.overrun, _): "overrun"
    case .timing(.impossible, _): "impossible_time"
    case .reordered: "reordered"
    case .missingData: "missing_data"
    case .damagedBox, .damagedInFragment: "damaged_box"
    case .excessiveSize: "excessive_size"
    case .zeros: "zeros"
    case .notABox: "not_a_box"
    case .cutHeader: "cut_header"
    case .impossibleRun: "impossible_run"
    case .noTrackHeader: "no_track_header"
    case .unknownTrack: "unknown_track"
    case .noPlace: "no_place"
    case .omitted: "omitted"
    case .presented: "presented"
    case .severalEdits: "several_edits"
    case .longSegments: "long_segments"
    case .negativeOffsets: "negative_offsets"
    case .notCarried, .notCarriedOfMovie: "not_carried"
    case .otherEncryption: "other_encryption"
    case .undecryptable: "undecryptable"
    case .lostItems: "lost_items"
    case .undescribed: "undescribed"
    case .emptyTrack: "empty_track"
    case .gapTooLong: "gap_too_long"
    case .rebased: "rebased"
    case .hiddenPriming: "hidden_priming"
    case .roundedStart: "rounded_start"
    case .shifted: "shifted"
    case .combined: "combined"
    case .equalMovie: "equal_movie"
    case .copy: "copy"
    case .staleBases: "stale_bases"
    case .misfit: "misfit"
    case .otherMovieBox: "other_movie_box"
    case .converted: "converted"
    case .renamedFormat: "renamed_format"
    case .quickTimeOnly: "quick_time_only"
    case .progressive: "progressive"
    case .rebuilt: "rebuilt"
    case .lostTrack: "lost_track"
    case .segmentsSorted: "segments_sorted"
    case .segmentGap: "segment_gap"
    case .segmentOverlap: "segment_overlap"
    case .segmentTwice: "segment_twice"
    case .overTarget: "over_target"
    case .joints(.brokenLink, _): "joint_broken_link"
    case .joints(.endOfSequence, _): "joint_end_of_sequence"
    case .joints(.repeated, _): "joint_repeated"
    case .joints(.hiddenSync, _): "joint_hidden_sync"
    case .joints(.continued, _): "joint_continued"
    case .joints(.disordered, _): "joint_disordered"
    case .joints(.unknown, _): "joint_unknown"
    case .other: "other"
    }
  }

  private enum Value {
    case number(Int)
    case text(String)
    case claim(Bool)
    case types([FourCC])
  }

  /// The members of the diagnostic besides spans, in output order.
  private var values: [(StaticText, Value)] {
    switch kind {
    case .undecryptable(let samples): [("samples", .number(samples))]
    case .joints(_, let count): [("samples", .number(count))]
    case .reordered(let count), .otherEncryption(let count): [("fragments", .number(count))]
    case .damagedBox(let type, let error, let next):
      [("path", .text("\(type)")), ("offset", .number(error.offset))] + number("next", next)
    case .damagedInFragment(let path, let error, let time):
      [("path", .text(path)), ("offset", .number(error.offset))] + number("time", time.map { Int($0) })
    case .excessiveSize(let type, let error): [("path", .text("\(type)")), ("offset", .number(error.offset))]
    case .notABox(let range, _), .zeros(let range), .cutHeader(let range):
      [("offset", .number(range.lowerBound)), ("size", .number(range.count))]
    case .impossibleRun(let path, let offset, _, let time):
      [("path", .text(path)), ("offset", .number(offset))] + number("time", time.map { Int($0) })
    case .noTrackHeader(let path): [("path", .text(path))]
    case .unknownTrack(let path, let id): [("path", .text(path)), ("id", .number(Int(id)))]
    case .noPlace(let type, let count), .omitted(let type, let count), .notCarried(let type, let count):
      [("types", .types([type])), ("boxes", .number(count))]
    case .presented(let amount, _), .negativeOffsets(let amount): [("duration", .number(Int(amount)))]
    case .longSegments(let count, _): [("segments", .number(count))]
    case .notCarriedOfMovie(let types): [("types", .types(types))]
    case .undescribed(_, let samples): [("samples", .number(samples))]
    case .lostItems(let count): [("items", .number(count))]
    case .gapTooLong(let count, let time): [("gaps", .number(count))] + number("time", time.map { Int($0) })
    case .rebased(let start, let new):
      [("time", .number(Int(start.value))), ("timescale", .number(Int(start.timescale)))]
        + number("new_time", new.value == 0 ? nil : Int(new.value))
    case .hiddenPriming(let start):
      [("time", .number(Int(start.value))), ("timescale", .number(Int(start.timescale)))]
    case .lostTrack(_, let samples): [("samples", .number(samples))]
    case .segmentsSorted(let byName): [("by_name", .claim(byName))]
    case .segmentGap(let name, let amount), .segmentOverlap(let name, let amount):
      [
        ("other", .text(name)), ("duration", .number(Int(amount.value))), ("timescale", .number(Int(amount.timescale))),
      ]
    case .segmentTwice(let name, let isSameSize): [("other", .text(name)), ("is_same_size", .claim(isSameSize))]
    case .overTarget(let segment, _, let declared, let needed):
      [("segment", .text(segment)), ("declared", .number(declared)), ("needed", .number(needed))]
    case .combined(let name), .equalMovie(let name), .copy(let name): [("other", .text(name))]
    case .misfit(let movie, let misfit): [("other", .text(movie)), ("reason", .text(misfit.description))]
    case .staleBases(let count, let first): [("fragments", .number(count)), ("offset", .number(first))]
    case .otherMovieBox(let type, let name): [("types", .types([type])), ("other", .text(name))]
    case .renamedFormat(let old, let new): [("types", .types([old, new]))]
    case .quickTimeOnly(let type, _): [("types", .types([type]))]
    case .converted, .timing, .missingData, .emptyTrack, .roundedStart, .severalEdits, .shifted, .progressive,
      .rebuilt, .other:
      []
    }
  }
  private func number(_ name: StaticText, _ value: Int?) -> [(StaticText, Value)] {
    value.map { [(name, .number($0))] } ?? []
  }
}
