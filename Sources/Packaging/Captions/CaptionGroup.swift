import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import TimedText

/// The closed captions in the pictures of video renditions as a group of a multivariant playlist.
struct CaptionGroup {
  static let id = "cc"
  /// All channels.
  private let channels: [CaptionChannel]
  /// Whether it is known that no rendition has captions.
  private let isNone: Bool

  init(_ videos: [PackagedRendition], _ search: CaptionSearch) {
    channels = Set(videos.flatMap { $0.captions ?? [] }).sorted()
    isNone = search == .all && !videos.isEmpty && videos.allSatisfy { $0.captions == [] }
  }

  /// The members of the group. The language of captions is not known; only the first one is chosen automatically,
  /// because those that are must differ.
  var renditions: [Rendition] {
    channels.enumerated().map { index, channel in
      var rendition = Rendition(.closedCaptions, group: Self.id, name: channel.description)
      rendition.inStreamID = channel.description
      (rendition.isDefault, rendition.isAutoselected) = (index == 0, index == 0)
      return rendition
    }
  }

  /// The CLOSED-CAPTIONS attribute of a variant with a video rendition; `nil` if nothing is known. If it is NONE in one
  /// variant, it must be so in all: RFC 8216, 4.3.4.2.
  func attribute(of rendition: PackagedRendition) -> Variant.ClosedCaptions? {
    isNone ? Variant.ClosedCaptions.none : rendition.captions?.isEmpty == false ? .group(Self.id) : nil
  }
}

extension Packager {
  /// Whether a track has closed captions that become WebVTT.
  static func hasCaptions(_ track: Track) -> Bool {
    track.isCaptions && track.protectionScheme == nil
  }

  /// The text of caption tracks, which players do not read: they read captions from pictures. Channels that pictures
  /// have are omitted.
  func captionSubtitles(
    of movies: [Movie], besides inPictures: Set<CaptionChannel>, _ diagnostics: inout [Diagnostic]
  ) throws(MovieError) -> [Subtitles] {
    var result: [Subtitles] = []
    for movie in movies where options.storage != .referenced {
      for track in movie.tracks where !track.samples.isEmpty && Self.hasCaptions(track) {
        let captions = try track.captions(until: movie)
        func note(_ text: String) {
          diagnostics.append(Diagnostic(.note, track.inputName, "track \(track.id): \(text)"))
        }
        if captions.channels.isEmpty { note("it has no text; omitted") }
        for channel in captions.channels {
          if inPictures.contains(channel) {
            note("the pictures also have the closed captions \(channel), which players read there; omitted")
            continue
          }
          let cues = captions.cues(of: channel)
          guard !cues.isEmpty else { continue }
          note("players read closed captions only from pictures; \(channel) is converted to WebVTT")
          var subtitles = Subtitles(
            WebVTTDocument(cues), language: try track.readLanguage() ?? "und", source: track.inputName)
          subtitles.name = captions.channels.count > 1 ? "\(subtitles.shownName) (\(channel))" : nil
          result.append(subtitles)
        }
      }
    }
    return result
  }
}
