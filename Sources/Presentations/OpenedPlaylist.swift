public import MP4HLS

/// A media playlist of a presentation: its contents, and the locations of its segments.
public struct OpenedPlaylist: Sendable {
  /// Its name in messages.
  public let name: String
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
    public let resource: Result<SegmentSeries.Item, PresentationError>
    /// The line that declares it first.
    public let line: Int
  }

  /// A segment.
  public struct Segment: Sendable {
    /// The contents of the playlist about it, with variables replaced and byte ranges relative to the start of the
    /// resource.
    public let declared: ResolvedSegment
    /// The location of its bytes, or why they must not be read.
    public let resource: Result<SegmentSeries.Item, PresentationError>
    /// The line of its URI.
    public let line: Int
    /// The index of its initialization section; `nil` if it has none.
    public let section: Int?

    /// Whether it is encrypted as a whole, so that nothing can be read without its key.
    public var isEncryptedAsWhole: Bool { declared.keys.contains { $0.method == .aes128 } }
  }

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

  /// The sum of the durations of some segments.
  public func duration(of segments: Range<Int>) -> Duration {
    self.segments[segments].reduce(.zero) { $0 + $1.declared.duration }
  }
}

extension OpenedPlaylist {
  /// A playlist that has not been read yet. Without a name, it is that of its location.
  init(
    _ location: PlaylistLocation?, uri: String? = nil, line: Int = 0, roles: [MultivariantPlaylist.Role] = [],
    name: String? = nil
  ) {
    self.name = name ?? location?.name ?? uri ?? ""
    self.uri = uri ?? self.name
    (self.line, self.location, self.roles) = (line, location, roles)
  }

  /// Takes the segments from the playlist; lines that cannot be interpreted are problems.
  mutating func take(_ playlist: MediaPlaylist, importing variables: Variables) {
    self.playlist = playlist
    guard let location else { return }
    segments.reserveCapacity(playlist.segments.count)
    var known: [InitializationSection: Int] = [:]
    var keys = SegmentKeys()
    do throws(PlaylistError) {
      var cursor = try SegmentCursor(playlist, at: location, importing: variables)
      while let element = try cursor.next() {
        // Without a readable key, segments stay encrypted.
        func item(
          _ uri: String, _ range: Range<Int>?, line: Int, _ own: [EncryptionKey], _ sequence: Int
        ) -> Result<SegmentSeries.Item, PresentationError> {
          let encryption = try? keys.encryption(own, sequence, at: location, line: element.keyLine)
          return Result { () throws(PresentationError) in
            let place = try location.resolving(uri, line: line, of: name)
            return SegmentSeries.Item(place: place, byteRange: range, line: line, uri: uri, encryption: encryption)
          }
        }
        let segment = element.segment
        var section: Int?
        if let map = segment.map {
          section = known[map] ?? sections.count
          if section == sections.count {
            known[map] = section
            let range = map.byteRange.map { $0.bytes(from: 0) }
            let resource = item(map.uri, range, line: element.mapLine, segment.mapKeys, segment.mapSequence)
            sections.append(Section(declared: map, resource: resource, line: element.mapLine))
          }
        }
        let resource = item(segment.uri, segment.byteRange, line: element.line, segment.keys, segment.mediaSequence)
        segments.append(Segment(declared: segment, resource: resource, line: element.line, section: section))
      }
    } catch {
      (sections, segments) = ([], [])
      problems.append(PresentationProblem(name, line: error.line, .playlist(file: name, error)))
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

extension Playlist {
  /// Reads the playlist with the name `file` in messages.
  package init(_ bytes: [UInt8], file: String, isTolerant: Bool = false) throws(PresentationError) {
    do throws(PlaylistError) { try self.init(bytes, isTolerant: isTolerant) } catch {
      throw .playlist(file: file, error)
    }
  }

  /// The media playlist with the name `file` in messages; a multivariant playlist is an error.
  package func media(file: String) throws(PresentationError) -> MediaPlaylist {
    do throws(PlaylistError) { return try media() } catch { throw .playlist(file: file, error) }
  }
}
