import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging
import MP4Presentations
import TimedText

/// A presentation to check: the claims of its playlists, and the properties of its media.
package struct CheckedPresentation {
  /// The contents of the playlists.
  let presentation: OpenedPresentation
  /// The media playlists with their media.
  let playlists: [CheckedPlaylist]
  /// The comparison of the playlists' claims with the media.
  let summary: PresentationSummary
  /// Where closed captions are looked for.
  let captions: CaptionSearch

  init(_ presentation: OpenedPresentation, _ playlists: [CheckedPlaylist], _ captions: CaptionSearch) {
    (self.presentation, self.playlists, self.captions) = (presentation, playlists, captions)
    summary = PresentationSummary(presentation, playlists.map { PlaylistSummary($0.media, read: $0.runs) })
  }

  /// Checks the rules of playlists.
  func check(_ rules: [Rule], _ result: inout CheckResult) {
    var findings = FindingList()
    let rules = rules.filter { ($0.source.profile == .dash) == presentation.isManifest || $0.source.profile == .iso }
    for rule in rules {
      var report = RuleReport(rule, on: presentation.name)
      switch rule.test {
      case .lines(let own):
        report.add(presentation.findings, own, presentation.name)
        for playlist in playlists { report.add(playlist.playlist.findings, own, playlist.playlist.name) }
      case .playlists(let test):
        for playlist in playlists {
          var report = RuleReport(rule, on: playlist.playlist.name)
          test(playlist, self, &report)
          findings.add(report)
        }
      case .presentations(let test):
        if let main = presentation.multivariant { test(main, self, &report) }
      case .boxes, .files, .movies, .tracks, .media, .diagnostics, .reloads, .specification: break
      }
      findings.add(report)
    }
    let main = presentation.multivariant == nil ? [] : [presentation.name]
    result.add(findings, rules, files: main + playlists.map(\.playlist.name), inOrderOfLines: true)
  }

  /// The wrong claims of the multivariant playlist, with the line of each stream or rendition.
  var claims: [([WrongClaim], line: Int?)] {
    func line(_ role: MultivariantPlaylist.Role) -> Int? { presentation.multivariant?.line(of: role) }
    return summary.variants.enumerated().map { ($1.differences, line(.variant($0))) }
      + summary.renditions.enumerated().map { ($1.differences, line(.rendition($0))) }
      + summary.iFrameVariants.enumerated().map { ($1.differences, line(.iFrames($0))) }
  }
}

extension RuleReport {
  fileprivate mutating func add(_ findings: [PlaylistFinding], _ rule: PlaylistRule, _ file: String) {
    for finding in findings where finding.rule == rule {
      add(finding.reason, line: finding.line > 0 ? finding.line : nil, file: file)
    }
  }
}

