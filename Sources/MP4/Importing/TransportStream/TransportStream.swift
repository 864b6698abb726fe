import ISOBMFF
public import MP4Bytes

/// A transport stream as a movie that can be read like an MP4 file: ISO/IEC 13818-1.
///
/// The movie refers to the media in the file, which is not copied. Each stream of a program is a track. Samples have
/// the times of their PES packets; the earliest presentation time of each program is 0.
public struct TransportStream: Sendable {
  /// An MP4 file, of which only the boxes are in memory.
  public let movie: any ByteSource
  /// What is missing, damaged or omitted.
  public let diagnostics: [Diagnostic]

  /// Whether a file is a transport stream of packets of 188, 192 or 204 bytes. Its first packet can be cut off.
  public static func isTransportStream(_ source: any ByteSource) throws(MovieError) -> Bool {
    try PacketFraming(of: source) != nil
  }

  /// Reads a file; `nil` if it is not a transport stream. `onProgress` is called with the number of bytes read, and
  /// returns whether to continue.
  ///
  /// - Throws: `MovieError` if the file cannot be read, is encrypted, or has no stream of a known format.
  public init?(
    _ source: any ByteSource, onProgress: (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    guard let reader = try TransportReader(source, onProgress: onProgress) else { return nil }
    movie = try reader.movie()
    diagnostics = reader.diagnostics
  }
}

/// A track whose samples have the times of PES packets.
struct TransportedTrack {
  /// Units per second of these times.
  static let timescale: UInt32 = 90_000
  var track: ImportedTrack
  var media: any ByteSource
  /// The presentation time of the first sample that is presented.
  var start: Int64
  var diagnostics: [Diagnostic]
}

/// Makes a movie of the streams that a demultiplexer found.
struct TransportReader {
  private let source: any ByteSource
  private var streams: [PacketizedStream] = []
  private(set) var diagnostics: [Diagnostic] = []
  /// The tracks, with their delay after the start of their program.
  private var tracks: [(track: TransportedTrack, delay: Int64, language: LanguageCode?)] = []
  /// The events, with times relative to the start of their program.
  private var events: [TransportEvent] = []
  /// The earliest presentation time of the first program.
  private(set) var start: Int64 = 0

  /// The streams of a program that are read.
  private struct Program {
    var number: Int?
    var streams: [(index: Int, kind: StreamKind, language: LanguageCode?)] = []
    /// The times at which its timeline starts.
    var origin: Int64 = 0
    var jumps: [ProgramClock.Jump] = []
  }

  /// Reads a file; `nil` if it is not a transport stream.
  init?(_ source: any ByteSource, onProgress: (Int) -> Bool) throws(MovieError) {
    guard let framing = try PacketFraming(of: source) else { return nil }
    self.source = source
    let file = try TransportDemultiplexer(source, framing, onProgress: onProgress)
    streams = file.streams
    try readTracks(file)
  }

  /// A track that is not in a transport stream.
  init(_ track: TransportedTrack, of source: any ByteSource) {
    self.source = source
    (tracks, start, diagnostics) = ([(track, 0, nil)], track.start, track.diagnostics)
  }

  /// A movie whose presentation starts later by a delay in units of 1/90000 s.
  func movie(delay: Int64 = 0) throws(MovieError) -> any ByteSource {
    var all: [(track: ImportedTrack, media: any ByteSource)] = []
    for (number, own) in tracks.enumerated() {
      var track = own.track.track
      let delay = MediaTime(max(0, own.delay &+ delay), TransportedTrack.timescale)
      track.place(number: number, delay: delay, language: own.language)
      all.append((track, own.track.media))
    }
    // Their times are those of the media, in which the presentation starts later if pictures are reordered.
    return try ImportedTrack.movie(
      all, events.enumerated().map { $1.box(number: $0 + 1, start: 0 &- max(0, delay)) }, of: source.name)
  }

  private mutating func readTracks(_ file: TransportDemultiplexer) throws(MovieError) {
    var programs = try self.programs(file)
    var firstError: MovieError?
    var own: [Diagnostic] = []
    for number in programs.indices {
      let continuous = Set(programs[number].streams.filter(\.kind.isMedia).map(\.index))
      let clock = ProgramClock(&streams, programs[number].streams.map(\.index), continuous: continuous)
      programs[number].jumps = clock.jumps
      var found: [(track: TransportedTrack, language: LanguageCode?)] = []
      for stream in programs[number].streams {
        do throws(MovieError) {
          guard let track = try track(stream.index, stream.kind) else { continue }
          own += track.diagnostics.map { $0.of(pid: streams[stream.index].pid) }
          found.append((track, stream.language))
        } catch {
          if case .io = error { throw error }
          firstError = firstError ?? error
          own.append(
            Diagnostic(.error, source.name, "\(error.reason); it is omitted").of(pid: streams[stream.index].pid))
        }
      }
      let origin = found.map(\.track.start).min() ?? 0
      try readEvents(programs[number], file, clock, origin)
      programs[number].origin = origin
      if tracks.isEmpty { start = origin }
      tracks += found.map { ($0.track, $0.track.start - origin, $0.language) }
    }
    guard !tracks.isEmpty else {
      throw firstError
        ?? .impossible(
          file: source.name, Obstacle("no_streams", "this MPEG transport stream has no stream of a known format"))
    }
    report(programs, file)
    diagnostics += own
  }

