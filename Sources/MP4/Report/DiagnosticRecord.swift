import ISOBMFF
package import MP4Bytes
package import MP4Records

/// A diagnostic in a report. Its members depend on its kind.
package struct DiagnosticRecord: RecordValue {
  private let diagnostic: Diagnostic
  private let inputs: [DefragmentReport.Input]
  package init(_ diagnostic: Diagnostic, _ inputs: [DefragmentReport.Input]) {
    (self.diagnostic, self.inputs) = (diagnostic, inputs)
  }

  package static var isSingle: Bool { false }
  package static var schema: RecordSchema {
    let integer = RecordSchema.type("integer")
    let text = RecordSchema.type("string")
    let always: [(StaticText, String, RecordSchema)] = [
      ("kind", "its kind", text), ("severity", "its severity", text), ("file", "the file", text),
      ("message", "the message as it is printed", text),
    ]
    let others: [(StaticText, String, RecordSchema)] = [
      ("track", "the index of the track that it is about in `tracks`", integer),
      ("input_id", "the ID of that track in the input", integer),
      ("timescale", "the timescale of times", integer), ("spans", "the places", .array(SpanRecord.schema)),
      ("path", "the path of the box", text), ("offset", "the offset in the file", integer),
      ("next", "the offset where the next fragment was found", integer), ("size", "the number of bytes", integer),
      ("id", "the ID of the unknown track", integer), ("time", "a time", integer),
      ("new_time", "the new time", integer),
      ("duration", "a duration", integer), ("types", "the types of boxes or sample entries", .array(text)),
      ("boxes", "the number of boxes", integer), ("items", "the number of items", integer),
      ("samples", "the number of samples", integer), ("fragments", "the number of fragments", integer),
      ("segments", "the number of segments", integer), ("gaps", "the number of gaps", integer),
      ("segment", "the name of the segment", text), ("declared", "the declared target duration", integer),
      ("needed", "the target duration that is needed", integer), ("other", "the name of the other file", text),
      ("reason", "the reason", text), ("by_name", "whether names determined the order", .type("boolean")),
      ("is_same_size", "whether both have the same size", .type("boolean")),
    ]
    return .object(
      "A message.",
      always.map { RecordSchema.Member(name: $0.0, meaning: $0.1, $0.2, isRequired: true) }
        + others.map { RecordSchema.Member(name: $0.0, meaning: $0.1, $0.2, isRequired: false) })
  }

  package func writeCell(to text: inout TextBuffer) {}
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("kind", diagnostic.kindName)
    json.member("severity", diagnostic.severity.name)
    json.member("file", diagnostic.file)
    if let track = diagnostic.track {
      json.member("track", track.index)
      json.member("input_id", Int(track.id))
      json.member("timescale", Int(track.timescale))
    }
    for (name, value) in diagnostic.values { json.member(name, value) }
    if let spans = diagnostic.spans {
      // Times are relative to the start of the presentation, as in messages.
      let start = diagnostic.track.map { $0.mediaStart.converted(to: $0.timescale).value } ?? 0
      json.member("spans", spans.map { SpanRecord($0, start, inputs) })
    }
    json.member("message", diagnostic.text)
    json.endObject()
  }

  private struct SpanRecord: Record {
    static let summary = "A place."
    private let span: Diagnostic.Span
    private let start: Int64
    private let inputs: [DefragmentReport.Input]
    init(_ span: Diagnostic.Span, _ start: Int64, _ inputs: [DefragmentReport.Input]) {
      (self.span, self.start, self.inputs) = (span, start, inputs)
    }
    static let members: [RecordMember<SpanRecord>] = [
      RecordMember("time", "its time, relative to the start of the presentation") { $0.span.time &- $0.start },
      RecordMember("duration", "its duration") { $0.span.duration },
      RecordMember("samples", "the number of omitted samples") { $0.span.samples },
      RecordMember("before", "the name of the input with the fragment before it") { $0.name($0.span.before) },
      RecordMember("after", "the name of the input with the fragment after it") { $0.name($0.span.after) },
    ]
    private func name(_ input: Int?) -> String? {
      input.flatMap { $0 < inputs.count ? inputs[$0].name : nil }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticText, _ value: any RecordValue) {
    key(name)
    value.write(to: &self)
  }
}

extension Diagnostic {
  fileprivate var spans: [Span]? {
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

  /// The members of the diagnostic besides spans, in output order.
  fileprivate var values: [(StaticText, any RecordValue)] {
    switch kind {
    case .undecryptable(let samples): [("samples", samples)]
    case .joints(_, let count): [("samples", count)]
    case .reordered(let count), .otherEncryption(let count): [("fragments", count)]
    case .damagedBox(let type, let error, let next):
      [("path", "\(type)"), ("offset", error.offset)] + number("next", next)
    case .damagedInFragment(let path, let error, let time):
      [("path", path), ("offset", error.offset)] + number("time", time.map { Int($0) })
    case .excessiveSize(let type, let error): [("path", "\(type)"), ("offset", error.offset)]
    case .notABox(let range, _), .zeros(let range), .cutHeader(let range):
      [("offset", range.lowerBound), ("size", range.count)]
    case .impossibleRun(let path, let offset, _, let time):
      [("path", path), ("offset", offset)] + number("time", time.map { Int($0) })
    case .noTrackHeader(let path): [("path", path)]
    case .unknownTrack(let path, let id): [("path", path), ("id", Int(id))]
    case .noPlace(let type, let count), .omitted(let type, let count), .notCarried(let type, let count):
      [("types", [type]), ("boxes", count)]
    case .presented(let amount, _), .negativeOffsets(let amount): [("duration", Int(amount))]
    case .longSegments(let count, _): [("segments", count)]
    case .notCarriedOfMovie(let types): [("types", types)]
    case .undescribed(_, let samples): [("samples", samples)]
    case .lostItems(let count): [("items", count)]
    case .gapTooLong(let count, let time): [("gaps", count)] + number("time", time.map { Int($0) })
    case .rebased(let start, let new):
      [("time", Int(start.value)), ("timescale", Int(start.timescale))]
        + number("new_time", new.value == 0 ? nil : Int(new.value))
    case .hiddenPriming(let start):
      [("time", Int(start.value)), ("timescale", Int(start.timescale))]
    case .lostTrack(_, let samples): [("samples", samples)]
    case .segmentsSorted(let byName): [("by_name", byName)]
    case .segmentGap(let name, let amount), .segmentOverlap(let name, let amount):
      [
        ("other", name), ("duration", Int(amount.value)), ("timescale", Int(amount.timescale)),
      ]
    case .segmentTwice(let name, let isSameSize): [("other", name), ("is_same_size", isSameSize)]
    case .overTarget(let segment, _, let declared, let needed):
      [("segment", segment), ("declared", declared), ("needed", needed)]
    case .combined(let name), .equalMovie(let name), .copy(let name): [("other", name)]
    case .misfit(let movie, let misfit): [("other", movie), ("reason", misfit.description)]
    case .staleBases(let count, let first): [("fragments", count), ("offset", first)]
    case .otherMovieBox(let type, let name): [("types", [type]), ("other", name)]
    case .renamedFormat(let old, let new): [("types", [old, new])]
    case .quickTimeOnly(let type, _): [("types", [type])]
    case .converted, .timing, .missingData, .emptyTrack, .roundedStart, .severalEdits, .shifted, .progressive,
      .rebuilt, .other:
      []
    }
  }
  private func number(_ name: StaticText, _ value: Int?) -> [(StaticText, any RecordValue)] {
    value.map { [(name, $0)] } ?? []
  }
}
