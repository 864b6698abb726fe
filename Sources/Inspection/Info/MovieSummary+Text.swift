import ISOBMFF
import MP4
import MP4Bytes
import MP4Packaging

/// Summaries as text: a line for the movie, a line for each track, and a line for everything unusual.
extension MovieSummary {
  /// The lines, each with its end.
  public var text: String { text(isVerbose: false) }

  /// The lines, with all chapters and all metadata if `isVerbose`.
  public func text(isVerbose: Bool) -> String {
    var lines = [line]
    lines += details(isVerbose: isVerbose).map { "  \($0)" }
    for track in tracks {
      lines.append("  \(track.id) \(track.line)")
      lines += track.details(isVerbose: isVerbose).map { "      \($0)" }
      // A group is only shown if it has several tracks.
      let group = track.role.alternateGroup
      if let group, tracks.count(where: { $0.role.alternateGroup == group }) > 1 {
        lines.append("      alternate group: \(group)")
      }
    }
    lines += images?.itemLines ?? []
    return lines.map { $0 + "\n" }.joined()
  }

  /// The number of metadata entries, and of bytes of each, that are shown unless `isVerbose`.
  private static let (mostEntries, longestEntry) = (20, 160)

  /// The size, duration, bit rate, layout, brand and title.
  private var line: String {
    var words = [name.printable + (inputCount > 1 ? " and \(inputCount - 1) more" : "")]
    if let byteCount { words.append(Quantity.text(byteCount, "B")) }
    if layout != .initSegment { words.append(duration.clock) }
    if let bitRate { words.append(Quantity.text(bitRate, "b/s")) }
    words.append(layoutWords)
    if let majorBrand { words.append(majorBrand.description.trimmed) }
    if let title = metadata.title { words.append("title \"\(title)\"") }
    return words.joined(separator: "  ")
  }

  /// The layout in words.
  var layoutWords: String {
    var words = layout.rawValue
    if let isMovieFirst, layout == .progressive { words += isMovieFirst ? ", moov first" : ", moov last" }
    if fragmentCount > 0 { words += ", \(fragmentCount) \(fragmentCount == 1 ? "fragment" : "fragments")" }
    if let range = fragmentDurations { words += range.words }
    return words
  }

  /// Details of the movie.
  var details: [String] { details(isVerbose: false) }

  private func details(isVerbose: Bool) -> [String] {
    var lines: [String] = []
    if let words = BrandName.words(major: majorBrand, brands) { lines.append("brands: \(words)") }
    if mediaStart.value > 0 { lines.append("media starts at \(mediaStart.clock), which is 0 in all times") }
    if let audioOffset, audioOffset.value != 0 {
      let amount = audioOffset.value < 0 ? MediaTime(0, 1) - audioOffset : audioOffset
      lines.append("audio starts \(amount) \(audioOffset.value < 0 ? "before" : "after") video")
    }
    if let declaredDuration, layout == .progressive, !declaredDuration.isNear(duration) {
      lines.append("declared duration: \(declaredDuration.clock)")
    }
    if let creationTime {
      lines.append("created: \(CalendarTime(secondsSince1970: creationTime).text)")
    }
    let entries = metadata.entries.filter { $0.name != "Title" }
    for entry in entries.prefix(isVerbose ? .max : Self.mostEntries) {
      lines.append(
        "\(entry.name.lowercased()): \(isVerbose ? entry.value : entry.value.prefix(bytes: Self.longestEntry))")
    }
    if !isVerbose, entries.count > Self.mostEntries {
      lines.append("metadata: \(entries.count - Self.mostEntries) more; --verbose shows all")
    }
    for cover in metadata.covers { lines.append("cover: \(cover.format), \(Quantity.text(cover.byteCount, "B"))") }
    if let first = chapters.first {
      let number = chapters.count == 1 ? "1 chapter" : "\(chapters.count) chapters"
      lines.append("chapters: \(number), from \(first.time.clock) \"\(first.title)\"")
      if isVerbose { lines += chapters.map { "  \($0.time.clock)  \($0.title)" } }
    }
    for protection in protections {
      let keys = protection.keyIDs.isEmpty ? [] : ["key ID \(protection.keyIDs.joined(separator: ", "))"]
      let words = keys + protection.details.map { "\($0.name) \($0.value)" }
      lines.append("protection system: \(([protection.system] + words).joined(separator: ", "))")
    }
    if eventCount > 0 { lines.append("events: \(eventCount)") }
    let problems = diagnostics.filter { $0.severity > .note }
    if !problems.isEmpty {
      let errors = problems.count { $0.severity == .error }
      let parts = [counted(errors, "error"), counted(problems.count - errors, "warning")].filter { !$0.hasPrefix("0 ") }
      lines.append("problems: \(parts.joined(separator: ", "))")
    }
    return lines
  }
}