  // MARK: Events

  private mutating func readEvents(
    _ program: Program, _ file: TransportDemultiplexer, _ clock: ProgramClock, _ origin: Int64
  ) throws(MovieError) {
    var found: [TransportEvent] = []
    for stream in program.streams where stream.kind == .metadata {
      let own = try TransportEvent.metadata(streams[stream.index], of: source)
      if own.isEmpty {
        let text = "metadata in a format other than ID3 is omitted"
        diagnostics.append(Diagnostic(.warning, source.name, text).of(pid: streams[stream.index].pid))
      }
      found += own
    }
    let own = file.tables.programs.first { $0.number == program.number }?.streams ?? []
    let pids = own.filter { StreamKind($0) == .splices }.map(\.pid)
    let sections = file.tables.splices.filter { pids.contains($0.pid) }
    if !sections.isEmpty, let first = program.streams.first(where: \.kind.isMedia) {
      let splices = TransportSplices(sections, streams[first.index], clock)
      if splices.damagedCount > 0 {
        let text = "\(counted(splices.damagedCount, "splice message")) (SCTE-35) cannot be read; omitted"
        diagnostics.append(Diagnostic(.warning, source.name, text))
      }
      found += splices.events
    }
    events += found.map { event in
      TransportEvent(kind: event.kind, time: event.time &- origin, duration: event.duration, bytes: event.bytes)
    }
  }

  // MARK: Streams

  /// The programs with the streams that the file has.
  private mutating func programs(_ file: TransportDemultiplexer) throws(MovieError) -> [Program] {
    let indices = Dictionary(streams.indices.map { (streams[$0].pid, $0) }) { first, _ in first }
    var (result, listed): ([Program], Set<Int>) = ([], [])
    for program in file.tables.programs {
      var own = Program(number: program.number)
      for stream in program.streams {
        guard let index = indices[stream.pid], listed.insert(stream.pid).inserted else { continue }
        let kind = StreamKind(stream)
        try checkEncryption(index, kind)
        let language = stream.descriptor(10).flatMap { LanguageCode(String(decoding: $0.prefix(3), as: UTF8.self)) }
        own.streams.append((index, kind, language))
      }
      if !own.streams.isEmpty { result.append(own) }
    }
    let others = streams.indices.filter { !listed.contains(streams[$0].pid) }
    guard result.isEmpty else {
      for index in others where streams[index].table.count > 0 {
        let text = "no program lists it; it is omitted"
        diagnostics.append(Diagnostic(.warning, source.name, text).of(pid: streams[index].pid))
      }
      return result
    }
    // Without tables, the contents decide.
    var own = Program()
    for index in others {
      try checkEncryption(index, .other(""))
      let kind = try contents(of: PayloadSource(streams[index].map, of: source)) ?? .other("data of an unknown format")
      own.streams.append((index, kind, nil))
    }
    if !own.streams.isEmpty {
      let text = "it has no table of its programs; the formats of its streams are those of their contents"
      diagnostics.append(Diagnostic(.warning, source.name, text))
    }
    return own.streams.isEmpty ? [] : [own]
  }

  /// What the bytes of a stream say that it is.
  private func contents(of stream: PayloadSource) throws(MovieError) -> StreamKind? {
    switch try ElementaryStreamFormat(of: stream) {
    case .some(let format) where [.h264, .h265, .h266].contains(format): .video(format)
    case .some(let format) where [.adts, .latm, .ac3, .eac3, .mp3].contains(format): .audio(format)
    default: nil
    }
  }

  private func checkEncryption(_ index: Int, _ kind: StreamKind) throws(MovieError) {
    let pid = streams[index].pid
    if kind == .encrypted {
      let text = "its stream \(pid) is encrypted (SAMPLE-AES); decrypt it first"
      throw .impossible(file: source.name, Obstacle("encrypted", text))
    }
    guard let byte = streams[index].scrambled else { return }
    let text = "its stream \(pid) is scrambled, from byte \(byte) on; decrypt it first"
    throw .impossible(file: source.name, Obstacle("encrypted", text))
  }

