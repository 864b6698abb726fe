import MP4Bytes
import MP4HLS
import MP4Packaging

/// A folder in memory that checks each of its states as a player would see it. Fuzzing uses it too.
final class LiveRecorder: LiveOutput {
  private(set) var files: [String: [UInt8]] = [:]
  private(set) var open: [UInt8]?
  /// All states of the media playlist.
  private(set) var states: [MediaPlaylist] = []
  /// All problems found so far, in its folders too.
  var problems: [String] { own + folders.flatMap { name, folder in folder.problems.map { "\(name): \($0)" } } }
  private var own: [String] = []
  /// The folders in it.
  private(set) var folders: [String: LiveRecorder] = [:]
  private weak var parent: LiveRecorder?
  /// All segments in order, including removed ones.
  private(set) var segments: [(name: String, initialization: [UInt8], bytes: [UInt8])] = []
  private(set) var removed: [String] = []
  /// The current time of the test.
  var now: Duration {
    get { parent?.now ?? ownNow }
    set { ownNow = newValue }
  }
  private var ownNow = Duration.zero
  /// The time when a file left the playlist, and the duration of the longest playlist that contained it.
  private var left: [String: (time: Duration, duration: Duration)] = [:]
  private var longest: [String: Duration] = [:]
  /// The number of bytes after which appending fails.
  var roomLeft = Int.max

  func append(_ bytes: ArraySlice<UInt8>) throws(IOError) {
    roomLeft -= bytes.count
    if roomLeft < 0 { throw IOError(.write, file: "live", code: 28, reason: "the disk is full") }
    open = (open ?? []) + bytes
  }
  func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError) {
    open?.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }
  func truncate(to byteCount: Int) throws(IOError) { open = open.map { Array($0.prefix(byteCount)) } }
  func finish(as name: String) throws(IOError) {
    if files[name] != nil { own.append("\(name) is made twice") }
    guard let bytes = open else { return own.append("\(name) is nothing") }
    files[name] = bytes
    open = nil
    segments.append((name, [], bytes))
  }
  func discard() { open = nil }
  func makeFolder(_ name: String) throws(IOError) -> any LiveOutput {
    if folders[name] != nil { own.append("\(name) is created twice") }
    let folder = LiveRecorder()
    folder.parent = self
    folders[name] = folder
    return folder
  }
  func remove(_ name: String) {
    guard files.removeValue(forKey: name) != nil else { return own.append("\(name) is removed but not there") }
    removed.append(name)
    guard let (time, duration) = left[name] else { return own.append("\(name) is removed but never left") }
    // RFC 8216, 6.2.2.
    if now < time + duration + (longest[name] ?? .zero) { own.append("\(name) is removed too early") }
  }
  func write(_ bytes: [UInt8], as name: String) throws(IOError) {
    files[name] = bytes
    guard name == LivePackager.indexName else { return }
    do {
      try check(MediaPlaylist(bytes))
    } catch {
      own.append("\(error)")
    }
  }

  private func check(_ playlist: MediaPlaylist) throws {
    own += playlist.findings.map { "\($0)" }
    let segments = try playlist.resolved()
    let total = playlist.segments.reduce(Duration.zero) { $0 + $1.duration }
    for segment in segments where !segment.isGap {
      let map = segment.map?.uri ?? ""
      if files[segment.uri] == nil { own.append("\(segment.uri) is named but not there") }
      guard let initialization = files[map] else { own.append("\(map) is named but not there"); continue }
      for name in [segment.uri, map] { longest[name] = max(longest[name] ?? .zero, total) }
      if let index = self.segments.lastIndex(where: { $0.name == segment.uri }) {
        self.segments[index].initialization = initialization
      }
    }
    defer { states.append(playlist) }
    guard let before = states.last else { return }
    try compare(before, playlist, total)
  }

  /// Checks that published information is unchanged: RFC 8216, 6.2.1 and 6.2.2.
  private func compare(_ before: MediaPlaylist, _ playlist: MediaPlaylist, _ total: Duration) throws {
    if before.isEnded { own.append("it goes on behind its end") }
    if before.targetSeconds != playlist.targetSeconds { own.append("the target duration changes") }
    if before.version != playlist.version { own.append("the version changes") }
    if before.playlistType != playlist.playlistType { own.append("the type changes") }
    let old = try before.resolved()
    let new = try playlist.resolved()
    let removed = playlist.mediaSequence - before.mediaSequence
    if removed < 0 || removed > old.count { own.append("the media sequence number jumps") }
    if removed > 0, total < .seconds(3 * playlist.targetSeconds) { own.append("it became too short") }
    if removed > 0, playlist.playlistType == .event { own.append("an EVENT playlist got shorter") }
    for segment in old.prefix(removed) {
      if !segment.isGap { left[segment.uri] = (now, segment.duration) }
      if let map = segment.map?.uri, !new.contains(where: { $0.map?.uri == map }) {
        left[map] = (now, segment.duration)
      }
    }
    for (a, b) in zip(old.dropFirst(removed), new) {
      let isSame =
        a.uri == b.uri && a.mediaSequence == b.mediaSequence && a.discontinuitySequence == b.discontinuitySequence
        && a.duration == b.duration && a.map?.uri == b.map?.uri && a.programDateTime == b.programDateTime
        && a.isDiscontinuity == b.isDiscontinuity
      if !isSame { own.append("number \(a.mediaSequence) changes: \(a) is \(b)") }
    }
  }
}
