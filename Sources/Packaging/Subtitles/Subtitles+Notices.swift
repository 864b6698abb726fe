public import MP4
import TimedText

extension Subtitles {
  /// What was met while the file was read, with line numbers; the first of many.
  public var notices: [Notice] {
    let findings = document.findings
    var result = findings.prefix(Self.most).map { Notice($0.severity, source, "\($0)") }
    let rest = findings.dropFirst(Self.most)
    if let severity = rest.map(\.severity).max() {
      result.append(Notice(severity, source, "and \(rest.count) more of the like"))
    }
    return result
  }
  private static let most = 20

  /// What there is to say of cues that come when the presentation, so many milliseconds long, is over.
  func notice(end: Int64) -> Notice? {
    let late = document.cues.filter { $0.start >= end }.count
    guard late > 0 else { return nil }
    let cues = late == 1 ? "1 cue starts" : "\(late) cues start"
    let text = "\(cues) behind the end of the presentation at \(CueTime.text(end)) and cannot be shown"
    return Notice(.warning, source, text)
  }
}

extension TextFinding {
  /// What is not shown although somebody wrote it is lost; what players ignore is only told.
  fileprivate var severity: Notice.Severity {
    if isLoss { return .loss }
    return problem == .neverShown ? .warning : .note
  }
}
