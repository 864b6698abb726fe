import MP4Bytes

/// The start of a transport stream: its streams, and the first time of any of them.
struct TransportStart {
  /// The IDs and types of its streams.
  let streams: [[Int]]
  /// The earliest time in units of 1/90000 s, of 33 bits; `nil` if none is found.
  let time: Int64?

  private static let headSize = 1 << 20

  /// Reads at most the first MiB; `nil` if it is not a transport stream.
  init?(_ source: any ByteSource) throws(MovieError) {
    guard let framing = try PacketFraming(of: source) else { return nil }
    let head = MemorySource(try io(source.bytes(in: 0..<Self.headSize)), name: source.name)
    let file = try TransportDemultiplexer(head, framing) { _ in true }
    streams = file.tables.programs.flatMap { $0.streams.map { [$0.pid, Int($0.type)] } }
    var times: [Int64] = []
    for stream in file.streams {
      var cursor = PacketTable.Cursor()
      while let packet = cursor.next(stream.table) {
        guard let time = packet.times?.decode else { continue }
        times.append(time)
        break
      }
    }
    let first = times.first
    time = first.flatMap { first in times.map { PacketTable.wrapped($0 &- first) }.min().map { first &+ $0 } }
  }
}

extension [any ByteSource] {
  /// Transport streams in the order of their first times, which can wrap around, and a note if that is another one.
  func inOrderOfTimes() throws(MovieError) -> (sources: [any ByteSource], notes: [Diagnostic]) {
    var times: [Int64] = []
    for source in self {
      // Files without times are where they are given.
      guard let own = try TransportStart(source)?.time else { return (self, []) }
      times.append(PacketTable.wrapped(own &- (times.first ?? 0)))
      if times.count == 1 { times[0] = own }
    }
    if !times.isEmpty { times[0] = 0 }
    let order = indices.sorted { (times[$0], $0) < (times[$1], $1) }
    guard let moved = order.indices.first(where: { order[$0] != $0 }) else { return (self, []) }
    let text = "the files are read in the order of their times, not in the given order"
    return (order.map { self[$0] }, [Diagnostic(.note, self[order[moved]].name, text)])
  }
}

extension Joiner {
  /// Transport streams one after another, byte for byte; `nil` if no source is one.
  func planTransportStream(_ sources: [any ByteSource]) throws(MovieError) -> OutputPlan? {
    var others: [any ByteSource] = []
    for source in sources where try !TransportStream.isTransportStream(source) { others.append(source) }
    guard others.count < sources.count else { return nil }
    if let other = others.first {
      let text = "it is not an MPEG transport stream, and another input is; only inputs of one kind can be joined"
      throw .impossible(file: other.name, Obstacle("other_format", text))
    }
    var (ordered, diagnostics) = (sources, [Diagnostic]())
    if case .time = order { (ordered, diagnostics) = try sources.inOrderOfTimes() }
    var sizes: [Int] = []
    for source in ordered {
      let size = try io(source.measuredByteCount())
      sizes.append(size)
      guard let framing = try PacketFraming(of: source) else { continue }
      let rest = size % framing.stride
      if rest > 0 {
        let text =
          "it is cut off within a packet, or bytes are missing: it has \(counted(rest, "byte")) more than whole packets"
        diagnostics.append(Diagnostic(.error, source.name, text))
      }
    }
    var plan = OutputPlan(sources: ordered, diagnostics: diagnostics)
    for (index, size) in sizes.enumerated() { plan.copy(0..<size, of: index) }
    return plan
  }
}
