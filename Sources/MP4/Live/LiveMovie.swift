public import ISOBMFF
public import MP4Bytes

/// A movie box in a stream, to which the following fragments belong.
public struct LiveMovie: Sendable {
  /// Its contents.
  public let movie: MovieDescription
  /// The `ftyp` and `moov`: an init segment. Only delays of tracks are not in its edit lists but in decode times.
  public let bytes: [UInt8]
  /// Whether it is the same as the previous movie box.
  public let isRepeated: Bool
  /// The offset of the `moov` in the stream.
  public var offset: Int { source.baseOffset }
  let source: MemorySource
  /// The `ftyp`.
  private let fileType: [UInt8]
  /// The track that determines where segments begin: the first video track, or else the first audio track.
  public let reference: Int

  /// Reads a movie box in a stream. Throws if it contains samples or declares no fragments.
  init(_ box: MemorySource, fileType: [UInt8], isRepeated: Bool) throws(MovieError) {
    movie = try MovieDescription(reading: box, in: box.range)
    bytes = fileType + box.bytes
    (source, self.fileType, self.isRepeated) = (box, fileType, isRepeated)
    let handlers = movie.tracks.map(\.handler)
    reference = handlers.firstIndex(of: "vide") ?? handlers.firstIndex(of: "soun") ?? 0
    guard !movie.tracks.isEmpty else { throw .noTracks(file: box.name) }
    // The init segment contains the movie box unchanged.
    if let error = movie.failures.first { throw error }
    let hasSamples = movie.tracks.contains(where: \.hasSamples)
    if hasSamples || movie.box.first("mvex") == nil {
      let reason = hasSamples ? "it contains samples itself" : "it has no fragments"
      let text = "moov at byte \(box.baseOffset): \(reason); a live input must be fragmented"
      throw .impossible(file: box.name, Obstacle("not_fragmented", text, remedy: .streamFragments))
    }
  }

  /// A changed movie box of the same stream.
  init(_ box: MemorySource, like other: LiveMovie) throws(MovieError) {
    self = try LiveMovie(box, fileType: other.fileType, isRepeated: other.isRepeated)
  }

  /// Whether a movie box contains sample tables.
  static func holdsSamples(_ box: MemorySource) -> Bool {
    (try? MovieDescription(reading: box, in: box.range).tracks.contains(where: \.hasSamples)) == true
  }

  /// The codecs of a track, by sample description.
  public func decoderConfigurations(ofTrack index: Int) throws(MovieError) -> [DecoderConfiguration] {
    guard let trak = movie.trak(index) else { return [] }
    return try movie.decoderConfigurations(of: trak, movie.tracks[index].handler, from: source)
  }

  /// The name of the file in messages.
  var name: String { source.name }

  /// The encryption scheme of the samples, such as `cenc` or `cbcs`; `nil` if they are clear.
  public func protectionScheme() throws(MovieError) -> FourCC? { try protectionScheme(ofTracks: movie.tracks.indices) }
  /// The encryption scheme of the samples of some tracks.
  package func protectionScheme(ofTracks tracks: some Sequence<Int>) throws(MovieError) -> FourCC? {
    for index in tracks {
      guard let trak = movie.trak(index) else { continue }
      if let scheme = try MoviePayloads(source: source).protectionScheme(trak) { return scheme }
    }
    return nil
  }
  /// The default keys of the samples of a track; empty if they are clear.
  package func keyIDs(ofTrack index: Int) -> Set<[UInt8]> {
    Set(movie.tracks[index].encryption.compactMap { $0?.usedKeyID })
  }

  /// Its tracks with all properties, and without samples.
  package func readTracks() throws(MovieError) -> [Track] {
    try Movie(reading: [MemorySource(bytes, name: name)]).tracks
  }

  /// An init segment with only these tracks.
  package func initialization(ofTracks tracks: [Int]) throws(MovieError) -> [UInt8] {
    var own = movie
    own.keep(movie.tracks.indices.map(tracks.contains))
    let dropped = Set(own.droppedTracks.map(\.id))
    let changes = TrackIDChanges(dropped: Array(dropped))
    let payloads = MoviePayloads(source: source)
    for index in own.box.boxes.indices {
      switch own.box.boxes[index].type {
      case "trak": try payloads.rewriteReferences(of: &own.box.boxes[index], changes)
      case "mvex":
        var kept: [Box] = []
        for box in own.box.boxes[index].boxes {
          if box.type == "trex" {
            let trex = try payloads.payload(of: box, in: "moov/mvex/trex", TrackExtendsBox.self)
            if dropped.contains(trex.trackID) { continue }
          }
          kept.append(box)
        }
        own.box.boxes[index].boxes = kept
      default: break
      }
    }
    try payloads.enableTracks(of: &own.box)
    var header = try payloads.payload(of: own.box.first("mvhd"), in: "moov/mvhd", MovieHeaderBox.self)
    let rest = try payloads.rest(of: own.box.first("mvhd"), after: header)
    header.nextTrackID = max(header.nextTrackID, (own.tracks.map(\.id).max() ?? 0) &+ 1)
    own.box.edit("mvhd") { $0.fields = .edited(header, rest: rest) }
    return fileType + (try bytes(of: own))
  }
  /// The movie box with changes.
  func bytes(of changed: MovieDescription) throws(MovieError) -> [UInt8] {
    let sink = MemorySink(name: name)
    let serializer: BoxSerializer
    do throws(BoxError) { serializer = try BoxSerializer([changed.box]) } catch {
      throw .damaged(file: name, path: "moov", error)
    }
    try io(serializer.write(to: sink, from: source))
    return sink.bytes
  }

