public import MP4
public import MP4Bytes
import MP4HLS
public import MP4Records

extension CheckResult {
  /// The findings as text, one line each, whether movies meet the specification, and a summary.
  public var text: String { lines + summary + "\n" }

  /// The same without the summary.
  package var lines: String { (findings.map(\.description) + specified.map(\.text)).map { $0 + "\n" }.joined() }

  /// The last line; `option` is what a program needs to parse the data of coded pictures.
  package func summary(decodingWith option: String) -> String {
    summary + (hasUndecodedPictures ? " (`\(option)` looks for it in some codecs)\n" : "\n")
  }

  /// What was checked, such as `the structure, and 412 of 31,000 samples`. Only the samples that were read are counted.
  public var scope: String {
    guard sampleCount > 0 else { return "the structure" }
    let samples = Quantity.grouped(sampleCount) + (sampleCount == 1 ? " sample" : " samples")
    return "the structure, and \(Quantity.grouped(examinedSampleCount)) of \(samples)"
  }

  /// A sentence with the number of findings, files and rules, and the commands that fix some of the findings.
  public var summary: String {
    let counts = [
      (Diagnostic.Severity.error, "error"), (.warning, "warning"), (.note, "note"),
    ].compactMap { severity, name in count(severity) > 0 ? counted(count(severity), name) : nil }
    let found = counts.isEmpty ? "no findings" : counts.joined(separator: ", ")
    let profiles = profiles.map(\.rawValue).joined(separator: ", ")
    var text = "\(found) in \(counted(files.count, "file")) (\(counted(rules.count, "rule")) of \(profiles))"
    text += "; checked \(scope)"
    var remedies: [String] = []
    // Commands that convert a file do not fix the segments of a presentation.
    let mended = self.profiles.contains(.hls) ? [] : findings.compactMap(\.remedy?.command)
    for remedy in mended where !remedies.contains(remedy) { remedies.append(remedy) }
    for remedy in remedies {
      let fixed = findings.filter { $0.remedy?.command == remedy }.reduce(0) { $0 + $1.places }
      let all = findings.reduce(0) { $0 + $1.places }
      text += "; `\(remedy)` fixes \(fixed < all ? "\(fixed) of \(all)" : all == 1 ? "it" : "all of them")"
    }
    return limits.isEmpty ? text : text + "; not looked for: \(limits.joined(separator: ", "))"
  }

  /// Writes the result as one JSON object, or the findings as other records.
  public func write(_ format: RecordFormat, to sink: any ByteSink) throws(IOError) {
    guard format == .json else { return try Finding.write(findings, format, to: sink) }
    var json = JSONWriter(sink)
    write(to: &json)
    json.finish()
    if let failure = json.failure { throw failure }
  }

  /// Writes the JSON Schema of the result.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) { try schema.write(to: sink) }

  /// Writes the findings as SARIF 2.1.0, for code hosting services; `version` is the version of the tool.
  public func writeSARIF(version: String, to sink: any ByteSink) throws(IOError) {
    var json = JSONWriter(sink)
    json.object {
      $0.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
      $0.member("version", "2.1.0")
      $0.key("runs")
      $0.array {
        $0.element()
        $0.object {
          $0.key("tool")
          $0.object {
            $0.key("driver")
            $0.object {
              $0.member("name", "mp4tool")
              $0.member("version", version)
              $0.key("rules")
              $0.array { for rule in rules { rule.writeSARIF(&$0) } }
            }
          }
          $0.key("properties")
          $0.object {
            $0.member("samples", sampleCount)
            $0.member("examined_samples", examinedSampleCount)
            if isVerified {
              $0.key("not_looked_for")
              $0.array {
                for limit in limits {
                  $0.element()
                  $0.string(limit)
                }
              }
            }
          }
          $0.key("results")
          $0.array { for finding in findings { finding.writeSARIF(&$0) } }
        }
      }
    }
    json.finish()
    if let failure = json.failure { throw failure }
  }

