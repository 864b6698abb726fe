public import Bytes
public import ISOBMFF

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
    if movie.tracks.contains(where: \.hasSamples) {
      throw .impossible(file: box.name, LiveObstacle.samples(offset: box.baseOffset))
    }
    if movie.box.first("mvex") == nil {
      throw .impossible(file: box.name, LiveObstacle.noFragments(offset: box.baseOffset))
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
    return fileType + (try bytes(of: own))
  }
  /// The movie box with changes.
  func bytes(of changed: MovieDescription) throws(MovieError) -> [UInt8] {
    let sink = MemorySink(name: name)
    let serializer: BoxSerializer
    do throws(BoxError) { serializer = try BoxSerializer([changed.box]) } catch {
      throw .damaged(file: name, path: "moov", error)
    }
    do throws(IOError) { try serializer.write(to: sink, from: source) } catch { throw .io(error) }
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
