public import ISOBMFF

/// What a movie box says: its tracks, and the box itself to make another of.
public struct Movie: Sendable {
  /// The tree of the movie box.
  public var box: Box
  /// Units of a second for the movie as a whole.
  public var timescale: UInt32
  /// The tracks in the order of the file.
  public var tracks: [Track]
  /// Whether fragments may follow.
  public var isFragmented: Bool
}

/// One track, as far as its times and fragments are concerned.
public struct Track: Sendable {
  /// The ID that fragments name it by.
  public var id: UInt32
  /// Units of a second for its media.
  public var timescale: UInt32
  /// The kind of media.
  public var handler: FourCC
  /// The edit list, if there is one.
  public var edits: [EditListBox.Entry]
  /// The defaults for its fragments.
  public var defaults: TrackExtendsBox
  /// The number of sample descriptions.
  public var descriptionCount: Int
  /// The types of its sample entries.
  public var codecs: [FourCC]
  /// Whether the movie box holds samples of it.
  public var hasSamples: Bool
  /// Whether samples of it may lie in other files.
  public var hasOtherFiles: Bool
  /// The descriptions of sample groups in its sample table.
  public var groupDescriptions: [SampleGroupDescriptionBox]
}

extension Movie {
  /// Reads a movie box. Tracks that are too damaged to be used are an error.
  public init(reading source: any ByteSource, in range: Range<Int>) throws(MovieError) {
    let boxes: [Box]
    do throws(IOError) { boxes = try [Box](reading: source, in: range) } catch { throw .io(error) }
    guard let box = boxes.first(where: { $0.type == "moov" }) else { throw .noMovie(file: source.name) }
    self.box = box
    let reader = MoviePayloads(source: source)
    timescale = max(1, try reader.payload(of: box.first("mvhd"), in: "moov/mvhd", MovieHeaderBox.self).timescale)
    isFragmented = box.first("mvex") != nil
    var defaults: [UInt32: TrackExtendsBox] = [:]
    for extends in box.first("mvex")?.boxes ?? [] where extends.type == "trex" {
      let trex = try reader.payload(of: extends, in: "moov/mvex/trex", TrackExtendsBox.self)
      defaults[trex.trackID] = trex
    }
    tracks = []
    for (number, trak) in box.boxes.lazy.filter({ $0.type == "trak" }).enumerated() {
      let path = number == 0 ? "moov/trak" : "moov/trak[\(number + 1)]"
      tracks.append(try reader.track(trak, path: path, defaults: defaults))
    }
  }
}

/// Decodes what a movie box holds, and turns damage into errors that name it.
struct MoviePayloads {
  let source: any ByteSource

  func payload<Payload: BoxPayload>(of box: Box?, in path: String, _: Payload.Type) throws(MovieError) -> Payload {
    guard let box else {
      throw .impossible(file: source.name, reason: "\(path): the box is missing")
    }
    let result: Result<Payload, BoxError>
    do throws(IOError) { result = try box.payload(as: Payload.self, from: source) } catch { throw .io(error) }
    switch result {
    case .success(let payload): return payload
    case .failure(let error): throw .damaged(file: source.name, path: path, error)
    }
  }

  func track(_ trak: Box, path: String, defaults: [UInt32: TrackExtendsBox]) throws(MovieError) -> Track {
    let tkhd = try payload(of: trak.first("tkhd"), in: path + "/tkhd", TrackHeaderBox.self)
    let mdhd = try payload(of: trak.first("mdia", "mdhd"), in: path + "/mdia/mdhd", MediaHeaderBox.self)
    var handler: FourCC = "null"
    if let hdlr = trak.first("mdia", "hdlr") {
      handler = try payload(of: hdlr, in: path + "/mdia/hdlr", HandlerBox.self).handlerType
    }
    var edits: [EditListBox.Entry] = []
    if let elst = trak.first("edts", "elst") {
      edits = Array(try payload(of: elst, in: path + "/edts/elst", EditListBox.self).entries)
    }
    let entries = trak.first("mdia", "minf", "stbl", "stsd")?.boxes ?? []
    return Track(
      id: tkhd.trackID, timescale: max(1, mdhd.timescale), handler: handler, edits: edits,
      defaults: defaults[tkhd.trackID] ?? TrackExtendsBox(), descriptionCount: entries.count,
      codecs: entries.map(\.type), hasSamples: try hasSamples(trak, path: path),
      hasOtherFiles: try hasOtherFiles(trak, path: path), groupDescriptions: try groupDescriptions(trak, path: path))
  }

  private func hasOtherFiles(_ trak: Box, path: String) throws(MovieError) -> Bool {
    for entry in trak.first("mdia", "minf", "dinf", "dref")?.boxes ?? [] {
      // Entries of all types, QuickTime's `alis` too, begin alike.
      let location = try payload(of: entry, in: "\(path)/mdia/minf/dinf/dref/\(entry.type)", DataEntryURLBox.self)
      if location.flags & 1 == 0 { return true }
    }
    return false
  }

  private func groupDescriptions(_ trak: Box, path: String) throws(MovieError) -> [SampleGroupDescriptionBox] {
    var descriptions: [SampleGroupDescriptionBox] = []
    for box in trak.first("mdia", "minf", "stbl")?.boxes ?? [] where box.type == "sgpd" {
      descriptions.append(
        try payload(of: box, in: path + "/mdia/minf/stbl/sgpd", SampleGroupDescriptionBox.self))
    }
    return descriptions
  }

  private func hasSamples(_ trak: Box, path: String) throws(MovieError) -> Bool {
    guard let table = trak.first("mdia", "minf", "stbl") else { return false }
    guard table.first("stsz") != nil || table.first("stz2") != nil else { return false }
    return try sampleSizes(table, prefix: path + "/mdia/minf/stbl/").count > 0
  }
}