  /// Whether the matrix of a track rotates its video by 90 degrees, so that width and height are swapped.
  public func isRotated(track index: Int) throws(MovieError) -> Bool {
    guard let trak = movie.trak(index) else { return false }
    return try MoviePayloads(source: source).isRotated(trak)
  }
}

extension MovieDescription {
  /// The box of a track.
  func trak(_ index: Int) -> Box? {
    let traks = box.boxes.filter { $0.type == "trak" }
    return traks.indices.contains(index) ? traks[index] : nil
  }

  /// The decoder configurations of a track with this box.
  func decoderConfigurations(of trak: Box, _ handler: FourCC, from source: any ByteSource) throws(MovieError)
    -> [DecoderConfiguration]
  {
    var result: [DecoderConfiguration] = []
    for entry in trak.first("mdia", "minf", "stbl", "stsd")?.boxes ?? [] where entry.hasHeader {
      do throws(IOError) {
        result.append(try DecoderConfiguration(entry, from: source, handler: handler))
      } catch { throw .io(error) }
    }
    return result
  }
}

/// Moves the delays of tracks from edit lists to decode times, because players of segments ignore edit lists.
extension LiveMovie {
  /// The movie without the empty edits at the start of its tracks, and the durations of those, by track, in its
  /// timescale. `nil` if the tracks have the same times without them, apart from reordering and priming.
  func withoutDelays() throws(MovieError) -> (movie: LiveMovie, delays: [Int64])? {
    guard mediaSpread != nil else { return nil }
    let delays = movie.tracks.map { track in
      let empty = track.edits.prefix { $0.mediaTime < 0 }.reduce(Int64(0)) { $0 &+ Int64(clamping: $1.segmentDuration) }
      return max(0, MediaTime(empty, movie.timescale).converted(to: track.timescale).value)
    }
    guard delays.contains(where: { $0 > 0 }) else { return nil }
    var own = movie
    var number = 0
    for index in own.box.boxes.indices where own.box.boxes[index].type == "trak" {
      defer { number += 1 }
      guard delays.indices.contains(number), delays[number] > 0 else { continue }
      let payloads = MoviePayloads(source: source)
      let path = "moov/trak/edts/elst"
      var list = try payloads.payload(of: own.box.boxes[index].first("edts", "elst"), in: path, EditListBox.self)
      list.entries = BoxTable(list.entries.drop { $0.mediaTime < 0 })
      own.box.boxes[index].edit("edts") { edits in
        edits.edit("elst") { $0.fields = .edited(list) }
      }
    }
    return (try LiveMovie(MemorySource(bytes(of: own), name: name, baseOffset: offset), like: self), delays)
  }
}

/// The delays of tracks in the decode times of fragments.
struct DecodeTimeDelays {
  /// The delays by track ID.
  private var delays: [UInt32: UInt64] = [:]

  init() {}
  init(_ movie: MovieDescription, _ delays: [Int64]) {
    for (track, delay) in zip(movie.tracks, delays) where delay > 0 { self.delays[track.id] = UInt64(delay) }
  }

  /// A `moof` with later decode times. Times that do not fit in their fields do not change.
  func delayed(_ moof: MemorySource) throws(MovieError) -> MemorySource {
    guard !delays.isEmpty else { return moof }
    var bytes = moof.bytes
    do throws(IOError) {
      for traf in try [Box](reading: moof, in: moof.range).first?.boxes ?? [] where traf.type == "traf" {
        guard let header = traf.first("tfhd")?.header, let time = traf.first("tfdt")?.header,
          header.payload.count >= 8, time.payload.count >= 8
        else { continue }
        let id = UInt32(truncatingIfNeeded: number(bytes, header.payload.lowerBound + 4 - moof.baseOffset, 4))
        let place = time.payload.lowerBound - moof.baseOffset
        let size = bytes[place] == 1 ? 8 : 4
        guard let delay = delays[id], time.payload.count >= 4 + size else { continue }
        let (sum, overflow) = number(bytes, place + 4, size).addingReportingOverflow(delay)
        guard !overflow, size == 8 || sum <= UInt64(UInt32.max) else { continue }
        for index in 0..<size {
          bytes[place + 4 + index] = UInt8(truncatingIfNeeded: sum >> UInt64(8 * (size - 1 - index)))
        }
      }
    } catch { throw .io(error) }
    return MemorySource(bytes, name: moof.name, baseOffset: moof.baseOffset)
  }
  private func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> UInt64 {
    bytes[place..<place + size].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
