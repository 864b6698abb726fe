/// A segment with everything that previous lines declare about it.
public struct ResolvedSegment: Hashable, Sendable {
  /// Its index in ``MediaPlaylist/segments``.
  public var index: Int
  /// Its media sequence number, which stays the same when the playlist advances.
  public var mediaSequence: Int
  /// The number of discontinuities before it since the start of the stream.
  public var discontinuitySequence: Int
  /// Whether a discontinuity precedes it.
  public var isDiscontinuity: Bool
  /// Its start time in the playlist: the sum of the previous durations.
  public var start: Duration
  /// Its duration.
  public var duration: Duration
  /// Its URI relative to the playlist, with variables replaced.
  public var uri: String
  /// Its bytes in the resource, or `nil` for all of them.
  public var byteRange: Range<Int>?
  /// Its initialization section.
  public var map: InitializationSection?
  /// Its keys, one for each key format; empty if it is not encrypted.
  public var keys: [EncryptionKey]
  /// The keys of its initialization section: those before EXT-X-MAP.
  public var mapKeys: [EncryptionKey]
  /// The media sequence number of the segment after EXT-X-MAP.
  package var mapSequence: Int
  /// The time of day of its first sample, computed from the latest tag or, before the first tag, from that one.
  public var programDateTime: DateTime?
  /// Its approximate bit rate in kilobits per second.
  public var bitrate: Int?
  /// Whether it is missing and should not be loaded.
  public var isGap: Bool
}

extension MediaPlaylist {
  /// The segments in order, with everything that previous lines declare about them.
  ///
  /// - Parameter variables: The values for `{$NAME}`; `nil` uses only the playlist's own definitions.
  public func resolved(_ variables: Variables? = nil) throws(PlaylistError) -> [ResolvedSegment] {
    let known: Variables
    if let variables { known = variables } else { known = try Variables(definitions) }
    var state = SegmentState(self, variables: known)
    var output: [ResolvedSegment] = []
    output.reserveCapacity(segments.count)
    for (index, segment) in segments.enumerated() {
      output.append(try state.next(segment, index: index))
    }
    return output
  }

  /// Removes the first segments, as in a live playlist, and keeps their declarations that apply to the following
  /// segments: key, initialization section, bit rate, time of day, numbers, and byte range offsets.
  public mutating func removeFirstSegments(_ count: Int) throws(PlaylistError) {
    let count = min(max(0, count), segments.count)
    guard count > 0 else { return }
    // Variables are not replaced here. They are replaced later, with the same result.
    var state = SegmentState(self, variables: nil)
    for index in 0..<count { _ = try state.next(segments[index], index: index) }
    mediaSequence = saturatingSum(mediaSequence, count)
    discontinuitySequence = state.discontinuitySequence
    if count < segments.count {
      let next = try state.next(segments[count], index: count)
      let hadDate = segments[..<count].contains { $0.programDateTime != nil }
      if let map = next.map, next.mapKeys != next.keys {
        segments[count].setKeys(next.keys, map, with: next.mapKeys)
      } else {
        if !next.keys.isEmpty { segments[count].keys = next.keys }
        if segments[count].map == nil { segments[count].map = next.map }
      }
      if segments[count].bitrate == nil { segments[count].bitrate = next.bitrate }
      if segments[count].programDateTime == nil, hadDate { segments[count].programDateTime = next.programDateTime }
      if let range = next.byteRange, segments[count].byteRange?.offset == nil {
        segments[count].byteRange = ByteRange(range)
      }
    }
    // Tags of the whole playlist can be between the lines of any segment.
    for line in segments[..<count].flatMap(\.lines) {
      guard let tag = line.tag, tag.isSingle, tag.place == .media || tag.place == .both else { continue }
      if header.value(tag) == nil, trailer.value(tag) == nil { header.append(line) }
    }
    segments.removeFirst(count)
  }
}