  /// Writes the findings as a JUnit report: a test suite for each file, and a test case for each violated rule.
  /// Findings with a severity below `threshold` are not failures.
  public func writeJUnit(failingOn threshold: Diagnostic.Severity, to sink: any ByteSink) throws(IOError) {
    let failures = findings.count { $0.severity >= threshold }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites name=\"mp4tool check, \(scope)\" failures=\"\(failures)\">\n"
    let ranks = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1.id, $0) })
    var findings: [String: [Finding]] = [:]
    for finding in self.findings {
      for file in Set(finding.allPlaces.map(\.file)) { findings[file, default: []].append(finding) }
    }
    for file in files {
      let own = findings[file] ?? []
      let count = own.count { $0.severity >= threshold }
      let broken = Set(own.map(\.rule.id)).count
      // Requirements that are met are listed too.
      let outcomes = specified.first { $0.file == file }?.outcomes ?? []
      let tested = Set(outcomes.map(\.requirement.rule))
      let met = rules.filter { rule in tested.contains(rule.id) && !own.contains { $0.rule.id == rule.id } }
      text +=
        "  <testsuite name=\"\(file.escapedForHTML)\" tests=\"\(max(1, broken + met.count))\" failures=\"\(count)\">\n"
      if own.isEmpty, met.isEmpty {
        text += "    <testcase classname=\"\(file.escapedForHTML)\" name=\"all rules\"/>\n"
      }
      for rule in met {
        text += "    <testcase classname=\"\(file.escapedForHTML)\" name=\"\(rule.id.escapedForHTML)\"/>\n"
      }
      let byRank = Dictionary(grouping: own) { ranks[$0.rule.id] ?? rules.count }
      for (rank, broken) in byRank.sorted(by: { $0.key < $1.key }) where rank < rules.count {
        text += "    <testcase classname=\"\(file.escapedForHTML)\" name=\"\(rules[rank].id.escapedForHTML)\">\n"
        for finding in broken {
          let (line, message) = (finding.description.escapedForHTML, finding.message.escapedForHTML)
          text +=
            finding.severity >= threshold
            ? "      <failure type=\"\(finding.severity.name)\" message=\"\(message)\">\(line)</failure>\n"
            : "      <system-out>\(line)</system-out>\n"
        }
        text += "    </testcase>\n"
      }
      text += "  </testsuite>\n"
    }
    try sink.write(Array((text + "</testsuites>\n").utf8))
  }
}

extension CheckResult: Record {
  package static let summary = "The result of a check."
  package static let members: [RecordMember<Self>] = [
    RecordMember("files", "the checked files and playlists") { $0.files },
    RecordMember("samples", "the number of samples in them") { $0.sampleCount },
    RecordMember("examined_samples", "the number of samples of which something was read") { $0.examinedSampleCount },
    RecordMember(
      "not_looked_for", "the kinds of damage that were not looked for in the media; missing without `--deep`"
    ) { $0.isVerified ? $0.limits : nil },
    RecordMember("specified", "for each movie, whether it meets the specification; missing without `--spec`") {
      $0.specified.isEmpty ? nil : $0.specified
    },
    RecordMember("findings", "the findings") { $0.findings },
  ]
}

extension Rule {
  fileprivate func writeSARIF(_ json: inout JSONWriter) {
    json.element(onNewLine: true)
    json.object {
      $0.member("id", id)
      $0.key("shortDescription")
      $0.object { $0.member("text", meaning) }
      $0.key("help")
      $0.object { $0.member("text", "\(meaning) (\(source))" + (remedy?.command.map { " `\($0)` fixes it." } ?? "")) }
      $0.key("defaultConfiguration")
      $0.object { $0.member("level", severity.name) }
    }
  }
}

extension Finding {
  fileprivate func writeSARIF(_ json: inout JSONWriter) {
    json.element(onNewLine: true)
    json.object {
      $0.member("ruleId", rule.id)
      $0.member("level", severity.name)
      $0.key("message")
      $0.object { $0.member("text", message) }
      $0.key("locations")
      $0.array { place.writeSARIF(&$0) }
      if !others.isEmpty {
        $0.key("relatedLocations")
        $0.array { for other in others.prefix(Finding.listedOthers) { other.writeSARIF(&$0) } }
      }
    }
  }
}

extension Finding.Place {
  fileprivate func writeSARIF(_ json: inout JSONWriter) {
    json.element()
    json.object {
      $0.key("physicalLocation")
      $0.object {
        $0.key("artifactLocation")
        $0.object {
          $0.member("uri", WebAddress(file)?.text ?? PercentEncoding.relativeReference(toPath: file.utf8))
        }
        if offset != nil || line != nil {
          $0.key("region")
          $0.object {
            if let line { $0.member("startLine", line) }
            if let offset, line == nil {
              $0.member("byteOffset", offset)
              $0.member("byteLength", 8)
            }
          }
        }
      }
      if let path {
        $0.key("logicalLocations")
        $0.array {
          $0.element()
          $0.object { $0.member("fullyQualifiedName", path) }
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func object(_ body: (inout JSONWriter) -> Void) {
    beginObject()
    body(&self)
    endObject()
  }
  fileprivate mutating func array(_ body: (inout JSONWriter) -> Void) {
    beginArray()
    body(&self)
    endArray()
  }
}
