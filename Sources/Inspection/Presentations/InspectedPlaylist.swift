public import HLS
public import Presentations

/// A media playlist of a presentation: its contents, and the locations of its segments.
public struct InspectedPlaylist: Sendable {
  /// The first URI by which another playlist refers to it, with variables replaced; its name if none does.
  public let uri: String
  /// The first line of the multivariant playlist that refers to it; 0 if none does.
  public let line: Int
  /// Its location, after redirects; `nil` if the reference is not allowed.
  public let location: PlaylistLocation?
  /// Its roles in the presentation; empty if no multivariant playlist refers to it.
  public internal(set) var roles: [MultivariantPlaylist.Role]
  /// The playlist; `nil` if it cannot be read.
  public internal(set) var playlist: MediaPlaylist?
  /// Its initialization sections without duplicates, in the order of their first use.
  public internal(set) var sections: [Section] = []
  /// Its segments in order.
  public internal(set) var segments: [Segment] = []
  /// The HLS rules that it violates, on its own and together with other playlists.
  public internal(set) var findings: [PlaylistFinding] = []
  /// Why it, or parts of it, cannot be read.
  public internal(set) var problems: [PresentationProblem] = []

  /// An initialization section.
  public struct Section: Sendable {
    /// Its URI with variables replaced, and its byte range as written.
    public let declared: InitializationSection
    /// The location of its bytes, or why they must not be read.
    public let resource: Result<SegmentSeries.Item, PlaylistLocation.Refusal>
    /// The line that declares it first.
    public let line: Int
  }

  /// A segment.
  public struct Segment: Sendable {
    /// The contents of the playlist about it, with variables replaced and byte ranges relative to the start of the
    /// resource.
    public let declared: ResolvedSegment
    /// The location of its bytes, or why they must not be read.
    public let resource: Result<SegmentSeries.Item, PlaylistLocation.Refusal>
    /// The line of its URI.
    public let line: Int
    /// The index of its initialization section; `nil` if it has none.
    public let section: Int?

    /// Whether it is encrypted as a whole, so that nothing can be read without its key.
    public var isEncryptedAsWhole: Bool { declared.keys.contains { $0.method == .aes128 } }
  }

  /// Its name in messages.
  public var name: String { location?.name ?? uri }

  /// The segments that share an initialization section and a timeline, in order, divided at discontinuities and changes
  /// of the initialization section.
  public var parts: [Range<Int>] {
    var parts: [Range<Int>] = []
    for (index, segment) in segments.enumerated() {
      if let last = parts.last, case let before = segments[last.lowerBound], before.section == segment.section,
        before.declared.discontinuitySequence == segment.declared.discontinuitySequence
      {
        parts[parts.count - 1] = last.lowerBound..<index + 1
      } else {
        parts.append(index..<index + 1)
      }
    }
    return parts
  }

  /// Whether an EXTINF cannot be read or is missing. The duration of its segment then counts as 0.
  var hasUnreadDurations: Bool { findings.contains { $0.rule == .tagValue || $0.rule == .durationMissing } }

  /// The sum of the durations of some segments.
  public func duration(of segments: Range<Int>) -> Duration {
    self.segments[segments].reduce(.zero) { $0 + $1.declared.duration }
  }
}

extension InspectedPlaylist {
  /// A playlist that has not been read yet.
  init(_ uri: String, line: Int, _ location: PlaylistLocation?, _ roles: [MultivariantPlaylist.Role]) {
    (self.uri, self.line, self.location, self.roles) = (uri, line, location, roles)
  }

  /// Takes the segments from the playlist; lines that cannot be interpreted are problems.
  mutating func take(_ playlist: MediaPlaylist, importing variables: Variables) {
    self.playlist = playlist
    guard let location else { return }
    let resolved: [ResolvedSegment]
    do throws(PlaylistError) {
      let own = try Variables(playlist.definitions, importing: variables, uri: location.reference)
      resolved = try playlist.resolved(own)
    } catch {
      problems.append(PresentationProblem(name, line: error.line, .playlist(file: name, error)))
      return
    }
    segments.reserveCapacity(resolved.count)
    var known: [InitializationSection: Int] = [:]
    var keys = SegmentKeys()
    var line = playlist.header.count
    var keyLine = 0
    for segment in resolved {
      let lines = playlist.segments[segment.index].lines
      if let tag = lines.lastIndex(where: { $0.tag == .key }) { keyLine = line + tag + 1 }
      // Without a readable key, segments stay encrypted.
      func item(_ uri: String, _ range: Range<Int>?, line: Int, _ own: [EncryptionKey], _ sequence: Int) -> Result<
        SegmentSeries.Item, PlaylistLocation.Refusal
      > {
        let encryption = try? keys.encryption(own, sequence, at: location, line: keyLine)
        return location.item(uri, range, line: line, encryption)
      }
      var section: Int?
      if let map = segment.map {
        section = known[map]
        if section == nil {
          let tag = lines.firstIndex { $0.tag == .map }
          let mapLine = line + (tag.map { $0 + 1 } ?? lines.count)
          let range = map.byteRange.map { $0.bytes(from: 0) }
          known[map] = sections.count
          section = sections.count
          let resource = item(map.uri, range, line: mapLine, segment.mapKeys, segment.mapSequence)
          sections.append(Section(declared: map, resource: resource, line: mapLine))
        }
      }
      line += lines.count
      let resource = item(segment.uri, segment.byteRange, line: line, segment.keys, segment.mediaSequence)
      segments.append(Segment(declared: segment, resource: resource, line: line, section: section))
    }
  }
}

extension PlaylistLocation {
  /// The resource that a line of the playlist at this location refers to.
  fileprivate func item(
    _ uri: String, _ range: Range<Int>?, line: Int, _ encryption: SegmentEncryption?
  ) -> Result<SegmentSeries.Item, Refusal> {
    Result { () throws(Refusal) in
      SegmentSeries.Item(place: try resolving(uri), byteRange: range, line: line, uri: uri, encryption: encryption)
    }
  }
}

/// A part of a presentation that cannot be read, and the reason. The rest can be used.
public struct PresentationProblem: Sendable, CustomStringConvertible {
  /// The playlist that it concerns, or that refers to the unreadable resource.
  public let playlist: String
  /// The line of the playlist, starting at 1; 0 for the playlist as a whole.
  public let line: Int
  /// The reason.
  public let reason: PresentationError

  /// A problem of a playlist, or of a resource that one of its lines refers to.
  init(_ playlist: String, line: Int, _ reason: PresentationError) {
    (self.playlist, self.line, self.reason) = (playlist, line, reason)
  }

  /// A sentence that names the playlist and the line.
  public var description: String {
    switch reason {
    case .playlist, .refused, .refusedLink, .tooLong, .key: "\(reason)"
    default: line > 0 ? "\(playlist): line \(line): \(reason)" : "\(reason)"
    }
  }
}
