public import MP4
import MP4Bytes
package import MP4Records

/// A violation of a rule, with its place.
public struct Finding: Sendable {
  /// The rule.
  public let rule: Rule
  /// Its severity here.
  public internal(set) var severity: Diagnostic.Severity
  /// The file or playlist.
  public let file: String
  /// The path of the box; `nil` if it is not about a box.
  public let path: String?
  /// The offset of the box in the file.
  public let offset: Int?
  /// The line of a playlist, starting at 1.
  public let line: Int?
  /// The problem, as a sentence without a capital letter and a full stop.
  public internal(set) var message: String
  /// The operation that fixes the problem; `nil` if there is none.
  public internal(set) var remedy: Remedy?
  /// The box of the track that it is about, if `path` does not identify it.
  let track: String?
  /// The sample that it is about; `nil` if it is not about the media.
  public internal(set) var sample: SamplePlace?
  /// The number of occurrences; this is the first one.
  public internal(set) var places = 1
  /// The next occurrences, as far as they are known; in text and JSON, only the first two.
  var others: [Place] = []

  /// A place in the media of a track.
  public struct SamplePlace: Sendable {
    /// The ID of the track.
    public let track: UInt32
    /// The number of the sample in decoding order, starting at 1.
    public let number: Int
    /// Its presentation time, or its decode time if it is not presented.
    public let time: MediaTime
    /// The first damaged byte in the file.
    public let byte: Int
    /// The number of samples with the same problem.
    public let count: Int
  }

  /// An occurrence of a finding.
  struct Place: Sendable {
    let file: String
    let path: String?
    let offset: Int?
    let line: Int?
    let message: String
  }

  init(
    rule: Rule, severity: Diagnostic.Severity, file: String, path: String?, offset: Int?, line: Int?, message: String,
    track: String? = nil
  ) {
    (self.rule, self.severity, self.file, self.path) = (rule, severity, file, path)
    (self.offset, self.line, self.message) = (offset, line, message)
    (self.track, remedy) = (track, rule.remedy)
  }
}

extension Finding {
  /// The number of other places that are listed.
  static let listedOthers = 2

  /// Where it occurs first.
  var place: Place { Place(file: file, path: path, offset: offset, line: line, message: message) }
  /// All known places.
  var allPlaces: [Place] { [place] + others }

  /// Adds the places of another finding of its rule.
  mutating func merge(_ other: Finding) {
    places += other.places
    others += other.allPlaces
  }

  /// Such as ` (and 12 more places: moof[2]/traf at byte 5012; moof[3]/traf at byte 9004)`; empty for one place.
  var otherWords: String {
    guard places > 1 else { return "" }
    let listed = others.prefix(Self.listedOthers).map { other in
      let words = other.words
      return other.file == file ? words : words.isEmpty ? other.file : "\(other.file): \(words)"
    }.filter { !$0.isEmpty }
    return " (and \(counted(places - 1, "more place"))"
      + (listed.isEmpty ? "" : ": " + listed.joined(separator: "; ")) + ")"
  }
}

extension Finding.Place {
  /// Such as `line 3`, or `moof/traf at byte 1234`; empty for a whole file.
  var words: String {
    if let line { return "line \(line)" }
    return [path, offset.map { "at byte \($0)" }].compactMap(\.self).joined(separator: " ")
  }
}

extension Finding: CustomStringConvertible {
  /// One line: the file, the place, the severity, the message, the rule and its source.
  public var description: String {
    var place = file + ": "
    if let line { place += "line \(line): " }
    let byte = offset.map { "at byte \($0)" }
    if path != nil || byte != nil { place += [path, byte].compactMap(\.self).joined(separator: " ") + ": " }
    return "\(place)\(severity.name): \(message)\(otherWords)  [\(rule.id), \(rule.source)]".printable
  }
}

extension Finding.Place: Record {
  static let summary = "A place of a finding."
  static let members: [RecordMember<Self>] = [
    RecordMember("file", "the file or playlist") { $0.file },
    RecordMember("path", "the path of the box; missing if it is not a box") { $0.path },
    RecordMember("offset", "the file offset; missing if there is none") { $0.offset },
    RecordMember("line", "the line number in a playlist; missing for other files") { $0.line },
    RecordMember("message", "the problem at this place") { $0.message },
  ]
}

extension Finding: Record {
  package static let summary = "A violation of a rule."
  package static let members: [RecordMember<Finding>] = [
    RecordMember("file", "the file or playlist") { $0.file },
    RecordMember("path", "the path of the box; missing if the finding is not about a box") { $0.path },
    RecordMember(
      "offset",
      "the file offset of the box, or of the bytes that are not a box; missing "
        + "otherwise"
    ) { $0.offset },
    RecordMember("line", "the line number in a playlist, starting at 1; missing for other files") { $0.line },
    RecordMember("severity", "`error`, `warning` or `note`") { $0.severity.name },
    RecordMember("message", "the problem") { $0.message },
    RecordMember("track", "the ID of the track; missing if the finding is not about media data") {
      ($0.sample?.track).map(Int.init)
    },
    RecordMember("sample", "the number of the sample, starting at 1; missing if the finding is not about media data") {
      $0.sample?.number
    },
    RecordMember(
      "presentation_seconds",
      "the presentation time of the sample in seconds; missing if the finding is not about media data"
    ) { $0.sample?.time },
    RecordMember(
      "byte", "the file offset of the damaged data; missing if the finding is not about media data"
    ) { $0.sample?.byte },
    RecordMember(
      "samples", "the number of samples with this problem; missing if the finding is not about media data"
    ) { $0.sample?.count },
    RecordMember("places", "the number of occurrences; the other members describe the first") { $0.places },
    RecordMember("other_places", "the second and third occurrence; missing if there is only one (not in CSV)") {
      $0.others.isEmpty ? nil : Array($0.others.prefix(listedOthers))
    },
    RecordMember("rule", "the name of the rule; `mp4tool check --explain RULE` explains it") { $0.rule.id },
    RecordMember("profile", "the set of rules, as in `--for`") { $0.rule.source.profile.rawValue },
    RecordMember("source", "the source of the rule: a standard, or player behavior") { $0.rule.source.description },
    RecordMember("remedy", "the command that fixes the problem; missing if there is none") { $0.remedy?.command },
  ]
}
