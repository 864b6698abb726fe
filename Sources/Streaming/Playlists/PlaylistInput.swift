public import MP4
public import MP4Bytes
public import MP4HLS
public import MP4Packaging
import MP4Presentations

/// The segments of a presentation, or of a part of it between discontinuities, as input of a `Defragmenter`.
public struct PlaylistInput {
  /// The init segments and media segments, in reading order.
  public var sources: [any ByteSource] = []
  /// For each source, its media playlist and its part between discontinuities.
  public var parts: [SourcePart] = []
  /// What the multivariant playlist says about the renditions, by the number of their series.
  public var renditions: [Int: Rendition] = [:]
  /// The dates of the first media playlist with date ranges, or with a date; `nil` if there are none.
  public var dates: PlaylistDates?
  /// Subtitles that are WebVTT.
  public var texts: [PlaylistText] = []
  /// The duration of the media, if only a part of it was to be read.
  public var limit: MediaTime?
  /// Warnings about keys of samples that could not be verified, and errors about subtitles that are omitted.
  public var diagnostics: [Diagnostic] = []

  init() {}

  /// The media time from which subtitles count, according to the first segments.
  public func textStart() throws(MovieError) -> MediaTime {
    var firsts: [any ByteSource] = []
    for series in Set(parts.map(\.series)).sorted() {
      firsts += parts.indices.filter { parts[$0].series == series }.prefix(2).map { sources[$0] }
    }
    return try Movie(reading: firsts).followersStart
  }

  /// Joins these inputs; each continues where the previous one ends. Subtitles that are WebVTT are omitted if there are
  /// several inputs, because their times then have several origins.
  public init(joining inputs: [PlaylistInput]) {
    if inputs.count == 1 { (texts, limit, dates) = (inputs[0].texts, inputs[0].limit, inputs[0].dates) }
    if inputs.count > 1, let first = inputs[0].dates, !first.ranges.isEmpty {
      let text = "its date ranges are omitted, because there are \(inputs.count) parts between discontinuities"
      diagnostics.append(Diagnostic(.warning, inputs[0].sources.first?.name ?? "", text))
    }
    for text in inputs.count > 1 ? inputs[0].texts : [] {
      let reason =
        "these subtitles are omitted, because there are \(inputs.count) parts between discontinuities; "
        + "a file for each part can have them"
      diagnostics.append(Diagnostic(.error, text.source, reason))
    }
    for (number, input) in inputs.enumerated() {
      sources += input.sources
      diagnostics += input.diagnostics
      renditions.merge(input.renditions) { first, _ in first }
      parts += input.parts.map { SourcePart(series: $0.series, period: number) }
    }
  }

  /// The subtitles that are WebVTT, with times that count from the first picture, and diagnostics of reading them.
  /// Those that cannot be used are reported.
  public func subtitles() throws(MovieError) -> (subtitles: [Subtitles], diagnostics: [Diagnostic]) {
    var (result, diagnostics): ([Subtitles], [Diagnostic]) = ([], [])
    guard !texts.isEmpty else { return (result, diagnostics) }
    let start = try textStart()
    for text in texts {
      do throws(SubtitleFileError) {
        let rendition = text.rendition
        var (subtitles, own) = try Subtitles.joining(
          text.segments, mediaStart: text.countsFromStart ? MediaTime(0, 1) : start, end: limit,
          language: rendition.language ?? "und", source: text.source)
        diagnostics += own
        (subtitles.name, subtitles.isDefault) = (rendition.name, rendition.isDefault)
        subtitles.isForced = rendition.isForced
        let characteristics = rendition.characteristics?.split(separator: ",") ?? []
        subtitles.describesSounds = characteristics.contains("public.accessibility.transcribes-spoken-dialog")
        result.append(subtitles)
      } catch {
        diagnostics.append(Diagnostic(.error, text.source, "these subtitles are omitted: \(error)"))
      }
    }
    return (result, diagnostics)
  }

