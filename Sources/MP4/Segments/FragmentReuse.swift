import ISOBMFF
import MP4Bytes

/// How existing movie fragments of the sources are used.
public enum FragmentReuse: Sendable {
  /// Their samples are written to new fragments.
  case remuxed
  /// The samples of each are written to one new fragment, if the order of the fragments is that of their samples.
  /// Segments start at fragments.
  case kept
  /// They are copied byte for byte, if segments start at fragment boundaries anyway and nothing needs repair.
  case copied
  /// Segments are ranges of the sources and start only at movie fragments; nothing is copied.
  case referenced
}

extension Movie {
  /// Rejects movie fragments that cannot be used unchanged, because they do not contain the same samples as the movie.
  func checkIsWhole() throws(MovieError) {
    func impossible(_ code: Obstacle.Code, _ text: String) -> MovieError {
      .impossible(file: name, Obstacle(code, text))
    }
    guard let group = input.groups.first, input.groups.count == 1 else {
      throw impossible("several_inputs", "its tracks come from several inputs")
    }
    if let damage = group.movie.damage.first { throw impossible("damaged_movie", Diagnostic(damage, name).text) }
    guard group.movie.droppedTracks.isEmpty else {
      throw impossible("unselected_tracks", "its movie fragments have more tracks than selected")
    }
    let first = fragments.tracks.compactMap { $0.starts.first?.fragment }.min().map { fragments.fragments[$0] }
    if let first, first.source == group.source, first.offset < group.header.offset {
      throw impossible("movie_after_fragments", "its moov is after its first movie fragment")
    }
  }

  /// Whether movie fragments could be copied beside new ones that start at 0: nothing was moved or repaired.
  var canBeCopied: Bool {
    guard start.value == 0 || hasOneTimeline, input.groups.count == 1 else { return false }
    let isRepaired = diagnostics.contains { !$0.isOfWriting && $0.severity > .note }
    // The edits in the movie box are to be omitted.
    let areEditsKept = tracks.allSatisfy { $0.edits.isEmpty || !$0.writtenEdits.isEmpty }
    return !isRepaired && areEditsKept && input.contents.allSatisfy(\.kept.isEmpty)
  }

  /// The part of the source before its movie fragments, up to the end of the movie box.
  func sourceInitialization() throws(MovieError) -> OutputPlan {
    var plan = OutputPlan(sources: input.sources, diagnostics: [])
    guard let group = input.groups.first else { return plan }
    plan.copy(0..<group.header.end, of: group.source)
    let brands = try input.fileType()
    // RFC 8216, 3.3.
    if !([brands.majorBrand] + brands.compatibleBrands).contains(where: Self.withDecodeTimes.contains) {
      let text = "its ftyp has neither the brand iso6 nor a later one, as RFC 8216 requires"
      plan.diagnostics.append(Diagnostic(.note, name, text))
    }
    return plan
  }
  private static let withDecodeTimes: Set<FourCC> = [
    "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc", "cmfc", "cmf2",
  ]

  /// The movie box without durations, as RFC 8216, 3.3, requires, and matching brands.
  func copiedInitialization() throws(MovieError) -> OutputPlan {
    var plan = OutputPlan(sources: input.sources, diagnostics: [])
    guard let group = input.groups.first else { return plan }
    let payloads = MoviePayloads(source: input.sources[group.source])
    var moov = group.movie.box
    var mvhd = try payloads.payload(of: moov.first("mvhd"), in: "moov/mvhd", MovieHeaderBox.self)
    if mvhd.duration > 0 {
      mvhd.duration = 0
      moov.edit("mvhd") { $0.fields = .edited(mvhd) }
    }
    for trak in moov.boxes.indices where moov.boxes[trak].type == "trak" {
      var tkhd = try payloads.payload(of: moov.boxes[trak].first("tkhd"), in: "moov/trak/tkhd", TrackHeaderBox.self)
      guard tkhd.duration > 0 else { continue }
      tkhd.duration = 0
      moov.boxes[trak].edit("tkhd") { $0.fields = .edited(tkhd) }
    }
    let fileType = try input.fileType()
    let cmaf = Array(fileType.compatibleBrands).filter { ["cmfc", "cmf2"].contains($0) }
    plan.parts = [
      .boxes(try input.serializer([Box(Brands.fragmented(fileType, cmaf: cmaf))])),
      .boxes(try input.serializer([moov])),
    ]
    return plan
  }
}

extension Diagnostic {
  /// Whether it is about new movie fragments, and not about the input itself.
  package var isOfWriting: Bool {
    switch kind {
    case .omitted, .notCarried, .notCarriedOfMovie, .otherEncryption, .rebased, .roundedStart, .shifted, .presented,
      .otherMovieBox, .negativeOffsets:
      true
    default: false
    }
  }
}
