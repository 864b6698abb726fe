import MP4Bytes
import MP4Inspection
import Support

/// Files that break a rule, created by changing files that follow it.
struct RuleVector: Sendable, CustomStringConvertible {
  typealias Files = [(name: String, bytes: [UInt8])]
  let rule: String
  /// Other rules that are necessarily broken, too.
  let also: Set<String>
  /// The files before the change.
  let base: @Sendable () throws -> Files
  /// The files after it.
  let files: @Sendable () throws -> Files

  var description: String { rule }

  /// One file of the test vectors and a change to it.
  init(
    _ rule: String, _ vector: String, also: Set<String> = [],
    _ change: @escaping @Sendable (inout EditedFile) throws -> Void
  ) {
    self.init(rule, also: also, { [(vector, try EditedFile(vector).bytes())] }) {
      var file = try EditedFile(vector)
      try change(&file)
      return [(vector, try file.bytes())]
    }
  }
  /// Several files and a change to them.
  init(
    _ rule: String, also: Set<String> = [], _ base: @escaping @Sendable () throws -> Files,
    _ files: @escaping @Sendable () throws -> Files
  ) {
    (self.rule, self.also, self.base, self.files) = (rule, also, base, files)
  }

  /// The findings of a check with all rules, except for those that would hide the tested rule as its cause.
  func findings(_ files: Files) throws -> [Finding] {
    var check = Check()
    check.ignored = Rule.named(rule)?.causes ?? []
    check.profiles = Set(RuleSource.Profile.choices)
    if Rule.named(rule)?.needsMedia ?? false { check.depth = rule == "media-coded-data" ? .decode : .media }
    return try check.run(files.map { MemorySource($0.bytes, name: $0.name) }).findings
  }
}