  /// The inputs read from media playlists, one for each part between discontinuities.
  static func periods(
    _ streams: [StreamState], _ key: (SegmentKey) -> LoadedKey?
  ) throws(PresentationError) -> [PlaylistInput] {
    var found: [Int: [Int: [any ByteSource]]] = [:]
    var doubts: [Int: [Diagnostic]] = [:]
    var texts: [Int: [PlaylistText]] = [:]
    for (series, stream) in streams.enumerated() {
      if let rendition = stream.text, !stream.pieces.contains(where: \.isMap) {
        let segments = Dictionary(
          grouping: stream.pieces.filter { !$0.isLost && $0.source != nil }, by: \.discontinuity)
        for (discontinuity, pieces) in segments {
          texts[discontinuity, default: []].append(
            PlaylistText(
              source: stream.name, rendition: rendition, segments: pieces.compactMap(\.source),
              countsFromStart: stream.origin != nil))
        }
        continue
      }
      var own: [Int: [Piece]] = [:]
      var isReadable = false
      // Transport streams and packed audio have none.
      if let first = stream.pieces.first(where: { !$0.isLost }), !first.isMap, let source = first.source {
        do throws(MovieError) { isReadable = try ImportedSources.isStream(source) } catch {
          throw .samples(error)
        }
        guard isReadable else {
          throw .segment(file: stream.name, SegmentError(.notMP4(first.item.uri), line: first.item.line))
        }
      }
      for piece in stream.pieces {
        // Without an init segment, the segments that follow cannot be read.
        if piece.isMap { isReadable = !piece.isLost }
        if piece.isLost || !isReadable { continue }
        // If reading was stopped here, the rest is ignored.
        guard piece.source != nil else { break }
        own[piece.discontinuity, default: []].append(piece)
      }
      for (discontinuity, pieces) in own where pieces.contains(where: { !$0.isMap }) {
        let (sources, diagnostics) = try decrypted(pieces, key)
        found[discontinuity, default: [:]][series] = sources
        doubts[discontinuity, default: []] += diagnostics
      }
    }
    let dates = (streams.first { !$0.dates.ranges.isEmpty } ?? streams.first { $0.dates.start != nil })?.dates
    return found.sorted { $0.key < $1.key }.map { discontinuity, all in
      var input = PlaylistInput()
      input.dates = dates
      (input.diagnostics, input.texts) = (doubts[discontinuity] ?? [], texts[discontinuity] ?? [])
      for (series, sources) in all.sorted(by: { $0.key < $1.key }) {
        input.sources += sources
        input.renditions[series] = streams[series].rendition
        input.parts += sources.map { _ in SourcePart(series: series, period: 0) }
      }
      return input
    }
  }

  /// The sources of an init segment and its segments; segments with their own key are decrypted with it.
  private static func decrypted(
    _ pieces: [Piece], _ key: (SegmentKey) -> LoadedKey?
  ) throws(PresentationError) -> (sources: [any ByteSource], diagnostics: [Diagnostic]) {
    guard pieces.contains(where: { $0.sampleKey != nil }) else { return (pieces.compactMap(\.source), []) }
    var result: [any ByteSource] = []
    var diagnostics: [Diagnostic] = []
    for run in pieces.runs {
      let sources = run.compactMap(\.source)
      let first = result.count
      result += sources
      // All or none are decrypted, because the init segment then declares the samples as clear.
      let wanted = run.compactMap(\.sampleKey)
      guard !wanted.isEmpty, run.first?.isMap == true, sources.count == run.count, wanted.allSatisfy({ key($0) != nil })
      else { continue }
      var start = 1
      while start < run.count {
        let own = run[run.startIndex + start].sampleKey
        let end = (start..<run.count).first { run[run.startIndex + $0].sampleKey != own } ?? run.count
        let part = start..<end
        start = end
        guard let loaded = own.flatMap(key) else { continue }
        var keys = ContentKeys()
        try? keys.setForAll(loaded.bytes)
        do throws(MovieError) {
          let decryption = try Decryption(of: [sources[0]] + sources[part], with: keys)
          let clear = decryption.sources
          diagnostics += decryption.diagnostics.filter { $0.severity == .warning }
          result[first] = clear[0]
          result.replaceSubrange(first + part.lowerBound..<first + part.upperBound, with: clear.dropFirst())
        } catch { throw .samples(error) }
      }
    }
    return (result, diagnostics)
  }
}

extension [Piece] {
  /// Its parts, each of which begins with an init segment.
  fileprivate var runs: [ArraySlice<Piece>] {
    let starts = indices.filter { self[$0].isMap || $0 == 0 }
    return zip(starts, starts.dropFirst() + [count]).map { self[$0..<$1] }
  }
}

/// Subtitles of a presentation whose segments are WebVTT.
public struct PlaylistText: Sendable {
  /// The name of the media playlist in messages.
  public var source: String
  /// The rendition, with its language and name.
  public var rendition: Rendition
  /// The segments, in order.
  public var segments: [any ByteSource]
  /// Whether its times count from the start of the presentation, as in DASH; otherwise from that of the media.
  public var countsFromStart = false
}