  private mutating func track(_ index: Int, _ kind: StreamKind) throws(MovieError) -> TransportedTrack? {
    let own = streams[index]
    let stream = PayloadSource(own.map, of: source)
    var kind = kind
    // Not every writer declares what it writes.
    if case .audio = kind, case .audio(let format)? = try contents(of: stream) { kind = .audio(format) }
    if kind == .privateData, let contents = try contents(of: stream) { kind = contents }
    switch kind {
    case .video(.mpeg2): return try MPEGVideoStream(stream).track(timedBy: own.table)
    case .video(let format):
      let codec: NALUnits.Codec = format == .h264 ? .avc : format == .h265 ? .hevc : .vvc
      return try AnnexBStream(stream, codec) { _ in true }.track(timedBy: own.table)
    case .audio(let format):
      return try AudioFrames(stream, format).track(isQuickTime: false, timedBy: own.table) { _ in true }
    case .encrypted, .metadata, .splices: return nil
    case .other(let name):
      diagnostics.append(Diagnostic(.warning, source.name, "\(name) is omitted").of(pid: own.pid))
      return nil
    }
  }

  // MARK: Diagnostics

  private mutating func report(_ programs: [Program], _ file: TransportDemultiplexer) {
    let name = source.name
    func add(_ severity: Diagnostic.Severity, _ text: String) -> Diagnostic { Diagnostic(severity, name, text) }
    var result = file.lost.diagnostics("packets of the transport stream", of: name)
    if file.cutCount > 0 {
      result.append(
        add(.error, "the file is cut off: the last \(counted(file.cutCount, "byte")) are not a whole packet"))
    }
    if file.damagedCount > 0 {
      result.append(add(.error, "\(counted(file.damagedCount, "packet")) with errors are omitted"))
    }
    if programs.count > 1 {
      let numbers = programs.compactMap(\.number).map(String.init).joined(separator: ", ")
      result.append(add(.note, "it has \(programs.count) programs (\(numbers)); the tracks of all are used"))
    }
    for program in programs {
      for jump in program.jumps.prefix(Self.listed) {
        let time = MediaTime(jump.time - program.origin, TransportedTrack.timescale)
        let distance = MediaTime(jump.distance, TransportedTrack.timescale)
        let text = "the times jump by \(distance) at byte \(jump.byte); the media continues at \(time)"
        result.append(add(.warning, text))
      }
      if program.jumps.count > Self.listed {
        result.append(add(.warning, "the times jump at \(program.jumps.count - Self.listed) more places"))
      }
      for stream in program.streams { result += report(streams[stream.index], program, file) }
    }
    diagnostics = result + diagnostics
  }
  /// The number of jumps that are listed.
  private static let listed = 8

  private func report(
    _ stream: PacketizedStream, _ program: Program, _ file: TransportDemultiplexer
  ) -> [Diagnostic] {
    var result: [Diagnostic] = []
    func add(_ severity: Diagnostic.Severity, _ text: String) {
      result.append(Diagnostic(severity, source.name, text).of(pid: stream.pid))
    }
    // Another recording has its own counters.
    let joints = program.jumps.compactMap { jump in
      stream.losses.first { loss in
        loss.isAtStart && loss.byte >= jump.byte && loss.packet < stream.table.count
          && (stream.table.decode(at: loss.packet) &- jump.time).magnitude < TransportedTrack.timescale
      }
    }
    let losses = stream.losses.filter { loss in !stream.isRestart(loss) && !joints.contains { $0.byte == loss.byte } }
    if let first = losses.first {
      let time = MediaTime(stream.table.decode(at: first.packet) &- program.origin, TransportedTrack.timescale)
      let count = losses.reduce(0) { $0 + $1.count }
      add(
        .error,
        "packets are missing at \(counted(losses.count, "place")) (at least \(count)), the first before byte "
          + "\(first.byte) at \(time)")
    } else if stream.shortPackets.count > 0 {
      let (count, first) = stream.shortPackets
      add(.error, "\(counted(count, "PES packet")), the first at byte \(first), have fewer bytes than they declare")
    }
    if file.cutStreams.contains(stream.pid) { add(.error, "its last PES packet is cut off") }
    if stream.strayByteCount > 0 {
      add(
        .warning, "\(counted(stream.strayByteCount, "byte")) are not in a PES packet that can be read; they are omitted"
      )
    }
    return result
  }
}

extension PacketizedStream {
  /// Whether the counter only started again: no time is missing there.
  fileprivate func isRestart(_ loss: Loss) -> Bool {
    guard loss.isAtStart, loss.packet > 1, loss.packet < table.count else { return false }
    let times = (loss.packet - 2...min(loss.packet + 1, table.count - 1)).map { table.decode(at: $0) }
    let usual = max(times[1] &- times[0], times.count > 3 ? times[3] &- times[2] : 0)
    return (times[2] &- times[1]) &* 4 < usual &* 7
  }
}

extension Diagnostic {
  /// The same about a stream of a transport stream.
  fileprivate func of(pid: Int) -> Diagnostic { Diagnostic(severity, file, "stream \(pid): \(text)") }
}
