import ISOBMFF
import MP4
import MP4Bytes

/// The tracks of inputs that become renditions, individually or all tracks of an input together.
struct RenditionParts {
  struct Part {
    var kind: PackagedRendition.Kind
    var movie: Movie
    /// The numbers of the inputs with these samples.
    var inputs: Set<Int>
    var attributes = Packager.RenditionAttributes()
  }
  private(set) var all: [Part] = []
  private(set) var diagnostics: [Diagnostic] = []
  private var inputCount = 0
  /// The attributes of the input that is read.
  private var attributes = Packager.RenditionAttributes()

  /// The parts of movies. The renditions of each have these attributes: one element for all of its inputs, or one for
  /// each.
  init(
    _ movies: [Movie], _ attributes: [[Packager.RenditionAttributes]], _ options: Packager.Options
  ) throws(MovieError) {
    for (number, movie) in movies.enumerated() {
      let inputs = Self.inputs(of: movie)
      let own = attributes.indices.contains(number) ? attributes[number] : []
      for (index, tracks) in inputs.enumerated() {
        inputCount += 1
        self.attributes =
          own.count == inputs.count ? own[index] : own.count == 1 ? own[0] : Packager.RenditionAttributes()
        if options.storage == .referenced {
          try add(Self.kind(of: tracks, movie), movie.keeping(tracks: tracks))
        } else {
          try add(tracks, of: movie, isMuxed: options.isMuxed)
        }
      }
    }
  }

  /// The tracks of each input of a movie.
  private static func inputs(of movie: Movie) -> [[Int]] {
    var inputs: [[Int]] = []
    for index in movie.tracks.indices {
      if let last = inputs.last?.last, movie.tracks[last].isOfSameInput(as: movie.tracks[index]) {
        inputs[inputs.count - 1].append(index)
      } else {
        inputs.append([index])
      }
    }
    return inputs
  }

  /// The type of a rendition of all tracks of an input.
  private static func kind(of tracks: [Int], _ movie: Movie) -> PackagedRendition.Kind {
    let handlers = tracks.map { movie.tracks[$0] }.filter { !$0.samples.isEmpty }.map(\.handler)
    return handlers.contains("vide") ? .video : handlers.contains("soun") ? .audio : .text
  }

  /// Adds the tracks of one input.
  private mutating func add(_ tracks: [Int], of movie: Movie, isMuxed: Bool) throws(MovieError) {
    // Players play one sound of a rendition; those that use Media Source Extensions refuse two.
    let soundCount = tracks.count { movie.tracks[$0].handler == "soun" && !movie.tracks[$0].samples.isEmpty }
    if isMuxed, soundCount > 1 {
      let text = "its \(soundCount) audio tracks are separate renditions, because players play only one per rendition"
      diagnostics.append(Diagnostic(.note, movie.name, text))
    }
    let isMuxed = isMuxed && soundCount < 2
    var together: [Int] = []
    var parts: [(PackagedRendition.Kind, Movie)] = []
    for index in tracks where !movie.tracks[index].samples.isEmpty {
      let (track, own) = (movie.tracks[index], movie.keeping(tracks: [index]))
      let kind: PackagedRendition.Kind
      switch track.handler {
      case "vide": kind = .video
      case "soun": kind = .audio
      case _ where Self.isSubtitles(track): kind = .text
      // This track is converted to WebVTT.
      case _ where Packager.timedText(track) != nil || Packager.hasCaptions(track): continue
      default:
        let text = "track \(track.id): HLS has no \(track.handler) tracks; omitted"
        diagnostics.append(Diagnostic(.note, own.name, text))
        continue
      }
      if isMuxed, kind != .text { together.append(index) } else { parts.append((kind, own)) }
    }
    if !together.isEmpty {
      let isVideo = together.contains { movie.tracks[$0].handler == "vide" }
      parts.append((isVideo ? .video : .audio, movie.keeping(tracks: together)))
    }
    for (kind, movie) in parts { try add(kind, movie) }
  }

  /// WebVTT and TTML in MP4 are supported by HLS players.
  private static func isSubtitles(_ track: Track) -> Bool {
    guard ["text", "subt"].contains(track.handler) else { return false }
    return track.decoderConfigurations.contains { ["wvtt", "stpp"].contains($0.codedFormat) }
  }

  /// Adds a part, unless another one has the same samples.
  private mutating func add(_ kind: PackagedRendition.Kind, _ movie: Movie) throws(MovieError) {
    for at in all.indices where all[at].kind == kind {
      guard try Self.areSame(all[at].movie, movie, kind) else { continue }
      let (tracks, others) = (Self.names(movie), Self.names(all[at].movie))
      let text = "\(tracks): the same samples as \(others) of \(all[at].movie.name); used once"
      diagnostics.append(Diagnostic(.note, movie.name, text))
      all[at].inputs.insert(inputCount)
      // The language may be known for only one of them.
      if try all[at].movie.languages == [nil] { all[at].movie = movie }
      if all[at].attributes == Packager.RenditionAttributes() { all[at].attributes = attributes }
      return
    }
    all.append(Part(kind: kind, movie: movie, inputs: [inputCount], attributes: attributes))
  }

  private static func areSame(_ a: Movie, _ b: Movie, _ kind: PackagedRendition.Kind) throws(MovieError)
    -> Bool
  {
    guard a.tracks.count == b.tracks.count else { return false }
    if kind != .video || a.tracks.count > 1 {
      for (one, other) in zip(try a.languages, try b.languages) where one != other {
        guard a.tracks.count == 1, one == nil || other == nil else { return false }
      }
    }
    for (one, other) in zip(a.tracks, b.tracks) {
      guard try one.hasSameSamples(as: other) else { return false }
    }
    return true
  }

  private static func names(_ movie: Movie) -> String {
    "track\(movie.tracks.count == 1 ? "" : "s") " + movie.tracks.map { String($0.id) }.joined(separator: ", ")
  }
}

extension Movie {
  /// The languages of its tracks; `nil` if unknown.
  fileprivate var languages: [String?] {
    get throws(MovieError) {
      var result: [String?] = []
      for track in tracks { result.append(try track.readLanguage().map(LanguageTag.shortest)) }
      return result
    }
  }
}
