import MP4
public import MP4Bytes
public import MP4HLS
public import MP4Presentations

/// A message about reading a playlist and its segments.
public struct PlaylistDiagnostic: Sendable {
  /// How serious it is.
  public enum Severity: Sendable, Comparable {
    /// A decision, such as which variant is used.
    case detail
    /// Nothing is lost.
    case note
    /// Something may be missing.
    case warning
    /// Something is missing.
    case error
  }
  /// Why a segment is missing.
  public enum Reason: Sendable, CustomStringConvertible {
    /// Its file cannot be opened.
    case io(IOError)
    /// It cannot be fetched.
    case fetch(FetchError)
    /// The key in this line, with which the segment is encrypted, cannot be used.
    case key(line: Int, KeyProblem)

    /// The problem, with the name of the file.
    public var description: String {
      switch self {
      case .io(let error): error.description
      case .fetch(let error): error.description
      case .key(_, let problem): problem.description
      }
    }
  }
  /// What the diagnostic is about.
  public enum Kind: Sendable {
    /// The media playlist in this line of a multivariant playlist is used.
    case chosen(line: Int, uri: String)
    /// The playlist has no end and is not followed.
    case notFollowed
    /// The playlist has no end and is followed, until no new segment arrives for this time if there is a limit.
    case following(patience: Duration?)
    /// The playlist has no end, and no new segment was added for this time.
    case stale(Duration)
    /// The playlist cannot be fetched again; what was received is used.
    case unreachable(FetchError)
    /// Subtitles with these names are not read.
    case omittedTexts([String])
    /// Segments were removed from the playlist before they could be read.
    case missed(Int)
    /// The segment numbers restarted; what was received before is used.
    case restarted
    /// The segment in this line is missing.
    case missing(line: Int, Reason)
    /// The end of the encrypted segment in this line is missing or damaged.
    case cutOff(line: Int, segment: String)
    /// The samples stay encrypted, because the key in this line cannot be used.
    case noSampleKey(line: Int, KeyProblem)
    /// More segments are missing, which are not listed.
    case moreMissing
    /// The playlist marks segments as missing (EXT-X-GAP), the first one in this line.
    case gaps(line: Int, count: Int, Duration)
    /// The media times of the playlists that are 0 in the presentation differ by these seconds.
    case origins(Double)
    /// The durations of a manifest contradict each other: how.
    case difference(String)
  }
  /// The playlist.
  public var file: String
  /// What the diagnostic is about.
  public var kind: Kind
  /// Whether the playlist is a DASH manifest.
  public var isManifest = false
}

extension PlaylistDiagnostic: CustomStringConvertible {
  /// How serious it is.
  public var severity: Severity {
    switch kind {
    case .chosen: .detail
    case .notFollowed, .following, .omittedTexts: .note
    case .stale, .gaps, .cutOff, .noSampleKey, .difference: .warning
    case .unreachable, .missed, .restarted, .missing, .moreMissing, .origins: .error
    }
  }

  /// A sentence that names the playlist.
  public var description: String {
    if case .unreachable(let error) = kind { return "\(error); the output ends there" }
    return "\(file): \(text)"
  }

  private var text: String {
    let open = isManifest ? "the manifest is live (type=\"dynamic\")" : "no EXT-X-ENDLIST"
    switch kind {
    case .chosen(let line, let uri): return "using line \(line), \(uri)"
    case .notFollowed: return "\(open); the output stops at its current end"
    case .following(let patience):
      let limit = patience.map { ", or no segment is added for \($0.components.seconds) s" } ?? ""
      let end = isManifest ? "it is static" : "it appears"
      return "\(isManifest ? open : open + " yet"); waiting for more segments until \(end)\(limit)"
    case .stale(let patience):
      return "\(open), and no new segment for \(patience.components.seconds) s; considered complete"
    case .unreachable: return ""
    case .omittedTexts(let names):
      let list = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
      return "its subtitles (\(list)) are not used"
    case .missed(let count):
      return "\(counted(count, "segment was", "segments were")) removed from the playlist before being read"
    case .restarted: return "its segment numbers restarted; the output ends there"
    case .missing(let line, let reason):
      return "line \(line): the segment is missing: \(Diagnostic.shortened("\(reason)", beside: file))"
    case .cutOff(let line, let segment):
      let name = Diagnostic.shortened(segment, beside: file)
      return "line \(line): the end of the encrypted segment \(name) is missing or damaged; the rest is used"
    case .noSampleKey(let line, let problem): return "line \(line): \(problem); the samples stay encrypted"
    case .moreMissing: return "more segments are missing"
    case .gaps(let line, let count, let duration):
      let what = count == 1 ? "a segment is" : "\(count) segments are"
      let seconds = duration.components.seconds
      let tenths = duration.components.attoseconds / 100_000_000_000_000_000
      if isManifest {
        return "line \(line): nothing continues it in \(counted(count, "period")); \(seconds).\(tenths) s are missing"
      }
      return "line \(line): \(what) marked as missing (EXT-X-GAP); \(seconds).\(tenths) s are missing"
    case .difference(let text): return "\(text); in the output, each period follows the previous one"
    case .origins(let difference):
      let text = MediaTime(Int64((difference * 1000).rounded()), 1000).description
      return
        "presentationTimeOffset differs by \(text) between its representations, which is not supported; sound and "
        + "pictures are apart by this time"
    }
  }
}
