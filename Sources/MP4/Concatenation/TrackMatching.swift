import ISOBMFF
import MP4Bytes

/// Matches the tracks of several inputs by kind, codec and language.
struct TrackMatching {
  /// For each input and each of its tracks, the index of the output track; `nil` if the track is omitted.
  private(set) var targets: [[Int?]] = []
  /// For each output track, its index in each input; `nil` if an input does not have it.
  private(set) var sources: [[Int?]] = []
  /// All differences, in the order of the inputs.
  private(set) var differences: [(part: Int, text: String, names: SampleEntryNames?)] = []
  /// Two names of sample entries that differ only in where parameter sets can be.
  struct SampleEntryNames: Equatable {
    var first: FourCC
    var second: FourCC
  }
  /// Whether the output has chapter tracks.
  let keepsChapterTracks: Bool

  /// Matches the tracks of all inputs. `keepsChapterTracks` is ignored unless all inputs have chapter tracks.
  init(_ parts: [ConcatenationPart], keepsChapterTracks: Bool) throws(MovieError) {
    let counts = Set(parts.map { $0.tracks.count { $0.properties.isChapters == true } })
    self.keepsChapterTracks = keepsChapterTracks && counts.count == 1
    for number in parts.indices { try add(number, parts) }
  }

  private func isUsed(_ track: ConcatenationPart.Track) -> Bool {
    keepsChapterTracks || track.properties.isChapters != true
  }

  private mutating func add(_ number: Int, _ parts: [ConcatenationPart]) throws(MovieError) {
    let part = parts[number]
    var free = part.tracks.indices.filter { isUsed(part.tracks[$0]) }
    var own = [Int?](repeating: nil, count: part.tracks.count)
    var found = [Int?](repeating: nil, count: sources.count)
    // The differences to each output track so far that has no match yet.
    for accepts in [true, false] {
      for target in sources.indices where found[target] == nil {
        guard let (model, track) = Self.model(sources[target], parts) else { continue }
        for (place, candidate) in free.enumerated() {
          let other = part.tracks[candidate]
          guard Self.isSameKind(track, other) else { continue }
          let texts = try Self.differences(track, other)
          if accepts, !texts.isEmpty { continue }
          for text in texts {
            differences.append(
              (
                number,
                "\(Self.kind(track)): \(parts[model].name) \(text.first), \(part.name) \(text.second)",
                texts.count == 1 ? Self.names(track, other) : nil
              ))
          }
          found[target] = candidate
          own[candidate] = target
          free.remove(at: place)
          break
        }
      }
    }
    for target in sources.indices where found[target] == nil {
      if let (model, track) = Self.model(sources[target], parts) {
        differences.append((number, "\(Self.kind(track)): only in \(parts[model].name), not in \(part.name)", nil))
      }
    }
    for target in sources.indices { sources[target].append(found[target]) }
    for candidate in free {
      if number > 0 {
        let kind = Self.kind(part.tracks[candidate])
        differences.append((number, "\(kind): only in \(part.name), not in \(parts[0].name)", nil))
      }
      own[candidate] = sources.count
      sources.append([Int?](repeating: nil, count: number) + [candidate])
    }
    targets.append(own)
  }

  /// The first input that has a track.
  private static func model(_ indices: [Int?], _ parts: [ConcatenationPart]) -> (Int, ConcatenationPart.Track)? {
    for (part, index) in indices.enumerated() {
      if let index { return (part, parts[part].tracks[index]) }
    }
    return nil
  }

  /// The names of the sample entries of two tracks if one can be renamed to the other: ISO/IEC 14496-15, 5.3.3 and
  /// 8.3.3.
  private static func names(_ a: ConcatenationPart.Track, _ b: ConcatenationPart.Track) -> SampleEntryNames? {
    let pairs: [Set<FourCC>] = [["avc1", "avc3"], ["hvc1", "hev1"], ["dva1", "dvav"], ["dvh1", "dvhe"]]
    guard let first = a.properties.configurations.first?.codedFormat,
      let second = b.properties.configurations.first?.codedFormat, pairs.contains([first, second])
    else { return nil }
    return SampleEntryNames(first: first, second: second)
  }

  private static func isSameKind(_ a: ConcatenationPart.Track, _ b: ConcatenationPart.Track) -> Bool {
    a.properties.handler == b.properties.handler && a.properties.isChapters == b.properties.isChapters
  }

  private static func kind(_ track: ConcatenationPart.Track) -> String {
    switch track.properties.handler {
    case "vide": "video"
    case "soun": "audio"
    case "text", "sbtl", "subt", "clcp": track.properties.isChapters == true ? "chapters" : "subtitles"
    case "tmcd": "timecode"
    case let handler: "track of '\(handler)'"
    }
  }

  private typealias Difference = (first: String, second: String)

  /// The properties that a player would have to change between two tracks of the same kind.
  private static func differences(_ a: ConcatenationPart.Track, _ b: ConcatenationPart.Track) throws(MovieError)
    -> [Difference]
  {
    let (x, y) = (a.properties, b.properties)
    let pairs: [Difference] = [
      (codec(x), codec(y)), (size(x), size(y)), (sound(x), sound(y)), (try rotation(x), try rotation(y)),
      (scheme(x), scheme(y)),
    ]
    var result = pairs.filter { $0.first != $0.second }
    // An undeclared language matches any language.
    if let first = language(x), let second = language(y), first != second { result.append((first, second)) }
    return result
  }

  private static func language(_ track: TrackProperties) -> String? { (try? track.language.get()) ?? nil }

  private static func codec(_ track: TrackProperties) -> String {
    guard let configuration = track.configurations.first else { return "no codec" }
    // `mp4a` stands for many codecs; for other formats, the four-character code is sufficient.
    return configuration.codedFormat == "mp4a" ? configuration.codecs : configuration.codedFormat.description
  }

  private static func size(_ track: TrackProperties) -> String {
    guard let pictures = track.configurations.lazy.compactMap(\.pictures).first else { return "no picture" }
    let shown = pictures.shownSize()
    let coded = "\(pictures.width)x\(pictures.height)"
    return shown.width == pictures.width && shown.height == pictures.height
      ? coded : "\(coded) shown as \(shown.width)x\(shown.height)"
  }

  private static func sound(_ track: TrackProperties) -> String {
    guard let sound = track.configurations.lazy.compactMap(\.sound).first else { return "no sound" }
    return "\(sound.sampleRate) Hz with \(sound.channelCount == 1 ? "1 channel" : "\(sound.channelCount) channels")"
  }

  private static func scheme(_ track: TrackProperties) -> String {
    ((try? track.protectionScheme.get()) ?? nil).map { "encrypted (\($0))" } ?? "not encrypted"
  }

  private static func rotation(_ track: TrackProperties) throws(MovieError) -> String {
    guard track.handler == "vide" else { return "" }
    let values = track.matrix.map { $0 == 0 ? 0 : $0 > 0 ? 1 : -1 }
    switch values.isEmpty ? [1, 0, 0, 1] : [values[0], values[1], values[3], values[4]] {
    case [1, 0, 0, 1]: return "not rotated"
    case [0, 1, -1, 0]: return "rotated by 90°"
    case [-1, 0, 0, -1]: return "rotated by 180°"
    case [0, -1, 1, 0]: return "rotated by 270°"
    default: return "mirrored or distorted"
    }
  }
}
