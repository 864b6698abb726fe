import ISOBMFF
public import MP4Bytes

extension Movie {
  /// The location of the parameter sets of a track.
  public enum ParameterSets: Sendable, Equatable {
    /// In its sample entries; or its codec has none.
    case inEntries
    /// In its sample entries, which were renamed accordingly. This number of parameter sets was added to them; this
    /// number of sync samples repeats some.
    case moved(from: FourCC, to: FourCC, added: Int, repeated: Int)
    /// Possibly also in its samples: some contradict those in the sample entry, or this is unknown.
    case inSamples(FourCC)
  }

  /// Maps sample entries whose samples may have parameter sets to those whose samples may not.
  private static let names: [FourCC: FourCC] = ["hev1": "hvc1", "avc3": "avc1", "dvhe": "dvh1", "dvav": "dva1"]

  /// The same movie with sample entries that have all parameter sets (`hvc1`, `avc1`, `dvh1`, `dva1`), if those of a
  /// track may be in its samples (`hev1`, `avc3`, `dvhe`, `dvav`): parameter sets of sync samples are added to the
  /// sample entry, unless one contradicts another with the same ID; and the result for each track. Samples do not
  /// change. ISO/IEC 14496-15, 5.3.3 and 8.3.3.
  ///
  /// Only the NAL unit headers and the parameter sets of sync samples are read.
  public func movingParameterSets() throws(MovieError) -> (movie: Movie, tracks: [ParameterSets]) {
    var result = input
    var found: [ParameterSets] = []
    for group in input.groups.indices {
      let payloads = MoviePayloads(source: input.sources[input.groups[group].source])
      var moov = input.groups[group].movie.box
      var track = input.groups[group].tracks.lowerBound
      for trak in moov.boxes.indices where moov.boxes[trak].type == "trak" {
        defer { track += 1 }
        guard var stsd = moov.boxes[trak].first("mdia", "minf", "stbl", "stsd"), tracks.indices.contains(track),
          let old = tracks[track].decoderConfigurations.map(\.codedFormat).first(where: { Self.names[$0] != nil })
        else {
          found.append(.inEntries)
          continue
        }
        guard let new = Self.names[old], stsd.boxes.allSatisfy({ $0.type == old && $0.hasHeader }),
          let sets = try tracks[track].parameterSetsOfSamples()
        else {
          found.append(.inSamples(old))
          continue
        }
        for entry in stsd.boxes.indices { try stsd.boxes[entry].complete(as: new, sets.missing[entry], payloads) }
        moov.boxes[trak].edit("mdia", "minf", "stbl", "stsd") { $0 = stsd }
        let added = sets.missing.reduce(0) { $0 + $1.count }
        found.append(.moved(from: old, to: new, added: added, repeated: sets.repeated))
      }
      result.groups[group].movie.box = moov
    }
    return (try with(result), found)
  }
}

extension Track {
  /// The parameter sets in the sync samples of a track of AVC or HEVC.
  struct ParameterSetsOfSamples {
    /// Those that the sample entry lacks, for each sample entry.
    var missing: [[[UInt8]]]
    /// The number of sync samples with parameter sets that the sample entry has.
    var repeated = 0
  }

  /// The parameter sets in the sync samples; `nil` if one contradicts another of its sample entry, or is damaged, or if
  /// a sample entry would still lack a kind of parameter set with them.
  func parameterSetsOfSamples() throws(MovieError) -> ParameterSetsOfSamples? {
    var known = decoderConfigurations.compactMap(KnownParameterSets.init)
    guard known.count == decoderConfigurations.count else { return nil }
    var (walk, description, repeated) = (SampleWalk(list), 0, 0)
    var reader: (source: Int, window: ByteWindow)?
    while walk.sample < list.count {
      defer { walk.advance() }
      guard walk.isSync else { continue }
      while description + 1 < list.descriptions.count,
        list.descriptions[description + 1].firstSample <= walk.sample
      { description += 1 }
      guard let entry = Int(exactly: list.descriptions[description].index).map({ $0 - 1 }),
        known.indices.contains(entry)
      else { return nil }
      let (codec, lengthSize) = (known[entry].codec, known[entry].lengthSize)
      let (source, offset) = (list.source(of: walk.sample), list.columns.offset(walk.sample))
      if reader?.source != source { reader = (source, ByteWindow(samples.storage.sources[source])) }
      guard var window = reader?.window else { return nil }
      reader = nil
      do throws(IOError) {
        var (at, end, isRepeated) = (offset, offset + walk.size, false)
        while at + lengthSize < end {
          let head = try window.slice(at: at, count: lengthSize + 1)
          guard head.count > lengthSize else { return nil }
          let length = head.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
          at += lengthSize
          guard length <= end - at else { return nil }
          if length > 0, let type = codec.type(head.dropFirst(lengthSize)), codec.isParameterSet(type) {
            guard let isKnown = known[entry].insert(Array(try window.slice(at: at, count: length)), type) else {
              return nil
            }
            isRepeated = isRepeated || isKnown
          }
          at += length
        }
        if isRepeated { repeated += 1 }
      } catch { throw .io(error) }
      reader = (source, window)
    }
    guard known.allSatisfy(\.isComplete) else { return nil }
    return ParameterSetsOfSamples(missing: known.map(\.added), repeated: repeated)
  }
}

