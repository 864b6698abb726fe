import ISOBMFF
import MP4Bytes

/// How movie boxes declare the encryption of samples.
extension Movie {
  /// The movie with other tracks and sources, and sample entries that declare the encryption.
  func encrypted(
    _ tracks: [(index: Int, track: Track, keyIDs: [[UInt8]])], _ sources: [any ByteSource], _ encryption: Encryption
  ) throws(MovieError) -> Movie {
    var result = self
    for (index, track, _) in tracks { try result.replace(index, by: track, encryption.scheme) }
    result.input.sources = sources
    var keyIDs: [[UInt8]] = []
    for keyID in tracks.compactMap(\.keyIDs.first) where !keyIDs.contains(keyID) { keyIDs.append(keyID) }
    let headers =
      encryption.systems.map { $0.box(keyIDs: keyIDs, scheme: encryption.scheme.type) } + encryption.headers
    result.input.groups[0].movie.box.boxes += headers.map { Box($0) }
    for keyID in tracks.flatMap({ $0.keyIDs.dropFirst() }) where encryption.writesGroups && !keyIDs.contains(keyID) {
      result.keyHeaders[keyID] = encryption.systems.map { Box($0.box(keyIDs: [keyID], scheme: encryption.scheme.type)) }
    }
    return result
  }

  private mutating func replace(_ index: Int, by track: Track, _ scheme: Encryption.Scheme) throws(MovieError) {
    tracks[index] = track
    for group in input.groups.indices where input.groups[group].tracks.contains(index) {
      let number = index - input.groups[group].tracks.lowerBound
      input.groups[group].movie.tracks[number].encryption = track.description.encryption
      input.groups[group].movie.tracks[number].descriptionCount = track.description.encryption.count
      let traks = input.groups[group].movie.box.boxes.indices.filter {
        input.groups[group].movie.box.boxes[$0].type == "trak"
      }
      guard traks.indices.contains(number) else {
        throw .impossible(file: name, Obstacle.sampleEntries.inTrack(track.id))
      }
      let source = input.sources[input.groups[group].movie.box.boxes[traks[number]].source]
      var failure: IOError?
      input.groups[group].movie.box.boxes[traks[number]].edit("mdia", "minf", "stbl", "stsd") { stsd in
        let entries = stsd.boxes.filter(\.hasHeader)
        let encryption = track.description.encryption
        stsd.boxes = zip(entries, encryption).map { entry, own in
          own.map { entry.protected($0, scheme, track.handler) } ?? entry
        }
        if encryption.count > entries.count { stsd.boxes += entries }
        do throws(IOError) { try stsd.countBoxes(from: source) } catch { failure = error }
      }
      if let failure { throw .io(failure) }
      let isDeclared = try io(declaresEncryption(input.groups[group].movie.box.boxes[traks[number]]))
      guard isDeclared else { throw .impossible(file: name, Obstacle.sampleEntries.inTrack(track.id)) }
    }
  }

  /// Whether the encryption is found when the sample entries are read again; damaged fields can prevent that.
  private func declaresEncryption(_ trak: Box) throws(IOError) -> Bool {
    guard let mdia = trak.first("mdia"), let entries = mdia.first("minf", "stbl", "stsd") else { return false }
    let stbl = Box("stbl", boxes: [entries])
    let boxes = mdia.boxes.filter { $0.type == "hdlr" } + [Box("minf", boxes: [stbl])]
    guard let serializer = try? BoxSerializer([Box("moov", boxes: [Box("trak", boxes: [Box("mdia", boxes: boxes)])])])
    else { return false }
    let sink = MemorySink()
    try serializer.write(to: sink, from: input.sources)
    let again = try [Box](reading: MemorySource(sink.bytes)).first
    let written = again?.first("trak", "mdia", "minf", "stbl", "stsd")?.boxes.filter(\.hasHeader) ?? []
    let count = entries.boxes.count { $0.hasHeader && $0.first("sinf") != nil }
    return count > 0 && written.count { $0.first("sinf", "schi", "tenc") != nil } == count
  }
}

extension Box {
  /// A sample entry with information about its encryption.
  func protected(_ own: TrackEncryption, _ scheme: Encryption.Scheme, _ handler: FourCC) -> Box {
    var frma = OriginalFormatBox()
    frma.dataFormat = type
    var schm = SchemeTypeBox()
    schm.schemeType = scheme.type
    var tenc = TrackEncryptionBox()
    tenc.defaultIsProtected = 1
    tenc.defaultPerSampleIVSize = own.ivSize
    tenc.defaultKeyID = own.keyID
    tenc.defaultConstantIV = own.constantIV
    (tenc.defaultCryptByteBlock, tenc.defaultSkipByteBlock) = (own.cryptByteBlock, own.skipByteBlock)
    tenc.header.version = scheme.hasPattern ? 1 : 0
    var result = self
    result.type =
      switch handler {
      case "vide", "auxv": "encv"
      default: "enca"
      }
    result.boxes.append(Box("sinf", boxes: [Box(frma), Box(schm), Box("schi", boxes: [Box(tenc)])]))
    return result
  }
}

extension Obstacle {
  static let alreadyEncrypted = Obstacle("already_encrypted", "its samples are already encrypted")
  static let sampleEntries = Obstacle(
    "damaged_sample_entries", "its sample entries are missing or damaged")
}
