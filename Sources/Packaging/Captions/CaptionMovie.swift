import ISOBMFF
public import MP4
public import MP4Bytes
public import TimedText

/// Closed captions of CEA-608 as a progressive movie with a `c608` track in memory, which can be merged with others.
public struct CaptionMovie: Sendable {
  /// The file.
  public let source: any ByteSource
  /// Diagnostics about captions that are late or omitted.
  public package(set) var diagnostics: [Diagnostic]

  /// The timescale, in which a frame lasts 1001 units.
  private static let timescale: UInt32 = 30_000
  /// Longer gaps are several samples, whose durations have 32 bits.
  private static let longestGap: Int64 = 1 << 20

  /// The maximum size of a caption file, more than that of the captions of a day.
  private static let largestFile = 16 << 20

  /// Whether a file is a Scenarist closed caption file (SCC).
  public static func isScenarist(_ source: any ByteSource) throws(IOError) -> Bool {
    ScenaristFile.isStart(try source.bytes(in: 0..<32))
  }

  /// Reads a Scenarist closed caption file (SCC), with drop-frame timecodes or without. The movie starts at timecode 0.
  /// The file does not say which field its bytes belong to; `channel`, CC1 to CC4, is one of that field.
  ///
  /// - Throws: `MovieError` if it cannot be read, is larger than 16 MiB, or has no captions.
  public init(scenarist source: any ByteSource, channel: CaptionChannel = .cc(1)) throws(MovieError) {
    let (name, field) = (source.name, channel.field ?? .field1)
    var window = ByteWindow(source)
    let bytes = try io(Array(window.slice(at: 0, count: Self.largestFile + 1)))
    guard bytes.count <= Self.largestFile else {
      let text = "the file is larger than \(Self.largestFile >> 20) MiB, the maximum size of captions"
      throw .impossible(file: name, Obstacle("large_captions", text))
    }
    let file = ScenaristFile(bytes, field: field)
    var diagnostics: [Diagnostic] = []
    let (count, first) = file.damagedLines
    if count > 0 {
      let text = "\(counted(count, "line")), the first is line \(first), cannot be read; omitted"
      diagnostics.append(Diagnostic(.error, name, text))
    }
    if file.late.count > 0 {
      let delay = MediaTime(file.late.frames * 1001, Self.timescale)
      let text =
        "\(counted(file.late.count, "line is", "lines are")) sent later than the timecodes say, by "
        + "up to \(delay), because the lines before them are long"
      diagnostics.append(Diagnostic(.warning, name, text))
    }
    try self.init(file.frames, field, name: name, diagnostics)
  }

  /// Encodes subtitles as pop-on captions of a channel, CC1 to CC4. Positions, italics and underlines are kept.
  ///
  /// - Throws: `MovieError.impossible` if no cue is visible, or the channel is a service.
  public init(_ subtitles: Subtitles, channel: CaptionChannel) throws(MovieError) {
    let name = subtitles.source
    guard case .cc(let number) = channel, let field = channel.field else {
      throw .impossible(file: name, Obstacle("no_service_encoder", "\(channel) (CEA-708) cannot be written"))
    }
    var encoder = CEA608Encoder(channel: number)
    let timeline = CueTimeline(subtitles.document.cues.filter { !CueText($0.text).text.isEmpty })
    timeline.forEachPart { part in
      encoder.add(part.cues.map { timeline.cues[$0] }, from: part.start, to: part.end)
      return true
    }
    encoder.finish()
    var diagnostics: [Diagnostic] = []
    func say(_ count: Int, _ severity: Diagnostic.Severity, _ text: (String) -> String) {
      if count > 0 { diagnostics.append(Diagnostic(severity, name, text(counted(count, "text")))) }
    }
    say(encoder.lateCount, .warning) {
      "\($0) will be shown late, by up to \(MediaTime(encoder.longestDelay, 1000)), because captions need time to be "
        + "sent"
    }
    say(encoder.omittedCount, .error) { "\($0) omitted, because captions need more time to be sent" }
    if encoder.cutCount > 0 {
      let text = "\(counted(encoder.cutCount, "line")) cut off or omitted; a caption has 15 rows of 32 characters"
      diagnostics.append(Diagnostic(.error, name, text))
    }
    if encoder.replacedCount > 0 {
      let text = "\(counted(encoder.replacedCount, "character")) that CEA-608 does not have became a question mark"
      diagnostics.append(Diagnostic(.error, name, text))
    }
    try self.init(encoder.frames, field, name: name, diagnostics)
  }

  /// A movie of the pairs of a field, in the order of their frames, of which each has at most one.
  package init(
    _ frames: [CaptionFrame], _ field: CaptionPair.Kind, name: String, _ diagnostics: [Diagnostic] = []
  )
    throws(MovieError)
  {
    guard !frames.isEmpty else { throw .impossible(file: name, Obstacle("no_cues", "it has no captions")) }
    self.diagnostics = diagnostics
    let sink = MemorySink()
    do throws(MovieWriterError) {
      let track = try MovieWriter.Track(
        Box(PlainSampleEntry(), type: "c608"), timescale: Self.timescale, handler: "clcp")
      let writer = MovieWriter(to: sink)
      let number = try writer.add(track)
      func append(_ pair: CaptionPair, _ count: Int64) throws(MovieWriterError) {
        let type: FourCC = field == .field2 ? "cdt2" : "cdat"
        let time = MediaTime(count * 1001, Self.timescale)
        try writer.append(TextSamples.box(type, [pair.first, pair.second]), to: number, duration: time)
      }
      var next: Int64 = 0
      for frame in frames {
        while next < frame.index {
          let count = min(frame.index - next, Self.longestGap)
          try append(.padding(field), count)
          next += count
        }
        try append(frame.pair, 1)
        next += 1
      }
      try writer.finish()
    } catch {
      throw .impossible(file: name, Obstacle("unsupported_format", error.description))
    }
    source = MemorySource(sink.bytes, name: name)
  }
}
