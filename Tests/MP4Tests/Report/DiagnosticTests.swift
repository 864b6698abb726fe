import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Records
import Support
import Testing

@testable import MP4

@Suite("Messages and JSON are created from the same values")
struct DiagnosticTests {
  private static let spans = [Diagnostic.Span(time: 90, duration: 45, samples: 3)]
  private static let error = BoxError(.truncated(needed: 4, left: 2), field: "duration", offset: 77)

  /// Each kind with its severity, JSON name, message, and specific keys.
  static let cases: [(Diagnostic.Kind, Diagnostic.Severity, String, String, [String])] = [
    (
      .equalMovie(as: "a.mp4"), .warning, "equal_movie",
      "it has the same moov as a.mp4, but different samples at the same times; its tracks are added beside those of "
        + "a.mp4, not after them",
      ["other"]
    ),
    (
      .copy(of: "a.mp4"), .warning, "copy",
      "it has the same moov and samples as a.mp4; used once",
      ["other"]
    ),
    (
      .misfit(of: "init.mp4", .samples(track: 1, .channels(1, declared: 2))), .error, "misfit",
      "it does not match the init segment init.mp4: track 1: its audio has 1 channel, not 2; omitted",
      ["other", "reason"]
    ),
    (
      .staleBases(fragments: 1, first: 24), .warning, "stale_bases",
      "the base data offset of 1 fragment, the first at byte 24, is out of date, as if a box had been inserted; the "
        + "data was located relative to the start of the fragment",
      ["fragments", "offset"]
    ),
    (
      .negativeOffsets(9), .note, "negative_offsets",
      "it has negative composition offsets; players that do not support them, such as ffmpeg up to 9.0, present it "
        + "0.100 s late",
      ["duration"]
    ),
    (
      .timing(.gap, spans), .warning, "gap",
      "gap of 0.500 s at 1.000 s; the sample before it was extended", ["spans"]
    ),
    (
      .timing(.stepBack, spans + spans), .warning, "step_back",
      "2 fragments, the first at 1.000 s, start before the previous fragment ends; the last sample before "
        + "each was shortened",
      ["spans"]
    ),
    (
      .timing(.repeated, spans), .warning, "repeated",
      "3 samples from 1.000 s on are repeated; used once", ["spans"]
    ),
    (
      .timing(.replaced, spans), .error, "replaced",
      "later fragments replace 3 samples from 1.000 s on with different ones", ["spans"]
    ),
    (
      .timing(.keptAsAsked, spans), .note, "kept",
      "3 samples of later fragments from 1.000 s on are omitted: earlier fragments have different samples at these "
        + "times",
      ["spans"]
    ),
    (
      .timing(.replacedAsAsked, spans), .note, "replaced",
      "later fragments replace 3 samples from 1.000 s on with different ones", ["spans"]
    ),
    (
      .timing(.overrun, spans + spans), .warning, "overrun",
      "sample durations in 2 fragments extend past the start of the next fragment; scaled to fit",
      ["spans"]
    ),
    (
      .missingData(spans), .error, "missing_data", "no data for 3 samples from 1.000 s to 1.500 s; omitted",
      ["spans"]
    ),
    (
      .missingData([Diagnostic.Span(time: 90, duration: 0, samples: 1)]), .error, "missing_data",
      "no data for 1 sample at 1.000 s; omitted", ["spans"]
    ),
    (
      .damagedBox("mdat", error, next: 99), .error, "damaged_box",
      "mdat: duration at byte 77 needs 4 bytes but 2 are left; the next fragment was found at byte 99",
      ["next", "offset", "path"]
    ),
    (
      .damagedInFragment(path: "moof/traf/trun[2]", error, time: 45), .error, "damaged_box",
      "moof/traf/trun[2]: duration at byte 77 needs 4 bytes but 2 are left; its samples (fragment at 0.500 s) are "
        + "omitted",
      ["offset", "path", "time"]
    ),
    (
      .damagedInFragment(path: "moof/traf/senc", error, time: nil), .error, "damaged_box",
      "moof/traf/senc: duration at byte 77 needs 4 bytes but 2 are left; its information is omitted",
      ["offset", "path"]
    ),
    (
      .notABox(8..<20, isOmitted: true), .error, "not_a_box", "12 bytes from byte 8 on are not a box; omitted",
      ["offset", "size"]
    ),
    (
      .zeros(8..<20), .warning, "zeros", "12 zeros from byte 8 on follow the last box; omitted", ["offset", "size"]
    ),
    (
      .excessiveSize("mdat", error), .warning, "excessive_size",
      "mdat: duration at byte 77 needs 4 bytes but 2 are left, which contain all of its samples", ["offset", "path"]
    ),
    (
      .cutHeader(8..<12), .error, "cut_header", "the file is cut off inside the box header at byte 8",
      ["offset", "size"]
    ),
    (.notABox(8..<9, isOmitted: false), .note, "not_a_box", "1 byte from byte 8 on is not a box", ["offset", "size"]),
    (
      .impossibleRun(path: "moof/traf/trun", offset: 5, reason: "why", time: nil), .error, "impossible_run",
      "moof/traf/trun at byte 5: why; its samples are omitted", ["offset", "path"]
    ),
    (
      .unknownTrack(path: "moof/traf/tfhd", id: 9), .error, "unknown_track",
      "moof/traf/tfhd: track 9 is not declared in moov; its fragments are omitted", ["id", "path"]
    ),
    (
      .noPlace("emsg", count: 2), .note, "no_place", "a progressive file cannot contain 2 emsg boxes; omitted",
      ["boxes", "types"]
    ),
    (
      .notCarried("uuid", count: 1), .error, "not_carried",
      "1 uuid box of the track fragments cannot be carried over; omitted", ["boxes", "types"]
    ),
    (
      .notCarriedOfMovie(["saio", "saiz"]), .error, "not_carried",
      "the sample information in moov's saio, saiz cannot be carried over; omitted", ["types"]
    ),
    (
      .damagedBox("moof", error, next: 99), .error, "damaged_box",
      "moof: duration at byte 77 needs 4 bytes but 2 are left; the next box was found at byte 99",
      ["next", "offset", "path"]
    ),
    (
      .undecryptable(samples: 2), .warning, "undecryptable",
      "the encryption data (senc, or saiz and saio) of 2 samples is missing; they cannot be decrypted from this input",
      ["samples"]
    ),
    (
      .lostItems(1), .error, "lost_items", "meta/iloc: 1 item is not complete in the file; omitted",
      ["items"]
    ),
    (
      .undescribed(.unknown, samples: 1), .error, "undescribed",
      "1 sample refers to a sample description that does not exist; the last one is used instead", ["samples"]
    ),
    (
      .undescribed(.zero, samples: 2), .warning, "undescribed",
      "2 samples refer to sample description 0; 1 is used instead", ["samples"]
    ),
    (
      .overTarget(segment: "segment3.m4s", duration: MediaTime(6, 1), declared: 2, needed: 6), .warning, "over_target",
      "segment3.m4s lasts 6.000 s, but the playlist declares at most 2 s and cannot change; players may stall",
      ["declared", "needed", "segment"]
    ),
    (.emptyTrack, .note, "empty_track", "it has no samples", []),
    (
      .gapTooLong(count: 1, time: 180), .error, "gap_too_long",
      "a gap at 2.000 s exceeds the maximum duration of a sample; the following samples are too early",
      ["gaps", "time"]
    ),
    (
      .rebuilt(.contradiction(path: "stts", .times(of: 3, sizes: 2))), .warning, "rebuilt",
      "stts: it declares the times of 3 samples, but there are 2 sizes; the sample tables are re-created", []
    ),
    (
      .lostTrack(.impossible(file: "a", .missingBox("stbl/stsz")), samples: 2), .error, "lost_track",
      "its samples cannot be found: stbl/stsz: the box is missing; 2 samples omitted",
      ["samples"]
    ),
    (
      .segmentTwice(of: "b", isSameSize: true), .warning, "segment_twice",
      "this segment has the same times as b; one of them is a duplicate", ["is_same_size", "other"]
    ),
    (.other(.warning, "a sentence"), .warning, "other", "a sentence", []),
  ]