extension TrackSummary {
  /// The line of the track.
  fileprivate var line: String {
    var words = [kind]
    if !codec.isEmpty { words.append(codec) }
    words.append(codecName)
    if let video {
      words.append("\(video.codedSize.width)x\(video.codedSize.height)")
      if let rate = video.frameRate { words.append("\(rate.text) fps") }
      if let range = video.dynamicRangeWords { words.append(range) }
    }
    if let audio {
      if let layout = audio.layout { words.append(layout) }
      if let rate = audio.sampleRate { words.append("\(Quantity.decimal(UInt64(rate), 3)) kHz") }
    }
    if let language = role.language { words.append(language) }
    if let rate = samples.bitRate { words.append(Quantity.text(rate, "b/s")) }
    if let timecode { words.append(timecode + (lastTimecode.map { " to \($0)" } ?? "")) }
    if video != nil { words.append(frames) } else if audio == nil { words.append(counted(samples.count, "sample")) }
    if let priming = audio?.priming { words.append("priming \(priming.milliseconds)") }
    return words.joined(separator: "  ")
  }

  private var frames: String {
    var text = counted(samples.count, "frame")
    guard let groups = samples.groups else { return samples.count > 1 ? text + ", all keyframes" : text }
    text += ", " + counted(samples.keyframeCount, "keyframe")
    return text + ", GOP \(groups.words)"
  }

  /// Details of the track, and everything unusual.
  var details: [String] { details(isVerbose: false) }

  fileprivate func details(isVerbose: Bool) -> [String] {
    var lines = videoDetails
    if let encoder = video?.encoder { lines.append("encoder: \(encoder)") }
    if isVerbose, let settings = video?.encoderSettings { lines.append("encoder settings: \(settings)") }
    if let peak = samples.peakBitRate, let average = samples.bitRate, peak > average {
      lines.append("highest bit rate: \(Quantity.text(peak, "b/s")) in one second")
    }
    lines += (audio?.presentations ?? []).map { "presentation: \($0)" }
    if let signalling = audio?.extensionSignalling { lines.append("HE-AAC: \(signalling) signalling") }
    if let padding = audio?.padding { lines.append("padding: \(padding.milliseconds)") }
    // Most tracks have no captions; that is only of interest if they were looked for everywhere.
    if let captions, isVerbose || captions.search == .all || !captions.channels.isEmpty {
      lines.append("closed captions: \(captions.words)")
    }
    if !edits.isEmpty { lines.append("edit list: \(edits.map(\.words).joined(separator: ", then "))") }
    if let presented, presented.lowerBound.value > 0 { lines.append("starts at \(presented.lowerBound.clock)") }
    if let name = role.name { lines.append("name: \(name)") }
    if role.isChapters { lines.append("chapter track") }
    if !role.isEnabled, !role.isChapters { lines.append("not enabled") }
    if let encryption { lines.append("encryption: \(encryption.words)") }
    return lines
  }

