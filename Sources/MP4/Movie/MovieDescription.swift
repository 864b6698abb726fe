public import ISOBMFF
public import MP4Bytes

/// The contents of a movie box: its tracks, and the box itself as a template.
public struct MovieDescription: Sendable {
  /// The tree of the movie box.
  public var box: Box
  /// The movie timescale.
  public var timescale: UInt32
  /// The tracks, in file order.
  public var tracks: [TrackDescription]
  /// Tracks of the file that are not selected, and have been removed from `box`.
  var droppedTracks: [TrackDescription] = []
  /// The references of dropped tracks to others, such as to their chapters.
  var droppedReferences: [Box] = []
  /// Damage in the box that is not carried over: bytes that are not a box, after which nothing could be added safely;
  /// wrong sizes; and tracks that cannot be used. `box` does not contain them.
  var damage: [Diagnostic.Kind] = []
  /// The reasons why tracks, or the movie header, cannot be used.
  var failures: [MovieError] = []
  /// The unusable tracks: their index in `damage`, and the ID by which fragments refer to them.
  var lostTracks: [(damage: Int, id: UInt32)] = []
}

/// The properties of a track that its times and fragments depend on.
public struct TrackDescription: Sendable, Equatable {
  /// Its track ID.
  public var id: UInt32
  /// The media timescale.
  public var timescale: UInt32
  /// The handler type.
  public var handler: FourCC
  /// The edit list, if there is one.
  public var edits: [EditListBox.Entry]
  /// Its defaults for fragments.
  public var defaults: TrackExtendsBox
  /// Tracks with the same alternate group are alternatives, of which one is presented; 0 for none.
  public var alternateGroup: Int16
  /// Whether the movie box contains samples of it.
  public var hasSamples: Bool
  /// The numbers of the sample descriptions, starting at 1, whose samples are in other files.
  public var externalDescriptions: Set<Int>
  /// The descriptions of sample groups in its sample table.
  public var groupDescriptions: [SampleGroupDescriptionBox]
  /// Whether the movie box has a `trex` for it.
  var hasDefaults = true
  /// The number of sample descriptions.
  var descriptionCount = 1
  /// The encryption of each sample description; `nil` for clear ones.
  var encryption: [TrackEncryption?] = []
}

extension MovieDescription {
  /// The boxes to which other boxes are added.
  private static let rewritten: Set<FourCC> = ["moov", "trak", "mdia", "minf", "stbl"]

  /// Reads a movie box. Tracks that are too damaged are omitted; if none is left, that is an error. `index` is
  /// the index of the source, if boxes of several sources are merged.
  public init(reading source: any ByteSource, in range: Range<Int>, index: Int = 0) throws(MovieError) {
    var damage: [Diagnostic.Kind] = []
    let boxes: [Box]
    do throws(IOError) {
      boxes = try [Box](reading: source, in: range, index: index) { node, path in
        guard let problem = node.problem else {
          // Zeros at the end of a list are harmless if nothing is added after them.
          return !Self.rewritten.contains(node.context.parent)
        }
        if node.isRemainder, node.header.size > 0 {
          damage.append(.notABox(node.header.offset..<node.header.end, isOmitted: true))
        } else if node.header.offset != range.lowerBound {
          // The actual size is written. For the movie box itself, the size is reported with the file.
          damage.append(.other(.warning, "\(path): \(problem); the actual size is written"))
        }
        return false
      }
    } catch { throw .io(error) }
    self.damage = damage
    guard let box = boxes.first(where: { $0.type == "moov" }) else { throw .noMovie(file: source.name) }
    self.box = box
    let reader = MoviePayloads(source: source)
    do throws(MovieError) {
      timescale = max(1, try reader.payload(of: box.first("mvhd"), in: "moov/mvhd", MovieHeaderBox.self).timescale)
    } catch {
      if case .io = error { throw error }
      // The header declares the timescale of edits; its other fields get default values.
      let header = reader.movieHeader(of: box)
      timescale = header.timescale
      self.box.boxes = [Box(header)] + box.boxes.filter { $0.type != "mvhd" }
      failures.append(error)
      self.damage.append(.other(.warning, "\(error.reason); it is re-created"))
    }
    var defaults: [UInt32: TrackExtendsBox] = [:]
    for extends in box.first("mvex")?.boxes ?? [] where extends.type == "trex" {
      let trex = try reader.payload(of: extends, in: "moov/mvex/trex", TrackExtendsBox.self)
      defaults[trex.trackID] = trex
    }
    tracks = []
    var kept: [Box] = []
    var number = 0
    for child in self.box.boxes {
      guard child.type == "trak" else {
        kept.append(child)
        continue
      }
      defer { number += 1 }
      let path = number == 0 ? "moov/trak" : "moov/trak[\(number + 1)]"
      do throws(MovieError) {
        tracks.append(try reader.track(child, path: path, defaults: defaults))
        var child = child
        if try reader.repairTimescale(&child) {
          let text = "\(path)/mdia/mdhd: the timescale is 0, so times have no unit; they are taken as seconds"
          self.damage.append(.other(.warning, text))
        }
        kept.append(child)
        if let problem = try reader.handlerProblem(child, path: path) {
          self.damage.append(.other(.warning, "\(problem); it is re-created"))
        }
      } catch {
        if case .io = error { throw error }
        failures.append(error)
        let stub = reader.stub(of: child)
        droppedTracks += stub
        lostTracks += stub.map { (self.damage.count, $0.id) }
        self.damage.append(.lostTrack(error, samples: reader.declaredSampleCount(child)))
      }
    }
    self.box.boxes = kept
    if tracks.isEmpty, let error = failures.last { throw error }
  }
}

