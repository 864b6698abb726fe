public import HLS
public import Presentations

/// A media playlist of a presentation: what it declares, and where the bytes of its segments are.
public struct InspectedPlaylist: Sendable {
  /// Its URI as the playlist that refers to it has it, with variables replaced; that of the first of several. Its name
  /// if none refers to it.
  public let uri: String
  /// The line of the multivariant playlist that refers to it, the first of several; 0 if none does.
  public let line: Int
  /// Its location, after redirects; `nil` if the reference is not allowed.
  public let location: PlaylistLocation?
  /// What it is in the presentation; empty if no multivariant playlist refers to it.
  public internal(set) var roles: [MultivariantPlaylist.Role]
  /// The playlist; `nil` if it cannot be read.
  public internal(set) var playlist: MediaPlaylist?
  /// Its initialization sections, each once, in the order of their first use.
  public internal(set) var sections: [Section] = []
  /// Its segments in order.
  public internal(set) var segments: [Segment] = []
  /// The rules of HLS that it violates, by itself and together with other playlists.
  public internal(set) var findings: [PlaylistFinding] = []
  /// Why it, or some of it, cannot be read.
  public internal(set) var problems: [PresentationProblem] = []

  /// An initialization section.
  public struct Section: Sendable {
    /// Its URI with variables replaced, and its byte range as written.
    public let declared: InitializationSection
    /// Where its bytes are, or why they must not be read.
    public let resource: Result<SegmentSeries.Item, PlaylistLocation.Refusal>
    /// The line that declares it first.
    public let line: Int
  }

  /// A segment.
  public struct Segment: Sendable {
    /// What the playlist declares, with variables replaced and byte ranges from the start of the resource.
    public let declared: ResolvedSegment
    /// Where its bytes are, or why they must not be read.
    public let resource: Result<SegmentSeries.Item, PlaylistLocation.Refusal>
    /// The line of its URI.
    public let line: Int
    /// Its initialization section, as an index; `nil` without one.
    public let section: Int?

    /// Whether it is encrypted as a whole, so that nothing of it can be read without its key.
    public var isEncryptedAsWhole: Bool { declared.keys.contains { $0.method == .aes128 } }
  }

  /// What messages call it.
  public var name: String { location?.name ?? uri }

  /// The segments that share an initialization section and a timeline, in order: those between discontinuities and
  /// changes of the initialization section.
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

  /// Whether an EXTINF cannot be read or is missing. Its segment then has the duration 0.
  var hasUnreadDurations: Bool { findings.contains { $0.rule == .tagValue || $0.rule == .durationMissing } }

  /// The sum of the durations of some segments.
  public func duration(of segments: Range<Int>) -> Duration {
    self.segments[segments].reduce(.zero) { $0 + $1.declared.duration }
  }
}

extension InspectedPlaylist {
  /// A playlist that is not read yet.
  init(_ uri: String, line: Int, _ location: PlaylistLocation?, _ roles: [MultivariantPlaylist.Role]) {
    (self.uri, self.line, self.location, self.roles) = (uri, line, location, roles)
  }

  /// Takes what the playlist declares about its segments; what cannot be understood is a problem.
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
      // Without a key that can be read, segments stay encrypted.
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
  /// What a line of the playlist at this location refers to.
  fileprivate func item(
    _ uri: String, _ range: Range<Int>?, line: Int, _ encryption: SegmentEncryption?
  ) -> Result<SegmentSeries.Item, Refusal> {
    Result { () throws(Refusal) in
      SegmentSeries.Item(place: try resolving(uri), byteRange: range, line: line, uri: uri, encryption: encryption)
    }
  }
}

/// What of a presentation cannot be read, and why. The rest of it can be.
public struct PresentationProblem: Sendable, CustomStringConvertible {
  /// The playlist that it concerns, or that refers to what cannot be read.
  public let playlist: String
  /// The line of the playlist, starting at 1; 0 for the playlist as a whole.
  public let line: Int
  /// The reason.
  public let reason: PresentationError

  /// A problem of a playlist, or of what a line of it refers to.
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
