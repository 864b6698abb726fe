import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging

/// Summaries as text: a line for the presentation, a line for each variant and rendition, and marked lines for wrong
/// claims.
extension PresentationSummary {
  /// The lines, each with its end.
  public var text: String { text(isVerbose: false) }

  /// The lines, including the movies of variants and renditions if `isVerbose`.
  public func text(isVerbose: Bool) -> String {
    var lines = [line]
    lines += RuleWords.lines(findings).map { "  \($0)" }
    guard kind == .multivariant || kind == .manifest else {
      for playlist in playlists {
        if kind == .folder { lines.append("  \(playlist.line)") }
        let indent = kind == .folder ? "    " : "  "
        lines += (playlist.details + playlist.movieLines(isVerbose)).map { indent + $0 }
      }
      return lines.map { $0 + "\n" }.joined()
    }
    func add(_ number: Int, _ line: String, _ differences: [WrongClaim], _ uri: String?) {
      lines.append("  \(number) \(line)")
      lines += differences.map {
        "      ! \($0.subject): \($0.claimed.printable), but the media has \($0.actual.printable)"
      }
      guard let playlist = playlists.first(where: { $0.uri == uri }) else { return }
      lines += (playlist.details + (isVerbose ? playlist.movieLines(true) : [])).map { "      \($0)" }
    }
    for (index, stream) in variants.enumerated() {
      add(index + 1, stream.line("variant"), stream.differences, stream.uri)
    }
    for (index, rendition) in renditions.enumerated() {
      add(index + 1, rendition.line, rendition.differences, rendition.uri)
    }
    for (index, stream) in iFrameVariants.enumerated() {
      add(index + 1, stream.line("I-frames"), stream.differences, stream.uri)
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private var line: String {
    if kind == .media, let playlist = playlists.first { return playlist.line }
    var words = [name.printable, kind.rawValue, duration.clock, isLive ? "live" : "VOD"]
    if let version, kind == .multivariant { words.append("version \(version)") }
    let counts = [
      (variants.count, "variant"), (renditions.count, "rendition"), (iFrameVariants.count, "I-frame playlist"),
      (kind == .folder ? playlists.count : 0, "media playlist"),
    ]
    words.append(counts.filter { $0.0 > 0 }.map { counted($0.0, $0.1) }.joined(separator: ", "))
    return words.filter { !$0.isEmpty }.joined(separator: "  ")
  }
}

extension StreamSummary {
  fileprivate func line(_ kind: String) -> String {
    var words = [kind, uri.printable]
    let average = averageBandwidth.map { ", average \(Quantity.text($0, "b/s"))" } ?? ""
    words.append(Quantity.text(bandwidth, "b/s") + average)
    if let codecs { words.append(codecs.printable) }
    if let resolution { words.append("\(resolution)") }
    if let frameRate { words.append("\(Self.decimal(frameRate)) fps") }
    if let videoRange { words.append(videoRange.printable) }
    let named = [
      ("audio", groups.audio), ("video", groups.video), ("subtitles", groups.subtitles),
      ("captions", groups.closedCaptions == "NONE" ? nil : groups.closedCaptions),
    ]
    words += named.compactMap { name, group in group.map { "\(name) \"\($0.printable)\"" } }
    return words.joined(separator: "  ")
  }
}

extension RenditionSummary {
  fileprivate var line: String {
    var words = [kind.isEmpty ? "rendition" : kind.lowercased(), uri?.printable ?? "in the variants"]
    words.append("group \"\(group.printable)\"")
    words.append("\"\(name.printable)\"")
    if let language { words.append(language.printable) }
    if let channels { words.append(channels == "1" ? "1 channel" : "\(channels.printable) channels") }
    if !codecs.isEmpty { words.append(codecs) }
    if let measured { words.append(Quantity.text(measured.average, "b/s")) }
    if isDefault { words.append("default") } else if isAutoselected { words.append("autoselect") }
    if isForced { words.append("forced") }
    return words.joined(separator: "  ")
  }
}

extension PlaylistSummary {
  fileprivate var line: String {
    var words = [name.printable]
    guard let version else { return words[0] + "  cannot be read" }
    words += [isIFramesOnly ? "I-frame playlist" : "media playlist", duration.clock, isLive ? "live" : "VOD"]
    words.append("version \(version)")
    words.append(counted(segmentCount, "segment") + (segmentDurations?.words ?? ""))
    words.append("target duration \(targetDuration)")
    if let bandwidth { words.append(Quantity.text(bandwidth.average, "b/s")) }
    return words.joined(separator: "  ")
  }

  /// Unusual properties.
  fileprivate var details: [String] {
    var lines: [String] = []
    if let otherFormat, otherFormat != "WebVTT subtitles" { lines.append("segments: \(otherFormat), not MP4") }
    if !encryption.isEmpty {
      let isWhole = encryption.contains("AES-128")
      lines.append("encryption: \(encryption.joined(separator: ", ").printable)\(isWhole ? ", full segments" : "")")
    }
    if gapCount > 0 { lines.append("gaps: \(counted(gapCount, "segment")) marked as missing") }
    if partCount > 1 { lines.append("parts between discontinuities: \(partCount); the longest is examined") }
    if !isWhole, version != nil { lines.append("examined: the first \(examined)") }
    if !problems.isEmpty { lines.append("! \(counted(problems.count, "item")) cannot be read") }
    return lines + RuleWords.lines(findings)
  }

  /// The lines of its movie.
  fileprivate func movieLines(_ isVerbose: Bool) -> [String] {
    (movie?.text(isVerbose: isVerbose) ?? "").split(separator: "\n").map(String.init)
  }
}

/// Findings about rules in words.
private enum RuleWords {
  /// A line with the number of findings and the first one; empty if there are none.
  static func lines(_ findings: [PlaylistFinding]) -> [String] {
    guard var first = findings.first else { return [] }
    first.playlist = nil
    let count = findings.count == 1 ? "1 finding" : "\(findings.count) findings, first"
    return ["! HLS rules: \(count): \("\(first)".printable)"]
  }
}