  @Test("A diagnostic is printed and written with its values", arguments: 0..<cases.count)
  func isToldAndWritten(index: Int) throws {
    let (kind, severity, name, sentence, keys) = Self.cases[index]
    let diagnostic = Diagnostic(kind, "a.mp4", Diagnostic.Track(index: 0, id: 7, timescale: 90))
    #expect(diagnostic.severity == severity)
    #expect(diagnostic.description == "a.mp4: track 7: " + sentence)
    let sink = MemorySink()
    var json = JSONWriter(sink)
    DiagnosticRecord(diagnostic, []).write(to: &json)
    json.finish()
    let read = try JSONValue(sink.bytes)
    #expect(read["kind"]?.string == name)
    #expect(read["message"]?.string == "track 7: " + sentence)
    #expect(read["timescale"]?.number == "90")
    #expect(
      read.keys == (keys + ["file", "input_id", "kind", "message", "severity", "timescale", "track"]).sorted())
    #expect(Set(read.keys).isSubset(of: DiagnosticRecord.schema.paths.map(\.path)))
  }

  @Test("Diagnostics that are not about a track name none")
  func withoutTrack() throws {
    let diagnostic = Diagnostic(.rebased(MediaTime(100, 1)), "a.mp4")
    #expect(
      diagnostic.description == "a.mp4: the presentation starts at 100.000 s; all tracks were moved to 0")
    let sink = MemorySink()
    var json = JSONWriter(sink)
    DiagnosticRecord(diagnostic, []).write(to: &json)
    json.finish()
    #expect(try JSONValue(sink.bytes).keys == ["file", "kind", "message", "severity", "time", "timescale"])
  }
}