/// The state that applies until another line changes it.
struct SegmentState: Sendable {
  let variables: Variables?
  var mediaSequence: Int
  var discontinuitySequence: Int
  var start = Duration.zero
  var end: (uri: String, offset: Int)?
  var map: InitializationSection?
  var mapKeys: [EncryptionKey] = []
  var mapSequence = 0
  var keys: [EncryptionKey] = []
  var date: DateTime?
  var bitrate: Int?
  /// The total size of texts after variables were replaced. It is limited, because replacement can make every line
  /// long.
  var substitutedBytes = 0
  static let mostSubstitutedBytes = 67_108_864
  static let mostKeys = 64

  init(_ playlist: MediaPlaylist, variables: Variables?) {
    self.variables = variables
    mediaSequence = saturatingSum(playlist.mediaSequence, playlist.skipped?.count ?? 0)
    discontinuitySequence = playlist.discontinuitySequence
    var time = Duration.zero
    for segment in playlist.segments {
      if let first = segment.programDateTime {
        date = first - time
        break
      }
      time += segment.duration
    }
  }

  mutating func next(_ segment: Segment, index: Int) throws(PlaylistError) -> ResolvedSegment {
    let uri = try substituted(segment.uri)
    try read(segment)
    var resolved = ResolvedSegment(
      index: index, mediaSequence: mediaSequence, discontinuitySequence: discontinuitySequence,
      isDiscontinuity: segment.isDiscontinuity, start: start, duration: segment.duration, uri: uri, byteRange: nil,
      map: map, keys: keys, mapKeys: mapKeys, mapSequence: mapSequence, programDateTime: date, bitrate: bitrate,
      isGap: segment.isGap)
    if let range = segment.byteRange {
      let bytes = range.bytes(from: end?.uri == uri ? end?.offset ?? 0 : 0)
      resolved.byteRange = bytes
      end = (uri, bytes.upperBound)
    } else {
      end = nil
    }
    start += segment.duration
    date = date.map { $0 + segment.duration }
    mediaSequence = saturatingSum(mediaSequence, 1)
    return resolved
  }
  private mutating func read(_ segment: Segment) throws(PlaylistError) {
    for line in segment.lines {
      switch line.content {
      case .tag(.discontinuity, _): discontinuitySequence = saturatingSum(discontinuitySequence, 1)
      case .tag(.key, .attributes(let list)): try change(EncryptionKey(attributes: try substituted(list)))
      case .tag(.map, .attributes(let list)):
        map = InitializationSection(attributes: try substituted(list))
        (mapKeys, mapSequence) = (keys, mediaSequence)
      case .tag(.programDateTime, .date(let value)): date = value
      case .tag(.bitrate, .integer(let value)): bitrate = value
      default: break
      }
    }
  }
  private mutating func substituted(_ uri: String) throws(PlaylistError) -> String {
    guard let variables, uri.utf8.contains(UInt8(ascii: "{")) else { return uri }
    let text = try variables.substituted(uri)
    try count(text)
    return text
  }
  private mutating func substituted(_ list: AttributeList) throws(PlaylistError) -> AttributeList {
    guard let variables else { return list }
    let output = try variables.substituted(list)
    for attribute in output.attributes { try count(attribute.text) }
    return output
  }
  private mutating func count(_ text: String) throws(PlaylistError) {
    substitutedBytes += text.utf8.count
    guard substitutedBytes <= SegmentState.mostSubstitutedBytes else {
      throw PlaylistError(.tooLong(limit: SegmentState.mostSubstitutedBytes), line: 0)
    }
  }
  /// A key replaces the previous one of the same format; METHOD=NONE removes all.
  private mutating func change(_ key: EncryptionKey) throws(PlaylistError) {
    let format = key.keyFormat ?? "identity"
    keys.removeAll { key.method == .none || ($0.keyFormat ?? "identity") == format }
    if key.method != .none { keys.append(key) }
    if keys.count > SegmentState.mostKeys { throw PlaylistError(.tooManyKeys(limit: SegmentState.mostKeys), line: 0) }
  }
}
