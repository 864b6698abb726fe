import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Packaging
import Support
import Testing

/// A generated package, checked for all properties that every package must have.
struct Package {
  let plan: PackagePlan
  /// The files by path.
  private(set) var files: [String: [UInt8]] = [:]
  /// The inputs by name; playlists can reference them.
  private var sources: [String: [UInt8]] = [:]

  /// Packages movies; each array contains the files of one movie.
  init(
    _ movies: [[[UInt8]]], at: SourceLocation = #_sourceLocation, _ change: (inout Packager.Options) -> Void = { _ in }
  ) throws {
    var options = Packager.Options()
    change(&options)
    var reading = ReadingOptions()
    let isReferenced = options.storage == .referenced
    (reading.keepsStart, reading.takesWholeFragments) = (isReferenced, isReferenced)
    var inputs: [Movie] = []
    for (number, files) in movies.enumerated() {
      let named = files.enumerated().map { index, bytes in
        MemorySource(bytes, name: "input\(number + 1)" + (index == 0 ? ".mp4" : "-\(index).m4s"))
      }
      for source in named { sources["../\(source.name)"] = source.bytes }
      inputs.append(try Movie(reading: named, reading))
    }
    plan = try Packager(options).plan(inputs)
    for file in plan.files {
      let sink = MemorySink()
      try plan.write(file, to: sink)
      #expect(sink.bytes.count == file.byteCount, "\(file.path)", sourceLocation: at)
      #expect(files.updateValue(sink.bytes, forKey: file.path) == nil, "\(file.path) twice", sourceLocation: at)
    }
    #expect(plan.byteCount == files.values.reduce(0) { $0 + $1.count }, sourceLocation: at)
    // Problems of the input cannot be fixed, but must be reported.
    let isUneven = plan.diagnostics.contains { $0.description.contains("s; players may stop") }
    let findings = plan.findings.filter { !isUneven || $0.rule != .lengths }
    #expect(findings.isEmpty, "\(findings)", sourceLocation: at)
    try checkPaths(at)
    if !isReferenced { try checkTimeline(at) }
    for rendition in plan.renditions {
      let playlist = try playlist("\(rendition.folder)/index.m3u8")
      try check(playlist, rendition.fragments, rendition.folder, options.baseURL, at)
      #expect(playlist.isEnded == (options.playlistType == .vod), sourceLocation: at)
      #expect(playlist.playlistType == options.playlistType, sourceLocation: at)
      #expect(playlist.mediaSequence == options.startNumber, sourceLocation: at)
      if let keyFrames = rendition.keyFrames {
        let playlist = try self.playlist("\(rendition.folder)/iframes.m3u8")
        try check(playlist, keyFrames, rendition.folder, options.baseURL, at)
        try checkKeyFrames(of: rendition, playlist, at)
      }
    }
    let targets = try plan.renditions.filter { $0.kind != .text }.map {
      try playlist("\($0.folder)/index.m3u8").targetSeconds
    }
    #expect(Set(targets).count == 1, "\(targets)", sourceLocation: at)
  }

