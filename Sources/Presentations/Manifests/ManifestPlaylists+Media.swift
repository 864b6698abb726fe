import ISOBMFF
import MP4Bytes
import MP4DASH
import MP4HLS
import MP4Platform

extension ManifestPlaylists {
  /// The media playlist of a stream, whose segments a file with an index can determine: `opener` reads it.
  func playlist(of stream: Stream, _ opener: PresentationOpener) throws(PresentationError) -> MediaPlaylist {
    var (segments, number, times): ([Segment], Int?, [ManifestSource.Time]) = ([], nil, [])
    var (origin, differences, isComplete): (Double?, [String], Bool) = (nil, [], false)
    for (index, period) in manifest.periods.enumerated() {
      var own: [Segment]
      if let place = stream.places[index] {
        let set = period.adaptationSets[place.set]
        let representation = set.representations[place.representation]
        let base = [manifest.baseURLs, period.baseURLs, set.baseURLs, representation.baseURLs]
          .compactMap(\.first).reduce(URIReference("")) { URIReference($1).resolved(against: $0) }
        let found: Segments
        do throws(MPDError) {
          found = try self.segments(of: representation, stream.kind, in: index, at: base, opener)
        } catch {
          throw .manifest(file: location.name, MPDError(error.reason, line: max(error.line, representation.line)))
        }
        own = found.segments
        number = number ?? found.first
        times += found.times
        origin = origin ?? found.origin
      } else {
        own = []
      }
      let sum = own.reduce(Duration.zero) { $0 + $1.duration }
      if let declared = duration(of: index) {
        isComplete = sum + .milliseconds(100) >= declared
        if !own.isEmpty, stream.kind != .text, (sum - declared) / .seconds(1) > 0.5 || !isComplete {
          differences.append(difference(index, declared, sum))
        }
      }
      if index > 0, let before = duration(of: index - 1),
        case let gap = start(of: index) - start(of: index - 1) - before,
        gap / .seconds(1) > 0.5
      {
        let text = Int((gap / .milliseconds(1)).rounded())
        differences.append("period \(index + 1) starts \(text) ms after the end of the previous one")
      }
      if own.isEmpty, manifest.type == "static", stream.places[index] != nil, duration(of: index) != .zero {
        throw .manifest(
          file: location.name,
          MPDError("the representation '\(stream.name)' has no segments", line: stream.representation.line))
      }
      if own.isEmpty, manifest.periods.count > 1 {
        // Parts between discontinuities are counted in all playlists.
        var gap = Segment("-", duration: duration(of: index) ?? .zero)
        gap.isGap = true
        own = [gap]
        times.append(ManifestSource.Time(start: 0, tolerance: .infinity))
      }
      if index > 0, !own.isEmpty { own[0].isDiscontinuity = true }
      segments += own
    }
    // A live presentation with a duration ends by itself.
    let isLive = manifest.type == "dynamic" && !(isComplete && manifest.duration != nil)
    var playlist = MediaPlaylist(segments, type: isLive ? nil : .vod, isEnded: !isLive)
    playlist.mediaSequence = opener.number(
      ofFirst: segments, isLive ? max(0, number ?? 0) : nil, of: stream.name, at: location)
    if isLive, let interval = manifest.minimumUpdatePeriod, interval > playlist.targetDuration {
      playlist.targetDuration = interval
    }
    playlist.version = playlist.lowestVersion
    var source = ManifestSource(
      line: stream.representation.line, bandwidth: stream.representation.bandwidth,
      buffer: manifest.minBufferTime / .seconds(1))
    source.origin = origin ?? 0
    source.codecs = stream.representation.codecs
    source.differences = isLive ? [] : differences
    source.location = manifest.locations.first
    if times.count == segments.count { source.times = times }
    source.isApproximate = times.contains { $0.tolerance > Self.tolerance && $0.tolerance < .infinity }
    playlist.source = source
    return playlist
  }

  /// The seconds by which a segment may start later or earlier than a timeline says.
  private static let tolerance = 0.1

  /// A sentence about a period whose segments are longer or shorter than itself.
  private func difference(_ period: Int, _ declared: Duration, _ sum: Duration) -> String {
    let text = { (duration: Duration) in "\(Int((duration / .milliseconds(1)).rounded())) ms" }
    return "period \(period + 1) lasts \(text(declared)), but its segments last \(text(sum))"
  }

  /// The start of a period in the presentation.
  private func start(of index: Int) -> Duration {
    var time = Duration.zero
    for (number, period) in manifest.periods.prefix(index + 1).enumerated() {
      if let start = period.start {
        time = start
      } else if number > 0 {
        time += manifest.periods[number - 1].duration ?? .zero
      }
    }
    return time
  }

  /// The duration of a period; `nil` if it is unknown.
  private func duration(of index: Int) -> Duration? {
    let period = manifest.periods[index]
    if let duration = period.duration { return duration }
    if index + 1 < manifest.periods.count {
      return manifest.periods[index + 1].start.map { max(.zero, $0 - start(of: index)) }
    }
    return manifest.duration.map { max(.zero, $0 - start(of: index)) }
  }

  /// Segments, the number of the first one, their start times, and the media time at which the period starts.
  private typealias Segments = (segments: [Segment], first: Int, times: [ManifestSource.Time], origin: Double)

