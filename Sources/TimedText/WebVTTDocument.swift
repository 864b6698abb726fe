/// A file of subtitles as a value: what is between the lines `WEBVTT` and the end of a WebVTT file, in its order.
///
/// ```swift
/// let document = try WebVTTDocument(bytes)  // as lenient as the W3C has it for players
/// for finding in document.findings { print(finding) }  // what players will ignore, with line numbers
/// for cue in document.cues { print(cue.start, cue.text) }
/// let written = document.bytes
/// ```
public struct WebVTTDocument: Hashable, Sendable {
  /// A part of a file with blank lines around it.
  public enum Block: Hashable, Sendable {
    /// A text and when it is shown.
    case cue(Cue)
    /// A comment, without the word NOTE.
    case comment(String)
    /// A style sheet, without the line STYLE.
    case style(String)
    /// A region, without the line REGION.
    case region(String)
  }
  /// What comes after WEBVTT in the first line, such as ` - English`.
  public var title = ""
  /// The lines below the first one, but for X-TIMESTAMP-MAP.
  public var header: [String] = []
  /// How the times go with those of a stream; `nil` when that is not said.
  public var timestampMap: TimestampMap?
  /// What follows.
  public var blocks: [Block] = []
  /// What was met while reading; nothing when the file is as it has to be.
  public internal(set) var findings: [TextFinding] = []

  /// A file of these cues.
  public init(_ cues: [Cue] = []) { blocks = cues.map { .cue($0) } }

  /// The cues in the order of the file.
  public var cues: [Cue] {
    blocks.compactMap { if case .cue(let cue) = $0 { cue } else { nil } }
  }

  /// The same with other cues: what is about all of them stays, comments go.
  public func with(cues: some Sequence<Cue>) -> WebVTTDocument {
    var result = self
    result.findings = []
    result.blocks = blocks.filter { block in
      switch block {
      case .style, .region: true
      case .cue, .comment: false
      }
    }
    result.blocks += cues.map { .cue($0) }
    return result
  }

  /// Reads a file of either kind: WebVTT when it begins so, else SubRip.
  ///
  /// - Parameter isSubRip: which kind it is, where its name says so; the first line counts when it is `nil`.
  /// - Parameter encoding: how it is written unless it has a byte order mark; UTF-8 when it is `nil`.
  public init(_ bytes: [UInt8], isSubRip: Bool?, encoding: TextEncoding? = nil) throws(TimedTextError) {
    let text = try TextLines(bytes, encoding)
    let isWebVTT = text.lines.first?.utf8.starts(with: "WEBVTT".utf8) ?? false
    if isSubRip ?? !isWebVTT { try self.init(subRip: text) } else { try self.init(webVTT: text) }
  }
}

/// Which time of a WebVTT file goes with which time stamp of the stream it belongs to: `X-TIMESTAMP-MAP`, RFC 8216, 3.5.
public struct TimestampMap: Hashable, Sendable {
  /// A time of the file, in milliseconds.
  package var localMilliseconds: Int64
  /// The same moment in units of 1/90000 s; 33 bits, as in MPEG-2 transport streams.
  public var mpegTS: UInt64

  /// Two times that are the same moment; that of the file is rounded to milliseconds.
  public init(local: Duration = .zero, mpegTS: UInt64) {
    self.init(localMilliseconds: local.roundedMilliseconds, mpegTS: mpegTS)
  }
  package init(localMilliseconds: Int64, mpegTS: UInt64) {
    (self.localMilliseconds, self.mpegTS) = (localMilliseconds, mpegTS)
  }

  /// A time of the file; a new one is rounded to milliseconds.
  public var local: Duration {
    get { .milliseconds(localMilliseconds) }
    set { localMilliseconds = newValue.roundedMilliseconds }
  }

  static let name = "X-TIMESTAMP-MAP="

  /// Reads what is after the equals sign; the two parts come in any order.
  init?(_ text: some StringProtocol) {
    var (local, mpegTS): (Int64?, UInt64?)
    for part in Substring(text).utf8.split(separator: UInt8(ascii: ",")) {
      let halves = part.split(separator: UInt8(ascii: ":"), maxSplits: 1)
      guard halves.count == 2 else { return nil }
      let (name, value) = (Substring(halves[0]).withoutBlanks, Substring(halves[1]).withoutBlanks)
      switch name {
      case "LOCAL":
        var cursor = LineCursor(value)
        local = cursor.time()
        guard cursor.rest.isEmpty else { return nil }
      case "MPEGTS": mpegTS = value.utf8.first == UInt8(ascii: "+") ? nil : UInt64(value)
      default: return nil
      }
    }
    guard let local, let mpegTS else { return nil }
    self.init(localMilliseconds: local, mpegTS: mpegTS)
  }
}

extension TimestampMap: CustomStringConvertible {
  /// The line of the header.
  public var description: String { "\(Self.name)LOCAL:\(CueTime.text(localMilliseconds)),MPEGTS:\(mpegTS)" }
}