/// Decodes the contents of a movie box, and throws errors with the path of damage.
struct MoviePayloads {
  let source: any ByteSource

  func payload<Payload: BoxPayload>(of box: Box?, in path: String, _: Payload.Type) throws(MovieError) -> Payload {
    guard let box else {
      throw .impossible(file: source.name, .missingBox(path))
    }
    let result = try io(box.payload(as: Payload.self, from: source))
    switch result {
    case .success(let payload): return payload
    case .failure(let error): throw .damaged(file: source.name, path: path, error)
    }
  }

  /// Replaces a media timescale of 0 by 1, and returns whether it was 0.
  fileprivate func repairTimescale(_ trak: inout Box) throws(MovieError) -> Bool {
    var mdhd = try payload(of: trak.first("mdia", "mdhd"), in: "mdhd", MediaHeaderBox.self)
    guard mdhd.timescale == 0 else { return false }
    mdhd.timescale = 1
    trak.edit("mdia", "mdhd") { $0 = Box(mdhd) }
    return true
  }

  /// The bytes of a source box after its fields.
  func rest<Payload: BoxPayload>(of box: Box?, after _: Payload) throws(MovieError) -> [UInt8] {
    guard let box else { return [] }
    do throws(IOError) {
      let result = try box.decoded(as: Payload.self, from: source)
      return (try? result.get().rest) ?? []
    } catch { throw .io(error) }
  }

  func track(_ trak: Box, path: String, defaults: [UInt32: TrackExtendsBox]) throws(MovieError) -> TrackDescription {
    let tkhd = try payload(of: trak.first("tkhd"), in: path + "/tkhd", TrackHeaderBox.self)
    let mdhd = try payload(of: trak.first("mdia", "mdhd"), in: path + "/mdia/mdhd", MediaHeaderBox.self)
    let handler = try self.handler(of: trak)
    let descriptionCount = try descriptionCount(trak, path: path)
    var edits: [EditListBox.Entry] = []
    if let elst = trak.first("edts", "elst") {
      edits = Array(try payload(of: elst, in: path + "/edts/elst", EditListBox.self).entries)
    }
    return TrackDescription(
      id: tkhd.trackID, timescale: max(1, mdhd.timescale), handler: handler, edits: edits,
      defaults: defaults[tkhd.trackID] ?? TrackExtendsBox(), alternateGroup: tkhd.alternateGroup,
      hasSamples: try hasSamples(trak),
      externalDescriptions: try externalDescriptions(trak, path: path),
      groupDescriptions: try groupDescriptions(trak, path: path),
      hasDefaults: defaults[tkhd.trackID] != nil,
      descriptionCount: descriptionCount,
      encryption: try encryption(trak, path: path))
  }