  /// The segments of a representation in a period.
  private func segments(
    of representation: MPD.Representation, _ kind: Stream.Kind, in period: Int, at base: URIReference,
    _ opener: PresentationOpener
  ) throws(MPDError) -> Segments {
    let duration = duration(of: period)
    var elapsed: Duration?
    if manifest.type == "dynamic", let text = manifest.availabilityStart {
      guard let start = DateTime(text) else {
        throw MPDError("MPD@availabilityStartTime has no valid value: \"\(text)\"")
      }
      elapsed = SystemClock.timeOfDay - start.sinceEpoch - self.start(of: period)
    }
    guard
      let sequence = try representation.segments(
        in: duration, elapsed: elapsed.map { max(.zero, $0) }, depth: manifest.timeShiftBufferDepth)
    else {
      let timing = representation.segments.base?.timing ?? MPD.Timing()
      return (try file(of: representation, kind, duration, at: base, opener), 0, [], timing.origin)
    }
    func uri(_ text: String) -> String {
      text.isEmpty ? base.description : URIReference(text).resolved(against: base).description
    }
    let scale = max(1, sequence.timing.timescale)
    func time(_ units: UInt64) -> Duration {
      .units(Int64(clamping: units), timescale: UInt32(clamping: scale))
    }
    let origin = sequence.segments.first?.start ?? 0
    var result: [Segment] = []
    var times: [ManifestSource.Time] = []
    result.reserveCapacity(sequence.segments.count)
    // Of segments without a timeline, the duration is approximate: 5.3.9.2.2.
    let isApproximate = representation.segments.template.map { $0.timeline == nil } ?? false
    for segment in sequence.segments {
      // As differences of times, so that rounding does not accumulate.
      let start = segment.start >= origin ? segment.start - origin : 0
      let length = time(start &+ segment.duration) - time(start)
      result.append(Segment(uri(segment.uri), duration: length, byteRange: segment.range.map { ByteRange($0) }))
      let tolerance = isApproximate ? Double(segment.duration) / Double(scale) / 2 : Self.tolerance
      times.append(ManifestSource.Time(start: Double(segment.start) / Double(scale), tolerance: tolerance))
    }
    if !result.isEmpty, let initialization = sequence.initialization {
      result[0].map = InitializationSection(
        uri(initialization.sourceURL ?? ""), byteRange: initialization.range.map { ByteRange($0) })
    }
    return (result, sequence.segments.first?.number ?? 0, times, sequence.timing.origin)
  }

  /// The segments of one file: those of its index, or all media after its `moov` box. WebVTT is one segment.
  private func file(
    of representation: MPD.Representation, _ kind: Stream.Kind, _ duration: Duration?, at base: URIReference,
    _ opener: PresentationOpener
  ) throws(MPDError) -> [Segment] {
    let uri = base.description
    guard !uri.isEmpty else { throw MPDError("the representation has no segments and no BaseURL") }
    if kind == .text, representation.common.mimeType == "text/vtt" {
      return [Segment(uri, duration: duration ?? .zero)]
    }
    let parts: FileParts
    do throws(PresentationError) {
      let place = try location.resolving(uri, line: representation.line, of: location.name)
      parts = try FileParts(opener.source(at: place))
    } catch { throw MPDError(error.withoutPlace) }
    guard let end = parts.initializationEnd else { throw MPDError("\(uri) has no 'moov' box at its start") }
    let map = representation.segments.base?.initialization
    var segments = parts.segments.map { Segment(uri, duration: $0.duration, byteRange: ByteRange($0.range)) }
    if segments.isEmpty {
      segments = [Segment(uri, duration: duration ?? .zero, byteRange: ByteRange(end..<max(end, parts.byteCount)))]
    }
    segments[0].map = InitializationSection(
      map?.sourceURL.map { URIReference($0).resolved(against: base).description } ?? uri,
      byteRange: map?.sourceURL != nil && map?.range == nil ? nil : ByteRange(map?.range ?? 0..<end))
    return segments
  }
}

extension MPD.Timing {
  /// The media time at which the period starts, in seconds.
  var origin: Double { Double(presentationTimeOffset) / Double(max(1, timescale)) }
}

/// The parts of a fragmented file: the boxes up to `moov`, and the segments of its index.
private struct FileParts {
  var initializationEnd: Int?
  var segments: [(range: Range<Int>, duration: Duration)] = []
  var byteCount: Int

  init(_ source: any ByteSource) throws(PresentationError) {
    byteCount = source.byteCount ?? .max
    do throws(IOError) { try read(source) } catch { throw .io(error) }
  }

  private mutating func read(_ source: any ByteSource) throws(IOError) {
    var parser = BoxParser(source)
    while let node = try parser.next() {
      parser.skipBoxes()
      switch FileBox(node.type) {
      case .movie: initializationEnd = node.header.end
      case .index where node.type == SegmentIndexBox.info.type:
        if case .success(let index) = try parser.decode(node, as: SegmentIndexBox.self) {
          add(index, after: node.header.end)
        }
        return
      case .fragment, .media: return
      default: break
      }
    }
  }

  /// Adds the segments of an index. An index of indices is not followed: its parts are segments, too.
  private mutating func add(_ index: SegmentIndexBox, after end: Int) {
    var (start, isLarge) = end.addingReportingOverflow(Int(clamping: index.firstOffset))
    var time: UInt64 = 0
    let scale = max(1, index.timescale)
    for reference in index.references where !isLarge {
      let range = start..<start + min(Int(reference.referencedSize), max(0, Int.max - start))
      let next = time &+ UInt64(reference.subsegmentDuration)
      let duration =
        Duration.units(Int64(clamping: next), timescale: scale)
        - Duration.units(Int64(clamping: time), timescale: scale)
      if !range.isEmpty { segments.append((range, duration)) }
      (start, time) = (range.upperBound, next)
      isLarge = start == .max
    }
  }
}
