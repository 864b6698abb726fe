import MP4
import MP4Bytes
package import MP4Records

extension Specification {
  /// A rule for each requirement.
  var rules: [Rule] { requirements.map(rule) }

  private func rule(_ requirement: Requirement) -> Rule {
    Rule(
      "spec-" + requirement.property.text, .specification(name, line: requirement.line),
      requirement.isAdvice ? .warning : .error, requirement.text, mendedBy: nil, .specification)
  }

  /// Tests a movie.
  func test(
    _ movie: MovieSummary, isDamaged: Bool, ignoring ignored: Set<String>
  ) -> (findings: FindingList, result: Result) {
    let json = movie.json
    var (list, failed, warned) = (FindingList(), 0, 0)
    for requirement in requirements {
      let rule = rule(requirement)
      if ignored.contains(rule.id) { continue }
      var report = RuleReport(rule, on: movie.name)
      for problem in requirement.problems(in: json) { report.add(problem) }
      guard !report.findings.isEmpty else { continue }
      if requirement.isAdvice { warned += 1 } else { failed += 1 }
      list.add(report)
    }
    let tested = requirements.count { !ignored.contains("spec-" + $0.property.text) }
    let result = Result(
      file: movie.name, specification: name, requirements: tested, failed: failed, warned: warned, isDamaged: isDamaged)
    return (list, result)
  }

  /// Whether a movie meets a specification.
  public struct Result: Sendable {
    /// The name of the movie.
    public let file: String
    /// The name of the specification.
    public let specification: String
    /// The number of requirements that were tested.
    public let requirements: Int
    /// The number of requirements that it does not meet.
    public let failed: Int
    /// The number of those that are only advice.
    public let warned: Int
    /// Whether samples or boxes of it are damaged or missing, so that it fails in any case.
    public let isDamaged: Bool
    /// Whether it passes.
    public var passes: Bool { failed == 0 && !isDamaged }
  }
}

extension Specification.Result {
  /// The result for a file that cannot be read.
  init(unreadable file: String, _ specification: Specification) {
    self.init(
      file: file, specification: specification.name, requirements: 0, failed: 0, warned: 0, isDamaged: true)
  }

  /// Such as `a.mov: passes delivery.txt (14 requirements)`.
  var text: String {
    var text = "\(file): \(passes ? "passes" : "fails") \(specification) ("
    if requirements == 0 {
      text += "unreadable"
    } else if failed > 0 {
      text += "\(failed) of \(counted(requirements, "requirement")) not met"
    } else {
      text += counted(requirements, "requirement") + " met"
    }
    if isDamaged, requirements > 0 { text += ", the file is damaged" }
    return (text + (warned > 0 ? ", \(counted(warned, "warning"))" : "") + ")").printable
  }
}

extension Specification.Result: Record {
  package static let summary = "Whether a movie meets a specification."
  package static let members: [RecordMember<Self>] = [
    RecordMember("file", "the file") { $0.file },
    RecordMember("specification", "the specification") { $0.specification },
    RecordMember("passes", "whether it meets all requirements without `warn`, and is not damaged") { $0.passes },
    RecordMember("requirements", "the number of requirements that were tested; 0 if the file cannot be read") {
      $0.requirements
    },
    RecordMember("failed", "the number of requirements that it does not meet, besides those with `warn`") { $0.failed },
    RecordMember("warned", "the number of requirements with `warn` that it does not meet") { $0.warned },
    RecordMember("damaged", "whether samples or boxes are damaged or missing") { $0.isDamaged },
  ]
}