  /// The number of sample descriptions of a track. No player opens a file with a track that has none.
  private func descriptionCount(_ trak: Box, path: String) throws(MovieError) -> Int {
    var (box, path) = (trak, path)
    for type: FourCC in ["mdia", "minf", "stbl", "stsd"] {
      path += "/\(type)"
      guard let child = box.first(type) else {
        throw .impossible(file: source.name, .missingBox(path))
      }
      box = child
    }
    guard !box.boxes.isEmpty else {
      throw .impossible(file: source.name, Obstacle("no_entries", "\(path): it has no entries"))
    }
    return box.boxes.count
  }

  /// The reason why the handler box of a track cannot be read; `nil` if it can.
  fileprivate func handlerProblem(_ trak: Box, path: String) throws(MovieError) -> String? {
    do throws(MovieError) {
      _ = try payload(of: trak.first("mdia", "hdlr"), in: path + "/mdia/hdlr", HandlerBox.self)
      return nil
    } catch {
      if case .io = error { throw error }
      return error.reason
    }
  }

  /// The handler type; if it cannot be read, it is derived from the other boxes.
  private func handler(of trak: Box) throws(MovieError) -> FourCC {
    let hdlr = trak.first("mdia", "hdlr")
    if let handler = try ifReadable({ () throws(MovieError) in try payload(of: hdlr, in: "hdlr", HandlerBox.self) }) {
      return handler.handlerType
    }
    let boxes = trak.first("mdia", "minf")?.boxes ?? []
    let handlers: [FourCC: FourCC] = ["vmhd": "vide", "smhd": "soun", "sthd": "subt", "hmhd": "hint"]
    return boxes.lazy.compactMap { handlers[$0.type] }.first ?? "null"
  }

  /// The numbers, from 1, of the sample descriptions that refer to a `dref` entry other than this file.
  func externalDescriptions(_ trak: Box, path: String) throws(MovieError) -> Set<Int> {
    let isHere = try dataReferences(trak, path: path)
    guard isHere.contains(false) else { return [] }
    let used = try usedReferences(trak).enumerated().filter { _, reference in
      reference > 0 && reference <= isHere.count && !isHere[reference - 1]
    }
    return Set(used.map { $0.offset + 1 })
  }

  /// The data references of the sample descriptions, counted from 1, if there is one that is not an entry of `dref` for
  /// the file itself; `nil` if all are.
  func wrongReferences(_ trak: Box, path: String) throws(MovieError) -> [Int]? {
    let (isHere, used) = (try dataReferences(trak, path: path), try usedReferences(trak))
    return used.allSatisfy { $0 > 0 && $0 <= isHere.count && isHere[$0 - 1] } ? nil : used
  }

  /// Whether each entry of `dref` refers to the file itself.
  private func dataReferences(_ trak: Box, path: String) throws(MovieError) -> [Bool] {
    var isHere: [Bool] = []
    for entry in trak.first("mdia", "minf", "dinf", "dref")?.boxes ?? [] {
      // Entries of all types, including `alis` of QuickTime, start with the same fields.
      let location = try payload(of: entry, in: "\(path)/mdia/minf/dinf/dref/\(entry.type)", DataEntryURLBox.self)
      isHere.append(location.flags & 1 != 0)
    }
    return isHere
  }

  /// The data reference of each sample description; 0 for one that is too short or is not read from the source.
  private func usedReferences(_ trak: Box) throws(MovieError) -> [Int] {
    var result: [Int] = []
    var window = ByteWindow(source)
    for entry in trak.first("mdia", "minf", "stbl", "stsd")?.boxes ?? [] {
      // Six reserved bytes, then the reference: ISO/IEC 14496-12:2022, 8.5.2.2.
      guard let payload = entry.header?.payload, payload.count >= 8 else {
        result.append(0)
        continue
      }
      let bytes: [UInt8]
      do throws(IOError) { bytes = Array(try window.slice(at: payload.lowerBound + 6, count: 2)) } catch {
        throw .io(error)
      }
      result.append(bytes.reduce(0) { $0 << 8 | Int($1) })
    }
    return result
  }