  /// The playlist as written, which is what players read.
  func playlist(_ path: String) throws -> MediaPlaylist { try MediaPlaylist(try #require(files[path], "\(path)")) }
  var main: MultivariantPlaylist {
    get throws { try MultivariantPlaylist(try #require(files["master.m3u8"])) }
  }
  var folders: [String] { plan.renditions.map(\.folder) }
  /// The concatenated init segment and media segments of a rendition.
  func bytes(of folder: String, _ list: String = "index.m3u8") throws -> [UInt8] {
    let segments = try playlist("\(folder)/\(list)").resolved()
    if let first = segments.first, let map = first.map, sources[first.uri] != nil {
      let ranges = [(map.uri, map.byteRange?.bytes(from: 0))] + segments.map { ($0.uri, $0.byteRange) }
      return try ranges.flatMap { uri, range in
        let (source, range) = (try #require(sources[uri]), try #require(range))
        return try Array(#require(range.upperBound <= source.count ? source[range] : nil))
      }
    }
    if let whole = files["\(folder)/media.mp4"] { return whole }
    let names = try playlist("\(folder)/index.m3u8").segments.map(\.uri)
    return try (["init.mp4"] + names).flatMap { name in
      try #require(files["\(folder)/\(name.split(separator: "/").last ?? "")"], "\(name)")
    }
  }
  /// The segment durations of a rendition in microseconds.
  func durations(_ folder: String) throws -> [Int] {
    try playlist("\(folder)/index.m3u8").segments.map { microseconds($0.duration) }
  }
  var warnings: [String] { plan.diagnostics.filter { $0.severity >= .warning }.map(\.description) }
  /// The warnings, except for those about renditions with another duration than the first one.
  var otherWarnings: [String] { warnings.filter { !$0.contains("players may stop") } }

  // MARK: General checks

  private func checkPaths(_ at: SourceLocation) throws {
    let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.")
    #expect(Set(folders.map { $0.lowercased() }).count == folders.count, sourceLocation: at)
    for path in files.keys {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      let isMain = ["master.m3u8", "manifest.mpd"].contains(path)
      #expect(parts.count == (isMain ? 1 : 2), "\(path)", sourceLocation: at)
      let isPlain = parts.allSatisfy { !$0.isEmpty && $0.first != "." && $0.count < 64 && letters.isSuperset(of: $0) }
      #expect(isPlain, "\(path)", sourceLocation: at)
    }
    // A file must not appear before the files that it references.
    let kinds = plan.files.map { $0.path.hasSuffix(".m3u8") || $0.path.hasSuffix(".mpd") }
    #expect(kinds == kinds.filter { !$0 } + kinds.filter { $0 }, sourceLocation: at)
    #expect(plan.files.last?.path == "master.m3u8", sourceLocation: at)
  }

  /// Checks that every segment in a playlist exists, and that its durations are those of the fragments and never drift.
  private func check(
    _ playlist: MediaPlaylist, _ fragments: FragmentPlan, _ folder: String, _ base: String, _ at: SourceLocation
  ) throws {
    let segments = try playlist.resolved()
    #expect(segments.count == fragments.segments.count && !segments.isEmpty, sourceLocation: at)
    #expect(playlist.targetSeconds >= playlist.lowestTargetSeconds, sourceLocation: at)
    let first = fragments.segments[0].start
    var (clock, place) = (0, 0)
    for (segment, planned) in zip(segments, fragments.segments) {
      clock += microseconds(segment.duration)
      let end = rounded(planned.start.value + planned.duration.value, planned.start.timescale)
      #expect(clock == end - rounded(first.value, first.timescale), sourceLocation: at)
      let prefix = base.isEmpty ? "" : "\(base)\(folder)/"
      #expect(segment.uri.hasPrefix(prefix), "\(segment.uri)", sourceLocation: at)
      let file = try #require(
        files["\(folder)/\(segment.uri.dropFirst(prefix.count))"] ?? sources[segment.uri], "\(segment.uri)")
      if sources[segment.uri] != nil {
        let range = try #require(segment.byteRange)
        #expect(range.upperBound <= file.count, sourceLocation: at)
        let types = try BoxOutline.all(in: Array(file[range])).map(\.type)
        #expect(["moof", "emsg", "prft"].contains(types.first) && types.last == "mdat", "\(types)", sourceLocation: at)
        continue
      }
      if let range = segment.byteRange {
        // The segments fill the file after the init segment.
        if place == 0 { place = try #require(segment.map?.byteRange?.length) }
        #expect(range.lowerBound == place && range.upperBound <= file.count, sourceLocation: at)
        place = range.upperBound
        let types = try BoxOutline.all(in: Array(file[range])).map(\.type)
        checkFragments(types, fragments, at)
        if segment.index == segments.count - 1 { #expect(place == file.count, sourceLocation: at) }
      } else {
        let types = try BoxOutline.all(in: file).map(\.type)
        #expect(types.first == "styp", sourceLocation: at)
        checkFragments(Array(types.dropFirst()), fragments, at)
      }
    }
  }

  /// Checks for movie fragments with their media data; those of an input may have other boxes.
  private func checkFragments(_ types: [String], _ plan: FragmentPlan, _ at: SourceLocation) {
    let own = plan.sourceFragments == .copied ? types.filter { $0 != "prft" && $0 != "emsg" } : types
    let wanted = Array(repeating: ["moof", "mdat"], count: own.count / 2).flatMap { $0 }
    #expect(own == wanted && !own.isEmpty, "\(types)", sourceLocation: at)
  }

  /// Checks that each keyframe range contains one sync sample of the video, with its bytes and presentation time.
  private func checkKeyFrames(of rendition: PackagedRendition, _ playlist: MediaPlaylist, _ at: SourceLocation) throws {
    #expect(playlist.isIFramesOnly && !playlist.hasIndependentSegments, sourceLocation: at)
    let whole = try files["\(rendition.folder)/iframes.mp4"] ?? bytes(of: rendition.folder, "iframes.m3u8")
    let movie = try SampleReader.read(whole)
    let video = try SampleReader.read(bytes(of: rendition.folder))
    let source = try #require(video.tracks.first { $0.handler == "vide" })
    let expected = source.samples.filter(\.isSync)
    #expect(movie.tracks.count == 1, sourceLocation: at)
    #expect(movie.tracks[0].samples.map(\.payload) == expected.map(\.payload), sourceLocation: at)
    #expect(movie.tracks[0].samples.allSatisfy { $0.isSync }, sourceLocation: at)
    #expect(movie.tracks[0].timescale == source.timescale, sourceLocation: at)
    // Copied fragments keep their edit list, which players of playlists ignore.
    let isCopied = rendition.fragments.sourceFragments == .copied
    let times = Self.times(movie, movie.tracks[0])
    let wanted =
      isCopied ? source.samples.map { Seconds($0.compositionTime, source.timescale) } : Self.times(video, source)
    #expect(times == source.samples.indices.filter { source.samples[$0].isSync }.map { wanted[$0] }, sourceLocation: at)
    let segments = try playlist.resolved()
    #expect(segments.count == expected.count, sourceLocation: at)
    if rendition.keyFrames?.sourceFragments == .referenced { return }
    for (segment, place) in zip(segments, movie.tracks[0].places) {
      let range = try #require(segment.byteRange)
      #expect(range.contains(place.lowerBound) && range.upperBound == place.upperBound, sourceLocation: at)
      #expect(try MovieFragmentReading.all(in: Array(whole[range])).count == 1, sourceLocation: at)
    }
  }

  /// The presentation times of samples according to the only edit with media.
  private static func times(_ movie: MovieReading, _ track: TrackReading) -> [Seconds] {
    let empty = track.edits.prefix { $0.mediaTime < 0 }.reduce(0) { $0 + Int($1.duration) }
    let start = Int(track.edits.first { $0.mediaTime >= 0 }?.mediaTime ?? 0)
    return track.samples.map {
      Seconds(empty, movie.timescale) + Seconds($0.compositionTime - start, track.timescale)
    }
  }
}

/// A duration of whole microseconds, as in playlists.
func microseconds(_ duration: Duration) -> Int {
  let (seconds, attoseconds) = duration.components
  #expect(attoseconds % 1_000_000_000_000 == 0)
  return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
}

/// A time in microseconds, with halves rounded up.
func rounded(_ value: Int64, _ timescale: UInt32) -> Int {
  (Int(value) * 2_000_000 + Int(timescale)) / (2 * Int(timescale))
}

/// A file with all samples in the movie box.
func progressive(_ tracks: TrackSpec..., seed: UInt64 = 1) -> [UInt8] {
  FragmentedFileBuilder(tracks, seed: seed).build().bytes
}

extension TrackSpec {
  /// Video samples of 1/25 s with a sync sample every `group` samples.
  static func pictures(_ count: Int, group: Int = 25, id: UInt32 = 1) -> TrackSpec {
    var samples: [SampleSpec] = .samples(count)
    for index in samples.indices { samples[index].flags = index % group == 0 ? .sync : .depends }
    return TrackSpec.video(id: id).with(\.samples, samples)
  }
  /// About this many seconds of audio.
  static func sound(_ seconds: Int, id: UInt32 = 2, _ language: String = "und") -> TrackSpec {
    TrackSpec.audio(id: id).with(\.samples, .samples((seconds * 48_000 + 1023) / 1024)).with(\.language, language)
  }
  /// The same track with a BCP 47 tag.
  func tagged(_ tag: String) -> TrackSpec { with(\.boxes, ["mdia": fullBox("elng", ascii(tag) + [0])]) }
}

extension Package {
  /// Checks that all renditions start at the same media time, without edit lists, apart from audio that decoders need
  /// before it, and pictures that are only decoded.
  private func checkTimeline(_ at: SourceLocation) throws {
    var starts: [(folder: String, time: Double, frame: Double)] = []
    for rendition in plan.renditions {
      for track in try SampleReader.read(bytes(of: rendition.folder)).tracks where !track.samples.isEmpty {
        // Copied fragments keep their edit lists, which must not be necessary.
        if rendition.fragments.sourceFragments != .copied {
          #expect(track.edits.isEmpty, "\(rendition.folder)", sourceLocation: at)
        }
        guard ["vide", "soun", "text", "subt"].contains(track.handler) else { continue }
        let first = track.samples.map { $0.decodeTime + $0.compositionOffset }.min() ?? 0
        let frame = track.handler == "soun" ? Double(track.samples[0].duration) / Double(track.timescale) : 0
        starts.append((rendition.folder, Double(first) / Double(track.timescale), frame))
      }
    }
    guard let latest = starts.map(\.time).max(), let frame = starts.map(\.frame).max() else { return }
    for start in starts {
      #expect(latest - start.time <= max(0.025, frame) + 3.5 * start.frame, "\(starts)", sourceLocation: at)
    }
  }
}
