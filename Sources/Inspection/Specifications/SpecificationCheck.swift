import MP4
import MP4Bytes
package import MP4Records

extension Specification {
  /// A rule for each requirement.
  var rules: [Rule] { requirements.map(rule) }

  private func rule(_ requirement: Requirement) -> Rule {
    Rule(
      requirement.rule, .specification(name, line: requirement.line),
      requirement.isAdvice ? .warning : .error, requirement.text, mendedBy: nil, .specification)
  }

  /// Tests a movie.
  func test(
    _ movie: MovieSummary, isDamaged: Bool, ignoring ignored: Set<String>
  ) -> (findings: FindingList, result: Result) {
    let json = movie.json
    var (list, outcomes) = (FindingList(), [Result.Outcome]())
    for requirement in requirements {
      let rule = rule(requirement)
      if ignored.contains(rule.id) { continue }
      let problems = requirement.problems(in: json)
      outcomes.append(Result.Outcome(requirement: requirement, problems: problems))
      var report = RuleReport(rule, on: movie.name)
      for problem in problems { report.add(problem) }
      list.add(report)
    }
    return (list, Result(file: movie.name, specification: name, outcomes: outcomes, isDamaged: isDamaged))
  }

  /// Whether a movie meets a specification.
  public struct Result: Sendable {
    /// The name of the movie.
    public let file: String
    /// The name of the specification.
    public let specification: String
    /// The requirements that were tested, with their outcomes; empty if the movie cannot be read.
    public let outcomes: [Outcome]
    /// The number of requirements that it does not meet, besides advice.
    public var failed: Int { outcomes.count { !$0.problems.isEmpty && !$0.requirement.isAdvice } }
    /// The number of requirements that are only advice, and that it does not meet.
    public var warned: Int { outcomes.count { !$0.problems.isEmpty && $0.requirement.isAdvice } }
    /// Whether samples or boxes of it are damaged or missing, so that it fails in any case.
    public let isDamaged: Bool
    /// Whether it passes.
    public var passes: Bool { failed == 0 && !isDamaged }

    /// The outcome of a requirement.
    public struct Outcome: Sendable {
      /// The requirement.
      public let requirement: Requirement
      /// Why the movie does not meet it, for each value; empty if it does.
      public let problems: [String]
    }
  }
}

extension Specification.Result {
  /// The result for a file that cannot be read.
  init(unreadable file: String, _ specification: Specification) {
    self.init(file: file, specification: specification.name, outcomes: [], isDamaged: true)
  }

  /// Such as `a.mov: passes delivery.txt (14 requirements)`.
  var text: String {
    var text = "\(file): \(passes ? "passes" : "fails") \(specification) ("
    let count = outcomes.count
    if count == 0 {
      text += "unreadable"
    } else if failed > 0 {
      text += "\(failed) of \(counted(count, "requirement")) not met"
    } else {
      text += counted(count, "requirement") + " met"
    }
    if isDamaged, count > 0 { text += ", the file is damaged" }
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
      $0.outcomes.count
    },
    RecordMember("failed", "the number of requirements that it does not meet, besides those with `warn`") { $0.failed },
    RecordMember("warned", "the number of requirements with `warn` that it does not meet") { $0.warned },
    RecordMember("damaged", "whether samples or boxes are damaged or missing") { $0.isDamaged },
    RecordMember("outcomes", "the outcome of each requirement") { $0.outcomes },
  ]
}

extension Specification.Result.Outcome: Record {
  package static let summary = "The outcome of a requirement."
  package static let members: [RecordMember<Self>] = [
    RecordMember("line", "its line in the specification") { $0.requirement.line },
    RecordMember("requirement", "the requirement") { $0.requirement.text },
    RecordMember("met", "whether the movie meets it") { $0.problems.isEmpty },
    RecordMember("problems", "why it does not meet it; empty if it does") { $0.problems },
  ]
}
