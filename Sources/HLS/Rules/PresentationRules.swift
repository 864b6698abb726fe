/// The rules for the media playlists of one presentation (6.2.4).
struct PresentationChecker {
  enum Role { case variant, rendition, subtitles, iFrames }
  struct Member {
    var uri: String
    var role: Role
    var playlist: MediaPlaylist
  }
  let members: [Member]
  var findings: [PlaylistFinding] = []

  init(members: [Member]) { self.members = members }

  mutating func check(_ main: MultivariantPlaylist) {
    checkTargets()
    checkTypes()
    checkLengths()
    checkDates()
    checkIFrames()
    checkKeys(main)
    checkImports(main)
  }
  private mutating func report(_ rule: PlaylistRule, _ member: Member, _ tag: TagName?, _ reason: String) {
    let index = tag.flatMap { tag in member.playlist.lines.firstIndex { $0.tag == tag } }
    findings.append(
      PlaylistFinding(rule: rule, line: index.map { $0 + 1 } ?? 0, reason: reason, playlist: member.uri))
  }

  private mutating func checkTargets() {
    // A playlist without a readable target duration violates another rule.
    let members = members.filter { member in member.playlist.lines.contains { $0.tag == .targetDuration } }
    guard let first = members.first else { return }
    let target = first.playlist.targetSeconds
    for member in members.dropFirst() where member.playlist.targetSeconds != target {
      let isFree = member.role == .subtitles || member.playlist.isIFramesOnly
      if isFree, member.playlist.playlistType == .vod { continue }
      let found = member.playlist.targetSeconds
      report(
        .targetDurations, member, .targetDuration,
        "EXT-X-TARGETDURATION is \(found) but must be \(target), as in \(quoted(first.uri))")
    }
  }
  private mutating func checkTypes() {
    guard let first = members.first(where: { $0.playlist.playlistType != nil }) else { return }
    let type = first.playlist.playlistType
    for member in members where member.playlist.playlistType != type {
      let reason = "EXT-X-PLAYLIST-TYPE must be \(type?.rawValue ?? ""), as in \(quoted(first.uri))"
      report(.playlistTypes, member, .playlistType, reason)
    }
  }
  /// Checks the durations and discontinuities of complete playlists.
  private mutating func checkLengths() {
    let complete = members.filter { ($0.role == .variant || $0.role == .rendition) && $0.playlist.isEnded }
    guard let first = complete.first else { return }
    let length = PresentationChecker.length(of: first.playlist)
    let last = PresentationChecker.lastDiscontinuity(of: first.playlist)
    let target = Duration.seconds(min(first.playlist.targetSeconds, Int(Duration.mostSeconds)))
    for member in complete.dropFirst() {
      let other = PresentationChecker.length(of: member.playlist)
      let isKnown = [first, member].allSatisfy { PresentationChecker.hasAllDurations($0.playlist) }
      if isKnown, other > length + target || length > other + target {
        report(
          .lengths, member, nil,
          "it lasts \(other.roundedText) s, but \(quoted(first.uri)) lasts \(length.roundedText) s; "
            + "durations may differ by at most one target duration")
      }
      let found = PresentationChecker.lastDiscontinuity(of: member.playlist)
      if found != last {
        let reason = "its last discontinuity sequence number is \(found), but \(quoted(first.uri)) has \(last)"
        report(.discontinuities, member, nil, reason)
      }
    }
  }
  private static func length(of playlist: MediaPlaylist) -> Duration {
    playlist.segments.reduce(.zero) { $0 + $1.duration }
  }
  /// Whether each segment has an EXTINF that can be read.
  private static func hasAllDurations(_ playlist: MediaPlaylist) -> Bool {
    playlist.segments.allSatisfy { $0.duration > .zero || $0.lines.contains { $0.tag == .segment } }
  }
  private static func lastDiscontinuity(of playlist: MediaPlaylist) -> Int {
    saturatingSum(playlist.discontinuitySequence, playlist.segments.count { $0.isDiscontinuity })
  }
  private mutating func checkDates() {
    let isDated = { (member: Member) in member.playlist.segments.contains { $0.programDateTime != nil } }
    guard let first = members.first(where: isDated) else { return }
    for member in members where !isDated(member) {
      let reason = "it has no EXT-X-PROGRAM-DATE-TIME, but \(quoted(first.uri)) does"
      report(.dates, member, nil, reason)
    }
  }
  private mutating func checkIFrames() {
    for member in members where member.role == .iFrames && !member.playlist.isIFramesOnly {
      report(.iFramesOnly, member, nil, "EXT-X-I-FRAME-STREAM-INF refers to it, so it must have EXT-X-I-FRAMES-ONLY")
    }
  }
  private mutating func checkKeys(_ main: MultivariantPlaylist) {
    var session: [String: EncryptionKey] = [:]
    for key in main.sessionKeys { session[key.uri ?? ""] = key }
    guard !session.isEmpty else { return }
    for member in members {
      let keys = member.playlist.segments.lazy.flatMap(\.keys)
      let isOther = keys.contains { key in
        guard let uri = key.uri, let other = session[uri] else { return false }
        return key.method != other.method || key.keyFormat != other.keyFormat
          || key.keyFormatVersions != other.keyFormatVersions
      }
      if isOther {
        let reason = "METHOD, KEYFORMAT and KEYFORMATVERSIONS must match the EXT-X-SESSION-KEY with the same URI"
        report(.sessionKeyMatch, member, .key, reason)
      }
    }
  }
  private mutating func checkImports(_ main: MultivariantPlaylist) {
    let names = Set(main.definitions.compactMap { $0.name ?? $0.queryParameter })
    for member in members {
      let missing = member.playlist.definitions.compactMap(\.imported).first { !names.contains($0) }
      if let missing {
        let reason = "the variable \(quoted(missing)) is imported; the multivariant playlist must define it"
        report(.variableUndefined, member, .define, reason)
      }
    }
  }
}

extension Duration {
  /// Its seconds, rounded to three decimals, without zeros at the end.
  fileprivate var roundedText: String {
    let (seconds, attoseconds) = components
    let unit: Int64 = 1_000_000_000_000_000
    let rounded = Duration(secondsComponent: seconds, attosecondsComponent: (attoseconds + unit / 2) / unit * unit)
    return rounded.decimalText(decimals: 0)
  }
}