/// The parameter sets of a sample entry, and those of its samples that it lacks.
private struct KnownParameterSets {
  private struct Key: Hashable {
    var type: Int
    var id: Int
  }
  let codec: NALUnits.Codec
  let lengthSize: Int
  private var sets: Set<[UInt8]> = []
  private var keys: Set<Key> = []
  private var kinds: Set<Int> = []
  /// Those that samples have and the sample entry lacks.
  private(set) var added: [[UInt8]] = []
  /// What `avcC` can count.
  private static let limit = 31

  /// Those of a configuration; `nil` unless it is of AVC or HEVC.
  init?(_ configuration: DecoderConfiguration) {
    guard let (codec, lengthSize) = configuration.nalUnits else { return nil }
    (self.codec, self.lengthSize) = (codec, lengthSize)
    for set in configuration.parameterSets {
      guard let type = codec.type(set[...]) else { continue }
      sets.insert(set)
      kinds.insert(type)
      if let id = codec.parameterSetID(set[...]) { keys.insert(Key(type: type, id: id)) }
    }
  }

  /// Adds a parameter set and returns whether it was known; `nil` if it contradicts a known one or cannot be read.
  mutating func insert(_ set: [UInt8], _ type: Int) -> Bool? {
    if sets.contains(set) { return true }
    guard added.count < Self.limit, set.count <= UInt16.max, let id = codec.parameterSetID(set[...]),
      keys.insert(Key(type: type, id: id)).inserted
    else { return nil }
    sets.insert(set)
    kinds.insert(type)
    added.append(set)
    return false
  }

  /// Whether there is a parameter set of each kind.
  var isComplete: Bool { kinds.count == (codec == .avc ? 2 : 3) }
}

extension Box {
  /// Renames a sample entry of AVC or HEVC to `name`, which promises all parameter sets, and adds those that it lacks.
  mutating func complete(as name: FourCC, _ sets: [[UInt8]], _ payloads: MoviePayloads) throws(MovieError) {
    let path = "moov/trak/mdia/minf/stbl/stsd/\(type)/"
    type = name
    if let box = first("avcC"), !sets.isEmpty {
      var avcC = try payloads.payload(of: box, in: path + "avcC", AVCConfigurationBox.self)
      for set in sets {
        let set = AVCConfigurationBox.ParameterSet(nalUnit: set)
        let isSequence = NALUnits.Codec.avc.type(set.nalUnit[...]) == NALUnits.Codec.avc.sequenceParameterSet
        if isSequence { avcC.sequenceParameterSets.append(set) } else { avcC.pictureParameterSets.append(set) }
      }
      edit("avcC") { $0.fields = .edited(avcC) }
    }
    guard let box = first("hvcC") else { return }
    var hvcC = try payloads.payload(of: box, in: path + "hvcC", HEVCConfigurationBox.self)
    for set in sets {
      guard let type = NALUnits.Codec.hevc.type(set[...]) else { continue }
      let unit = HEVCConfigurationBox.NALUnit(bytes: set)
      if let index = hvcC.arrays.firstIndex(where: { $0.nalUnitType == type }) {
        hvcC.arrays[index].nalUnits.append(unit)
      } else {
        var array = HEVCConfigurationBox.NALArray()
        array.nalUnitType = UInt8(type)
        array.nalUnits = [unit]
        hvcC.arrays.insert(array, at: hvcC.arrays.firstIndex { $0.nalUnitType > type } ?? hvcC.arrays.count)
      }
    }
    for index in hvcC.arrays.indices where 32...34 ~= hvcC.arrays[index].nalUnitType {
      hvcC.arrays[index].isComplete = true
    }
    edit("hvcC") { $0.fields = .edited(hvcC) }
  }
}
