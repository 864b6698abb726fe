/// A WebVTT file as a value, with its blocks in order.
///
/// ```swift
/// let document = try WebVTTDocument(bytes)  // as lenient as the W3C has it for players
/// for finding in document.findings { print(finding) }  // what players will ignore, with line numbers
/// for cue in document.cues { print(cue.start, cue.text) }
/// let written = document.bytes
/// ```
public struct WebVTTDocument: Hashable, Sendable {
  /// A part of a file, surrounded by blank lines.
  public enum Block: Hashable, Sendable {
    /// A text and its times.
    case cue(Cue)
    /// A comment, without the word NOTE.
    case comment(String)
    /// A style sheet, without the line STYLE.
    case style(String)
    /// A region, without the line REGION.
    case region(String)
  }
  /// The text after WEBVTT in the first line, such as ` - English`.
  public var title = ""
  /// The header lines after the first one, except X-TIMESTAMP-MAP.
  public var header: [String] = []
  /// The relation of its times to those of a stream, if declared.
  public var timestampMap: TimestampMap?
  /// The blocks, in order.
  public var blocks: [Block] = []
  /// Problems found while reading; empty for a valid file.
  public internal(set) var findings: [TextFinding] = []

  /// A file of these cues.
  public init(_ cues: [Cue] = []) { blocks = cues.map { .cue($0) } }

  /// The cues in the order of the file.
  public var cues: [Cue] {
    blocks.compactMap { if case .cue(let cue) = $0 { cue } else { nil } }
  }

  /// The same document with other cues: styles and regions are kept, comments are removed.
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

  /// Reads a file of either format: WebVTT if it begins like WebVTT, otherwise SubRip.
  ///
  /// - Parameter isSubRip: Its format according to its name; `nil` determines it from the first line.
  /// - Parameter encoding: The encoding of a file without a byte order mark; `nil` is UTF-8.
  public init(_ bytes: [UInt8], isSubRip: Bool?, encoding: TextEncoding? = nil) throws(TimedTextError) {
    let text = try TextLines(bytes, encoding)
    let isWebVTT = text.lines.first?.utf8.starts(with: "WEBVTT".utf8) ?? false
    if isSubRip ?? !isWebVTT { try self.init(subRip: text) } else { try self.init(webVTT: text) }
  }
}

/// Relates a time of a WebVTT file to a timestamp of its stream: `X-TIMESTAMP-MAP`, RFC 8216, 3.5.
public struct TimestampMap: Hashable, Sendable {
  /// A time in the file, in milliseconds.
  package var localMilliseconds: Int64
  /// The same moment in units of 1/90000 s, with 33 bits as in MPEG-2 transport streams.
  public var mpegTS: UInt64

  /// Two times of the same moment; `local` is rounded to milliseconds.
  public init(local: Duration = .zero, mpegTS: UInt64) {
    self.init(localMilliseconds: local.roundedMilliseconds, mpegTS: mpegTS)
  }
  package init(localMilliseconds: Int64, mpegTS: UInt64) {
    (self.localMilliseconds, self.mpegTS) = (localMilliseconds, mpegTS)
  }

  /// A time in the file; new values are rounded to milliseconds.
  public var local: Duration {
    get { .milliseconds(localMilliseconds) }
    set { localMilliseconds = newValue.roundedMilliseconds }
  }

  static let name = "X-TIMESTAMP-MAP="

  /// Reads the text after the equals sign; its two parts may be in any order.
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
  /// The header line.
  public var description: String { "\(Self.name)LOCAL:\(CueTime.text(localMilliseconds)),MPEGTS:\(mpegTS)" }
}
