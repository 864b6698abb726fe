import ISOBMFF
import MP4
import MP4Bytes

/// Properties of a rendition that may cause playback failures or violate Apple's HLS Authoring Specification. Numbers
/// refer to its rules.
struct AuthoringNotes {
  private let rendition: PackagedRendition
  private let movie: Movie
  private(set) var diagnostics: [Diagnostic] = []

  /// Checks a rendition of the tracks of `movie`; if `isForApple`, also against Apple's rules.
  init(_ rendition: PackagedRendition, _ movie: Movie, isForApple: Bool) throws(MovieError) {
    (self.rendition, self.movie) = (rendition, movie)
    checkStart()
    if !isForApple { checkSampleEntries() }
    guard isForApple else { return }
    checkMuxedSound()
    checkEncryption()
    checkLanguage()
    try checkSegmentStarts()
  }

  private mutating func note(_ rule: String, _ text: String) {
    diagnostics.append(Diagnostic(.note, movie.name, "\(text) (Apple's HLS Authoring Specification, \(rule))"))
  }

  private mutating func checkStart() {
    guard rendition.kind == .video, rendition.fragments.segments.first?.accessPoint == MediaSegment.AccessPoint.none
    else { return }
    let text =
      "its first picture is not a keyframe; players show nothing, or a broken picture, until the first keyframe"
    diagnostics.append(Diagnostic(.warning, movie.name, text))
  }

  private mutating func checkSampleEntries() {
    let formats: Set<FourCC> = ["hev1", "avc3", "dvhe", "dvav"]
    guard let format = rendition.configurations.map(\.codedFormat).first(where: formats.contains) else { return }
    note("1.10", "its sample entry is \(format), which Apple players may not play; the Apple profile changes it")
  }

  private mutating func checkMuxedSound() {
    let count = movie.tracks.count { $0.handler == "soun" }
    guard count > 1 else { return }
    note("2.17", "its segments have \(count) audio tracks, but players play only one; do not mux more than one")
  }

  private mutating func checkEncryption() {
    guard let scheme = rendition.scheme, ["cenc", "cens"].contains(scheme) else { return }
    note("13.11", "it is encrypted with \(scheme) (SAMPLE-AES-CTR), which Apple players do not support; use cbcs")
  }

  private mutating func checkLanguage() {
    guard rendition.kind != .video, rendition.language == nil else { return }
    note("8.10", "its language is unknown, so EXT-X-MEDIA has no LANGUAGE")
  }

  /// Checks the first picture of each segment.
  private mutating func checkSegmentStarts() throws(MovieError) {
    guard rendition.kind == .video, let (codec, lengthSize) = rendition.configurations.lazy.compactMap(\.nalUnits).first
    else { return }
    var others: [MediaTime] = []
    var hasCaptions = false
    for (index, segment) in rendition.fragments.segments.enumerated() {
      guard let sample = try rendition.fragments.startOfFirstSample(ofSegment: index) else { continue }
      for unit in NALUnits(sample, codec, lengthSize: lengthSize) {
        if codec.isMessage(unit.type), unit.bytes.hasCaptions { hasCaptions = true }
        guard codec.isSlice(unit.type) else { continue }
        if !codec.isIDR(unit.type) { others.append(segment.start) }
        break
      }
    }
    if let first = others.first {
      let count = others.count == 1 ? "1 segment starts" : "\(others.count) segments start"
      note("7.4", "\(count) with a picture that is not an IDR picture, the first at \(first)")
    }
    if hasCaptions, rendition.scheme == nil, rendition.captions?.isEmpty ?? true {
      note("4.4", "its video has closed captions (CEA-608 or CEA-708), which the playlists do not declare")
    }
  }

  /// The results for the parameter sets of the tracks.
  static func diagnostics(of found: [Movie.ParameterSets], _ movie: Movie) -> [Diagnostic] {
    found.compactMap { found in
      let text: String
      switch found {
      case .inEntries: return nil
      case .moved(let old, let new, let added, let repeated):
        text =
          "its sample entry \(old) was renamed to \(new), because it has all parameter sets"
          + (added > 0 ? "; \(added) of them were only in samples" : "")
          + (repeated > 0 ? "; \(repeated) keyframe\(repeated == 1 ? " repeats" : "s repeat") them" : "")
      case .inSamples(let old):
        text =
          "its samples have parameter sets that contradict each other or the sample entry, so it remains \(old), which "
          + "Apple players may not play (Apple's HLS Authoring Specification, 1.10)"
      }
      return Diagnostic(.note, movie.name, text)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether SEI messages have closed captions as registered by ATSC A/53: country, provider, `GA94`.
  fileprivate var hasCaptions: Bool {
    let pattern: [UInt8] = [0xb5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34]
    return indices.contains { self[$0] == pattern[0] && self[$0...].starts(with: pattern) }
  }
}