/// A media playlist to check, with its media.
package struct CheckedPlaylist {
  /// The contents of the playlist.
  let playlist: OpenedPlaylist
  /// Its segments, in order.
  private(set) var segments: [CheckedSegment] = []
  /// Its WebVTT segments, by their indices.
  private(set) var texts: [(index: Int, document: Result<WebVTTDocument, TimedTextError>)] = []
  /// Segments and initialization sections that are not media, with their lines and descriptions.
  private(set) var foreign: [(line: Int, uri: String, name: String)] = []
  /// Files that cannot be opened, with their lines.
  private(set) var problems: [(file: String, line: Int, reason: String)] = []
  /// Its movies, one for each initialization section, with the index of the first segment of each.
  private(set) var starts: [(movie: CheckedMovie, segment: Int)] = []
  /// Its movies.
  var movies: [CheckedMovie] { starts.map(\.movie) }
  /// Its segments as files.
  private(set) var media: PlaylistMedia
  /// The readable segments of these movies.
  private(set) var runs: [MediaRun] = []

  private var sections: Set<String> = []
  /// The maximum size of a WebVTT segment that is read.
  private static let textLimit = 1 << 22

  /// Whether it is an I-frame playlist.
  var isIFramesOnly: Bool { playlist.playlist?.isIFramesOnly ?? false }
  /// Reads the boxes of the media of a playlist, and checks it.
  init(_ opened: PlaylistMedia, _ check: Check, _ result: inout CheckResult) throws(IOError) {
    (media, playlist) = (opened, opened.playlist)
    problems = (playlist.problems + media.problems).map { problem in
      let advice = problem.reason.isAllowable ? check.advice(.allowOutside) : ""
      return (problem.playlist, problem.line, problem.reason.withoutPlace + advice)
    }
    let kinds = try takeKinds()
    for part in playlist.parts {
      let section = playlist.segments[part.lowerBound].section.flatMap { media.sections[$0] }
      // If a segment is missing, the others do not form a movie without gaps.
      for run in part.split(whereSeparator: { media.segments[$0] == nil }) {
        try add(Array(run), run.compactMap { kinds[$0] }, section, check, &result)
      }
    }
  }

  /// Determines the kinds of the segments. Those that are not media count as missing.
  private mutating func takeKinds() throws(IOError) -> [CheckedSegment.Kind?] {
    for (index, section) in media.sections.sorted(by: { $0.key < $1.key }) {
      guard case .foreign(let name) = try CheckedSegment.Kind(of: section) else { continue }
      let declared = playlist.sections[index]
      foreign.append((declared.line, declared.declared.uri, name))
      media.omit(section: index)
    }
    var kinds: [CheckedSegment.Kind?] = []
    for (segment, source) in zip(playlist.segments, media.segments) {
      var kind =
        media.isOpaque(kinds.count)
        ? .encrypted : try source.map { source throws(IOError) in try CheckedSegment.Kind(of: source) }
      if case .foreign(let name) = kind {
        foreign.append((segment.line, segment.declared.uri, name))
        media.omit(segment: kinds.count)
        kind = nil
      }
      kinds.append(kind)
    }
    return kinds
  }

  private mutating func add(
    _ indices: [Int], _ kinds: [CheckedSegment.Kind], _ section: (any ByteSource)?, _ check: Check,
    _ result: inout CheckResult
  ) throws(IOError) {
    let media = indices.compactMap { self.media.segments[$0] }
    let sources = (section.map { [$0] } ?? []) + media
    guard kinds.contains(.mp4) else {
      for (source, (index, kind)) in zip(media, zip(indices, kinds)) {
        segments.append(CheckedSegment(index, kind, size: source.byteCount ?? 0))
        guard kind == .webVTT else { continue }
        let bytes = try source.bytes(in: 0..<Self.textLimit)
        texts.append((index, Result { () throws(TimedTextError) in try WebVTTDocument(bytes) }))
      }
      return
    }
    var own = CheckResult()
    let movie = try check.run(onParts: sources, .first, into: &own)
    // All runs share the initialization section; its findings count once.
    if let section, !sections.insert(section.name).inserted { own = own.keeping { $0.file != section.name } }
    // I-frames are parts of files that are checked themselves.
    if !isIFramesOnly { result.add(own) }
    starts.append((movie, indices.first ?? 0))
    if let own = movie.movie { runs.append(MediaRun(segments: indices, movie: own)) }
    let timescales = movie.timescales
    let handlers = movie.handlers
    let entries = movie.sampleEntries
    for (file, (index, kind)) in zip(movie.files.dropFirst(section == nil ? 0 : 1), zip(indices, kinds)) {
      var segment = CheckedSegment(index, kind, file, timescales, handlers)
      for track in file.trackFragments {
        guard let own = entries[track.id], own.indices.contains(Int(track.description) - 1) else { continue }
        segment.schemes.insert(own[Int(track.description) - 1].scheme)
      }
      segments.append(segment)
    }
  }
}

extension CheckedPlaylist {
  /// The channels of closed captions in its pictures; `nil` if nothing is known about them.
  func captionChannels(_ search: CaptionSearch) -> [CaptionChannel]? {
    var result: Set<CaptionChannel>?
    for run in search == .start ? runs.prefix(1) : runs[...] {
      for track in run.movie.tracks where track.handler == "vide" {
        // Media that cannot be read is a finding of other rules.
        guard let channels = try? track.captionChannels(search) else { return nil }
        result = (result ?? []).union(channels)
      }
    }
    return result?.sorted()
  }
}

