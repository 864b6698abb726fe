import ISOBMFF
import MP4Bytes

/// The information in the box of a track except the times of its samples.
struct TrackProperties: Sendable {
  /// The index of the source with its movie box.
  let input: Int
  let inputName: String
  /// The box itself.
  let box: Box
  let configurations: [DecoderConfiguration]
  let isEnabled: Bool
  let isRotated: Bool
  /// The nine numbers of its matrix; empty if unknown.
  let matrix: [Int32]
  let handler: FourCC
  let isChapters: Bool?
  let language: Result<String?, MovieError>
  let protectionScheme: Result<FourCC?, MovieError>
  let diagnostics: [Diagnostic]
}

extension MovieInput {
  /// The information in the boxes of all tracks.
  func trackProperties() throws(MovieError) -> [TrackProperties] {
    var result: [TrackProperties] = []
    for group in groups {
      let chapters = try chapters(of: group)
      for trak in group.movie.box.boxes where trak.type == "trak" && group.tracks.contains(result.count) {
        result.append(try properties(ofTrack: result.count, of: group, trak, chapters))
      }
    }
    return result
  }

  private func properties(ofTrack index: Int, of group: MovieGroup, _ trak: Box, _ chapters: Chapters)
    throws(MovieError) -> TrackProperties
  {
    let payloads = MoviePayloads(source: sources[trak.source])
    let track = tracks[index]
    let isChapters = chapters.tracks.contains(track.id) ? true : chapters.isDamaged ? nil : false
    let language = try payloads.result { () throws(MovieError) in try payloads.language(trak) }
    let scheme = try payloads.result { () throws(MovieError) in try payloads.protectionScheme(trak) }
    let header = try payloads.ifReadable { () throws(MovieError) in
      try payloads.payload(of: trak.first("tkhd"), in: "moov/trak/tkhd", TrackHeaderBox.self)
    }
    let name = sources[group.source].name
    var diagnostics: [Diagnostic] = []
    func note(_ error: MovieError, _ consequence: String) {
      diagnostics.append(Diagnostic(.other(.warning, "\(error.reason); \(consequence)"), name, tracks.reference(index)))
    }
    if case .failure(let error) = language { note(error, "its language is unknown") }
    if case .failure(let error) = scheme { note(error, "its encryption scheme is unknown") }
    return TrackProperties(
      input: group.source, inputName: name, box: trak,
      configurations: try group.movie.decoderConfigurations(of: trak, track.handler, from: sources[trak.source]),
      isEnabled: header.map { $0.flags & 1 != 0 } ?? true, isRotated: header?.turnsPictures ?? false,
      matrix: header?.matrix.values ?? [], handler: track.handler, isChapters: isChapters, language: language,
      protectionScheme: scheme, diagnostics: diagnostics)
  }

  /// The IDs of chapter tracks, according to the readable references.
  private typealias Chapters = (tracks: Set<UInt32>, isDamaged: Bool)

  private func chapters(of group: MovieGroup) throws(MovieError) -> Chapters {
    var result: Chapters = ([], false)
    let kept = group.movie.box.boxes.filter { $0.type == "trak" }.compactMap { $0.first("tref") }
    for references in kept + group.movie.droppedReferences {
      guard let box = references.first("chap") else { continue }
      let payloads = MoviePayloads(source: sources[references.source])
      let reference = try payloads.ifReadable { () throws(MovieError) in
        try payloads.payload(of: box, in: "moov/trak/tref/chap", TrackReferenceTypeBox.self)
      }
      if let reference { result.tracks.formUnion(reference.trackIDs) } else { result.isDamaged = true }
    }
    return result
  }
}

extension TrackHeaderBox {
  /// Whether the matrix rotates the picture by a quarter turn.
  fileprivate var turnsPictures: Bool {
    let values = matrix.values
    return values[0] == 0 && values[4] == 0 && values[1] != 0 && values[3] != 0
  }
}

extension MoviePayloads {
  /// The result of `read`, or the damage that prevents it; only errors of the source are thrown.
  fileprivate func result<Value>(_ read: () throws(MovieError) -> Value) throws(MovieError) -> Result<Value, MovieError>
  {
    do throws(MovieError) { return .success(try read()) } catch {
      if case .io = error { throw error }
      return .failure(error)
    }
  }

  fileprivate func language(_ trak: Box) throws(MovieError) -> String? {
    guard let mdia = trak.first("mdia") else { return nil }
    if let box = mdia.first("elng") {
      let elng = try payload(of: box, in: "moov/trak/mdia/elng", ExtendedLanguageBox.self)
      let tag = elng.extendedLanguage.description
      if !tag.isEmpty { return tag }
    }
    let mdhd = try payload(of: mdia.first("mdhd"), in: "moov/trak/mdia/mdhd", MediaHeaderBox.self)
    return Self.letters(mdhd.language.rawValue)
  }

  /// The letters of a packed ISO 639-2 code, or those of a QuickTime language; `nil` if undetermined.
  private static func letters(_ code: UInt16) -> String? {
    if code < QuickTimeLanguage.limit { return QuickTimeLanguage(code)?.letters }
    let letters = [10, 5, 0].map { UInt8(code >> UInt16($0) & 31) + 0x60 }
    guard letters.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }) else { return nil }
    let text = String(decoding: letters, as: UTF8.self)
    return text == "und" ? nil : text
  }

  /// Whether the matrix of a track rotates its picture by a quarter turn.
  func isRotated(_ trak: Box) throws(MovieError) -> Bool {
    try payload(of: trak.first("tkhd"), in: "moov/trak/tkhd", TrackHeaderBox.self).turnsPictures
  }
}
