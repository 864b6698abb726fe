import ISOBMFF
import MP4

/// Collects the violations of a rule.
package struct RuleReport {
  /// The rule that is checked.
  let rule: Rule
  /// The file that is checked.
  let file: String
  private(set) var findings: [Finding] = []

  init(_ rule: Rule, on file: String) { (self.rule, self.file) = (rule, file) }

  /// Removes the findings, to use the report for another box.
  mutating func removeFindings() { findings = [] }

  /// Replaces words in all messages.
  mutating func rephrase(_ words: [(old: String, new: String)]) {
    for index in findings.indices {
      var (rest, text) = (findings[index].message[...], "")
      while !rest.isEmpty {
        if let word = words.first(where: { rest.hasPrefix($0.old) }) {
          text += word.new
          rest = rest.dropFirst(word.old.count)
        } else {
          text.append(rest.removeFirst())
        }
      }
      findings[index].message = text
    }
  }

  /// Reports that a box violates the rule.
  mutating func add(_ box: CheckedBox, _ message: String) {
    add(message, path: box.path, offset: box.node.header.offset)
  }
  /// Reports a violation in a file, by default the one that is checked.
  mutating func add(
    _ message: String, path: String? = nil, offset: Int? = nil, line: Int? = nil, file: String? = nil,
    severity: Diagnostic.Severity? = nil, track: String? = nil
  ) {
    findings.append(
      Finding(
        rule: rule, severity: severity ?? rule.severity, file: file ?? self.file, path: path, offset: offset,
        line: line, message: message, track: track))
  }
}

extension RuleReport {
  /// Reports the problems of these kinds in the media of a track.
  mutating func addMedia(_ kinds: Set<MediaProblem.Kind>, of track: Track, _ movie: CheckedMovie) {
    guard let box = movie.box(of: track) else { return }
    for problem in movie.verified(track)?.problems.list ?? [] where kinds.contains(problem.kind) {
      guard track.samples.indices.contains(problem.sample) else { continue }
      let sample = track.samples[problem.sample]
      let time = sample.presentationTime ?? sample.relativeDecodeTime
      let others = problem.count > 1 ? ", and \(problem.count - 1) more" : ""
      let file =
        movie.files.count > 1 && movie.files.indices.contains(sample.sourceIndex)
        ? " of \(movie.files[sample.sourceIndex].name)" : ""
      add(
        "\(problem.text): sample \(problem.sample + 1), at byte \(problem.byte)\(file), \(time)\(others)",
        path: box.path, offset: box.node.header.offset)
      findings[findings.count - 1].sample = Finding.SamplePlace(
        track: track.id, number: problem.sample + 1, time: time, byte: problem.byte, count: problem.count)
    }
  }
}

/// Findings in the order in which they were reported. Findings of one rule at places that only differ in numbers are
/// merged, unless they say different things about one box.
struct FindingList {
  private struct Key: Hashable {
    let rule: String
    let file: String
    var place: String
  }
  /// The maximum number of findings of one rule in one file, besides the one that represents all further ones.
  private static let limit = 20
  private(set) var findings: [Finding] = []
  private var places: [Key: Int] = [:]
  private var counts: [String: Int] = [:]

  /// Makes the findings of a rule about the box at an offset warnings, because the movie shows that nothing is lost.
  mutating func weaken(_ rule: String, at offset: Int, of file: String) {
    for index in findings.indices
    where findings[index].rule.id == rule && findings[index].offset == offset && findings[index].file == file {
      findings[index].severity = .warning
    }
  }

  /// Removes the commands that fix findings, because they cannot read the movie.
  mutating func removeRemedies() { for index in findings.indices { findings[index].remedy = nil } }

  mutating func add(_ report: RuleReport) { for finding in report.findings { add(finding) } }

  mutating func add(_ finding: Finding) {
    var key = Key(rule: finding.rule.id, file: finding.file, place: finding.key)
    if let index = places[key], findings[index].offset == finding.offset, findings[index].message != finding.message {
      key.place += ": " + finding.message
    }
    // If everything is damaged, more lines do not help.
    if places[key] == nil, counts[key.rule + key.file, default: 0] >= Self.limit { key.place = "" }
    counts[key.rule + key.file, default: 0] += 1
    if let index = places[key] {
      findings[index].places += finding.places
      let known = findings[index].others
      if known.count < Finding.listedOthers { findings[index].others = known + finding.allPlaces }
    } else {
      places[key] = findings.count
      findings.append(finding)
    }
  }

  /// The number of findings of one rule that are listed one by one.
  private static let listLimit = 3

  /// Findings with one finding for each rule that has many: the first one, with the places of all.
  static func merged(_ findings: [Finding]) -> [Finding] {
    struct Key: Hashable {
      let rule: String
      let severity: Diagnostic.Severity
      init(_ finding: Finding) { (rule, severity) = (finding.rule.id, finding.severity) }
    }
    let counts = findings.reduce(into: [Key: Int]()) { $0[Key($1), default: 0] += 1 }
    var (result, firsts) = ([Finding](), [Key: Int]())
    for finding in findings {
      let key = Key(finding)
      if let first = firsts[key] {
        result[first].merge(finding)
      } else {
        if counts[key, default: 0] > listLimit { firsts[key] = result.count }
        result.append(finding)
      }
    }
    return result
  }

  /// The findings that are not explained by another one.
  var causes: [Finding] {
    var byFile: [String: [Finding]] = [:]
    for finding in findings { byFile[finding.file, default: []].append(finding) }
    return findings.filter { finding in
      finding.rule.causes.isEmpty || !(byFile[finding.file] ?? []).contains { $0.isCause(of: finding) }
    }
  }
}

extension Finding {
  /// Whether its rule explains the other finding, and it is at the same place: the same line, track or track fragment.
  /// A finding about a box also explains a finding about the file as a whole.
  fileprivate func isCause(of other: Finding) -> Bool {
    guard other.rule.causes.contains(rule.id) else { return false }
    if let line, let own = other.line { return line == own }
    let (own, place) = (steps, other.steps)
    // Media data belongs to movie fragments.
    if own.first == "moof", place.first?.hasPrefix("mdat") ?? false { return true }
    return own.count <= 1 || !place.isEmpty && zip(own, place).prefix(2).allSatisfy { $0 == $1 }
  }
  /// The boxes on its path, from the file level on.
  private var steps: [Substring] {
    let path = path == nil ? track ?? "" : key
    return path.split(separator: "/")
  }
}

extension Finding {
  /// Its path without the numbers of top-level boxes, since there may be one for each fragment; or its message, with
  /// the line for playlists.
  fileprivate var key: String {
    guard let path else { return line.map { "\($0): \(message)" } ?? message }
    guard path.utf8.starts(with: "moof[".utf8), let end = path.utf8.firstIndex(of: UInt8(ascii: "]")) else {
      return path
    }
    return "moof" + path[path.index(after: end)...]
  }
}

extension [Finding] {
  /// The findings grouped by file, in the order of their lines.
  func inOrderOfLines(of files: [String]) -> [Finding] {
    var ranks: [String: Int] = [:]
    for file in files + map(\.file) where ranks[file] == nil { ranks[file] = ranks.count }
    let keys = enumerated().map { (ranks[$1.file] ?? 0, $1.line ?? 0, $0) }
    return indices.sorted { keys[$0] < keys[$1] }.map { self[$0] }
  }
}
