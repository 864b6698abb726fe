import Bytes
import ISOBMFF
public import MP4
import TimedText

extension Subtitles {
  /// Diagnostics of reading the file, with line numbers; the first of many.
  public var diagnostics: [Diagnostic] {
    let findings = document.findings
    var result = findings.prefix(Self.most).map { Diagnostic($0.severity, source, "\($0)") }
    let rest = findings.dropFirst(Self.most)
    if let severity = rest.map(\.severity).max() {
      result.append(Diagnostic(severity, source, "and \(rest.count) more like this"))
    }
    return result
  }
  private static let most = 20

  /// Shifts the cues so that the time in X-TIMESTAMP-MAP corresponds to the media of a presentation, which starts at
  /// `mediaStart`. Returns diagnostics.
  mutating func useTimestampMap(mediaStart: MediaTime?) -> [Diagnostic] {
    guard let map = document.timestampMap else { return [] }
    guard let mediaStart else {
      return [Diagnostic(.warning, source, "X-TIMESTAMP-MAP is ignored, because the media times are unknown")]
    }
    // Timestamps have 33 bits.
    let difference = (map.mpegTS &- MediaClock.mpegTS(mediaStart)) & 0x1_ffff_ffff
    let ticks = Int64(difference) - (difference > 0xffff_ffff ? 1 << 33 : 0)
    let shift = (ticks + (ticks < 0 ? -45 : 45)) / 90 - map.localMilliseconds
    guard shift != 0 else { return [] }
    document.move(by: shift)
    let way = shift < 0 ? "earlier" : "later"
    var result = [
      Diagnostic(
        .note, source, "X-TIMESTAMP-MAP makes its cues \(CueTime.text(abs(shift))) \(way) in this presentation")
    ]
    let early = document.cues.filter { $0.endMilliseconds <= 0 && $0.start < $0.end }.count
    if early > 0 {
      let cues = early == 1 ? "1 cue ends" : "\(early) cues end"
      result.append(Diagnostic(.warning, source, "\(cues) before the presentation starts and cannot be shown"))
    }
    return result
  }

  /// Diagnostics about cues after the end of the presentation, whose duration is in milliseconds.
  func diagnostic(end: Int64) -> Diagnostic? {
    let late = document.cues.filter { $0.startMilliseconds >= end }.count
    guard late > 0 else { return nil }
    let cues = counted(late, "cue starts", "cues start")
    let text = "\(cues) after the end of the presentation at \(CueTime.text(end)) and cannot be shown"
    return Diagnostic(.warning, source, text)
  }
}

extension TextFinding {
  /// Cues that are not visible count as lost. Features that players ignore are only reported.
  fileprivate var severity: Diagnostic.Severity {
    if isLoss { return .error }
    return problem == .neverShown ? .warning : .note
  }
}