  private var videoDetails: [String] {
    guard let video else { return [] }
    var lines: [String] = []
    if let size = video.displaySize {
      var text = "shown as \(size.width)x\(size.height)"
      if let aspect = video.pixelAspect { text += ", pixel aspect \(aspect)" }
      lines.append(text)
    }
    if let rotation = video.rotation {
      if rotation != 0 { lines.append("rotated by \(rotation) degrees clockwise") }
    } else {
      lines.append("mirrored or skewed by its matrix")
    }
    if let scan = video.scan { lines.append(scan) }
    if let rates = video.frameRates {
      lines.append("variable frame rate: \(rates.lowerBound.text) to \(rates.upperBound.text) fps")
    }
    if video.longCount > 0 {
      lines.append(
        "irregular: \(counted(video.longCount, "frame")) longer than the others; see 'mp4tool samples --stalls'")
    }
    let sampling = [video.bitDepth.map { "\($0) bits" }, video.chroma].compactMap(\.self)
    if !sampling.isEmpty || video.colors != nil {
      // Without a declaration, the dynamic range is a guess.
      lines.append("colors: \((sampling + [video.colors?.words ?? "not declared"]).joined(separator: ", "))")
    }
    if let frames = video.referenceFrames { lines.append("reference frames: \(frames)") }
    if let vision = video.dolbyVision { lines.append("Dolby Vision: \(vision.words)") }
    if video.hasDolbyVisionMetadata { lines.append("dynamic metadata: Dolby Vision (RPU)") }
    if video.hasHDR10Plus { lines.append("dynamic metadata: HDR10+") }
    if let display = video.masteringDisplay { lines.append("mastering display: \(display.words)") }
    if let light = video.lightLevel { lines.append("light level: \(light.words)") }
    if video.isStereoscopic { lines.append("stereoscopic: one view per eye") }
    if let groups = samples.groups, groups.leadingCount > 0 {
      lines.append("open GOPs: \(groups.openCount), with \(counted(groups.leadingCount, "leading picture"))")
    }
    return lines
  }
}

extension SampleStatistics.Groups {
  /// The number of pictures and the duration of GOPs.
  var words: String {
    let (least, most) = (sampleCounts.lowerBound, sampleCounts.upperBound)
    return (least == most ? "\(least)" : "\(least) to \(most)") + durations.words
  }
}

extension TrackSummary.Encryption {
  /// The maximum number of key IDs that are shown.
  private static let mostKeys = 10

  /// The scheme, and the keys.
  var words: String {
    let scheme = scheme.description.trimmed
    guard keyIDs.count > 1 else { return scheme + ((keyID ?? keyIDs.first).map { ", key ID \($0)" } ?? "") }
    let more = keyIDs.count > Self.mostKeys ? " and \(keyIDs.count - Self.mostKeys) more" : ""
    return "\(scheme), \(keyIDs.count) key IDs: \(keyIDs.prefix(Self.mostKeys).joined(separator: ", "))\(more)"
  }
}

extension ClosedRange<MediaTime> {
  /// Seconds in parentheses: one number if both are equal after rounding.
  var words: String {
    let (least, most) = ("\(lowerBound)", "\(upperBound)")
    return least == most ? " (\(least))" : " (\(least.dropLast(2)) to \(most))"
  }
}

extension MediaTime {
  /// Whether the times differ by less than 0.1 s.
  fileprivate func isNear(_ other: MediaTime) -> Bool {
    let difference = self < other ? other - self : self - other
    return difference < MediaTime(1, 10)
  }
  /// Milliseconds, rounded.
  var milliseconds: String { "\(converted(to: 1000).value) ms" }
}

extension String {
  /// The text, truncated to this number of bytes.
  fileprivate func prefix(bytes count: Int) -> String {
    guard utf8.count > count else { return self }
    var text = self[...]
    while text.utf8.count > count { text = text.dropLast(max(1, (text.utf8.count - count) / 4)) }
    return text + "…"
  }

  /// The text without trailing spaces.
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
