public import Bytes
public import ISOBMFF

/// What is known of a track besides its samples.
extension Movie {
  /// The name of the input that has the movie box.
  public var name: String { input.sources[input.groups.first?.source ?? 0].name }

  /// The name of the input that has the movie box of a track.
  public func name(ofTrack index: Int) -> String { input.name(ofTrack: index) }

  /// Whether two tracks come from one input with a movie box.
  public func isSameInput(ofTracks first: Int, _ second: Int) -> Bool {
    input.group(of: first)?.tracks.contains(second) ?? false
  }

  /// How the samples of a track are coded, by sample description.
  public func decoderConfigurations(ofTrack index: Int) throws(MovieError) -> [DecoderConfiguration] {
    guard let trak = trak(index), let group = input.group(of: index) else { return [] }
    return try group.movie.decoderConfigurations(
      of: trak, tracks[index].handler, from: input.sources[trak.source])
  }

  /// The language of a track: its tag by BCP 47 where it has one (`elng`), else three letters of ISO 639-2; `nil` where it
  /// is not known.
  public func language(ofTrack index: Int) throws(MovieError) -> String? {
    guard let trak = trak(index), let mdia = trak.first("mdia") else { return nil }
    let payloads = MoviePayloads(source: input.sources[trak.source])
    if let box = mdia.first("elng") {
      let elng = try payloads.payload(of: box, in: "moov/trak/mdia/elng", ExtendedLanguageBox.self)
      let tag = elng.extendedLanguage.description
      if !tag.isEmpty { return tag }
    }
    let mdhd = try payloads.payload(of: mdia.first("mdhd"), in: "moov/trak/mdia/mdhd", MediaHeaderBox.self)
    return Self.letters(mdhd.language.rawValue)
  }

  /// Whether the matrix of a track turns its pictures by a quarter, so that width and height change places.
  public func isTurned(track index: Int) throws(MovieError) -> Bool {
    guard let trak = trak(index) else { return false }
    return try MoviePayloads(source: input.sources[trak.source]).isTurned(trak)
  }

  /// The scheme by which the samples of a track are encrypted, such as `cenc` or `cbcs`; `nil` where they are not.
  public func protectionScheme(ofTrack index: Int) throws(MovieError) -> FourCC? {
    guard let trak = trak(index) else { return nil }
    return try MoviePayloads(source: input.sources[trak.source]).protectionScheme(trak)
  }

  /// Whether decoding can start at every sample of a track.
  public func isAllSync(track index: Int) -> Bool { lists[index].isAllSync }

  /// The number of samples of a track.
  public func sampleCount(ofTrack index: Int) -> Int { lists[index].count }

  /// The letters of a packed code of ISO 639-2, or those of a language of QuickTime; `nil` for what is not determined.
  private static func letters(_ code: UInt16) -> String? {
    if code < QuickTimeLanguage.limit { return QuickTimeLanguage(code)?.letters }
    let letters = [10, 5, 0].map { UInt8(code >> UInt16($0) & 31) + 0x60 }
    guard letters.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }) else { return nil }
    let text = String(decoding: letters, as: UTF8.self)
    return text == "und" ? nil : text
  }
  /// The box of a track.
  private func trak(_ index: Int) -> Box? {
    guard let group = input.group(of: index) else { return nil }
    return group.movie.trak(index - group.tracks.lowerBound)
  }
}