/// A segment of a playlist.
package struct CheckedSegment {
  /// The kinds of segments.
  enum Kind: Sendable, Equatable {
    case mp4
    case transportStream
    case packedAudio
    case webVTT
    /// Encrypted as a whole.
    case encrypted
    /// Not media; a description of the contents.
    case foreign(String)
    case unknown

    /// Determines the kind of a segment from its first bytes.
    init(of source: any ByteSource) throws(IOError) {
      let start = try source.bytes(in: 0..<min(ForeignContent.length, source.byteCount ?? ForeignContent.length))
      let text = start.starts(with: [0xef, 0xbb, 0xbf]) ? start.dropFirst(3) : start[...]
      self =
        if FileBox(startOf: start[...]) != nil {
          .mp4
        } else if text.starts(with: "WEBVTT".utf8) {
          .webVTT
        } else if start.first == 0x47 {
          .transportStream
        } else if start.starts(with: "ID3".utf8) || start.starts(with: [0xff]) {
          .packedAudio
        } else if let name = ForeignContent.name(start: start) {
          .foreign(name)
        } else {
          .unknown
        }
    }
  }
  /// Its index in the playlist.
  let index: Int
  let kind: Kind
  /// Its size in bytes.
  let size: Int
  /// The decode time of its first sample, and the duration of its samples; of video if it has any.
  private(set) var start: MediaTime?
  private(set) var duration: MediaTime?
  /// The time at which its first sample is shown, without edits.
  private(set) var shownStart: MediaTime?
  /// The track with these times, and the ends of all tracks.
  private(set) var track: UInt32?
  private(set) var ends: [UInt32: MediaTime] = [:]
  /// The longest time from the start to the end of one of its tracks.
  private(set) var longestDuration: MediaTime?
  /// The same without the time by which samples at the ends of a fragment last longer than the others.
  private(set) var longestUsualDuration: MediaTime?
  /// Whether its first video sample is a sync sample; `nil` without video, or if unknown.
  private(set) var startsWithSync: Bool?
  /// The number of its video samples.
  private(set) var pictureCount = 0
  /// The encryption schemes of its samples; `nil` for a clear sample entry.
  fileprivate(set) var schemes: Set<FourCC?> = []

  /// The end of the samples of that track.
  var end: MediaTime? { start.flatMap { start in duration.map { start + $0 } } }

  init(_ index: Int, _ kind: Kind, size: Int) { (self.index, self.kind, self.size) = (index, kind, size) }

  init(
    _ index: Int, _ kind: Kind, _ file: CheckedFile, _ timescales: [UInt32: UInt32], _ handlers: [UInt32: FourCC]
  ) {
    self.init(index, kind, size: file.source.byteCount ?? 0)
    let all = file.trackFragments
    let video = all.first { handlers[$0.id] == "vide" }
    for (id, own) in Dictionary(grouping: all.lazy.filter({ $0.sampleCount > 0 }), by: \.id) {
      guard let timescale = timescales[id], timescale > 0 else { continue }
      let length = MediaTime(Int64(truncatingIfNeeded: own.reduce(UInt64(0)) { $0 &+ $1.duration }), timescale)
      let first = own[0].decodeTime.map { MediaTime(Int64(truncatingIfNeeded: $0), timescale) }
      ends[id] = first.map { $0 + length }
      // Its fragments may be apart.
      let last = own[own.count - 1]
      let end = last.decodeTime.map { MediaTime(Int64(truncatingIfNeeded: $0 &+ last.duration), timescale) }
      longestDuration = max(longestDuration ?? length, length, end.flatMap { end in first.map { end - $0 } } ?? length)
      let usual = MediaTime(Int64(truncatingIfNeeded: own.reduce(UInt64(0)) { $0 &+ $1.usualDuration }), timescale)
      longestUsualDuration = max(longestUsualDuration ?? usual, usual)
      guard id == (video ?? all.first)?.id else { continue }
      (track, start, duration) = (id, first, length)
      shownStart = first.map { $0 + MediaTime(own[0].compositionOffsets.first, timescale) }
    }
    guard let first = all.first(where: { $0.id == track && $0.sampleCount > 0 }) else { return }
    if video != nil {
      startsWithSync = first.firstFlags?.isSync
      pictureCount = all.reduce(0) { $0 &+ ($1.id == track ? $1.sampleCount : 0) }
    }
  }
}

extension CheckedMovie {
  /// The handler of each track.
  var handlers: [UInt32: FourCC] {
    var handlers: [UInt32: FourCC] = [:]
    for track in tracks {
      guard let id = track.fields("tkhd", as: TrackHeaderBox.self)?.trackID else { continue }
      handlers[id] = track.fields("mdia", "hdlr", as: HandlerBox.self)?.handlerType
    }
    return handlers
  }
  /// The sample entries of each track.
  fileprivate var sampleEntries: [UInt32: [CheckedBox]] {
    var entries: [UInt32: [CheckedBox]] = [:]
    for track in tracks {
      guard let id = track.fields("tkhd", as: TrackHeaderBox.self)?.trackID else { continue }
      entries[id] = track.first("mdia", "minf", "stbl", "stsd")?.boxes
    }
    return entries
  }
}

extension CheckResult {
  /// Adds the findings of another check.
  public mutating func add(_ other: CheckResult) {
    var list = FindingList()
    for finding in other.findings { list.add(finding) }
    add(list, other.rules, files: other.files)
    addSamples(of: other)
  }
}