  private func groupDescriptions(_ trak: Box, path: String) throws(MovieError) -> [SampleGroupDescriptionBox] {
    var descriptions: [SampleGroupDescriptionBox] = []
    for box in trak.first("mdia", "minf", "stbl")?.boxes ?? [] where box.type == "sgpd" {
      do throws(MovieError) {
        descriptions.append(
          try payload(of: box, in: path + "/mdia/minf/stbl/sgpd", SampleGroupDescriptionBox.self))
      } catch {
        // Groups that refer to these descriptions are reported as lost; the samples are kept without them.
        guard case .damaged = error else { throw error }
      }
    }
    return descriptions
  }

  /// Whether a track has samples in the movie box according to its tables. Damage in the tables is detected when they
  /// are read.
  private func hasSamples(_ trak: Box) throws(MovieError) -> Bool {
    guard let table = trak.first("mdia", "minf", "stbl") else { return false }
    if table.first("stsz") != nil || table.first("stz2") != nil {
      return try ifReadable { () throws(MovieError) in try sampleSizes(table, prefix: "").count > 0 } ?? true
    }
    guard let stts = table.first("stts") else { return false }
    return try ifReadable { () throws(MovieError) in
      try !payload(of: stts, in: "stts", TimeToSampleBox.self).entries.isEmpty
    } ?? true
  }

  /// The number of samples that the tables of a track declare; 0 if they declare none.
  func declaredSampleCount(_ trak: Box) -> Int {
    guard let table = trak.first("mdia", "minf", "stbl") else { return 0 }
    if let sizes = try? sampleSizes(table, prefix: "") { return sizes.count }
    guard let stts = try? payload(of: table.first("stts"), in: "stts", TimeToSampleBox.self) else { return 0 }
    var sum = 0
    stts.entries.forEachRow { sum += Int($0.sampleCount) }
    return min(sum, Int(UInt32.max))
  }

  /// A header for a movie without one. Its timescale makes the durations of a track consistent.
  fileprivate func movieHeader(of moov: Box) -> MovieHeaderBox {
    var header = MovieHeaderBox()
    header.timescale = 1000
    for trak in moov.boxes where trak.type == "trak" {
      guard let tkhd = try? payload(of: trak.first("tkhd"), in: "", TrackHeaderBox.self),
        let mdhd = try? payload(of: trak.first("mdia", "mdhd"), in: "", MediaHeaderBox.self),
        mdhd.duration > 0, mdhd.timescale > 0
      else { continue }
      let timescale = Double(tkhd.duration) / Double(mdhd.duration) * Double(mdhd.timescale)
      let known: [UInt32] = [1000, 600, 90_000, mdhd.timescale]
      guard let nearest = known.first(where: { abs(Double($0) - timescale) < Double($0) / 50 }) else { continue }
      header.timescale = nearest
      break
    }
    return header
  }

  /// The information about an unusable track that fragments need to refer to it.
  fileprivate func stub(of trak: Box) -> [TrackDescription] {
    guard let tkhd = try? payload(of: trak.first("tkhd"), in: "tkhd", TrackHeaderBox.self) else { return [] }
    return [
      TrackDescription(
        id: tkhd.trackID, timescale: 1, handler: "null", edits: [], defaults: TrackExtendsBox(), alternateGroup: 0,
        hasSamples: false, externalDescriptions: [], groupDescriptions: [])
    ]
  }

  /// The result of `read`; `nil` if the box is damaged or missing.
  func ifReadable<Value>(_ read: () throws(MovieError) -> Value) throws(MovieError) -> Value? {
    do throws(MovieError) { return try read() } catch {
      if case .io = error { throw error }
      return nil
    }
  }
}

extension Obstacle {
  static func missingBox(_ path: String) -> Obstacle {
    Obstacle("missing_box", "\(path): the box is missing", ["path": .text(path)])
  }
}
