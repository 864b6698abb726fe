public import Bytes
import ISOBMFF

extension Movie {
  /// The location of the parameter sets of a track.
  public enum ParameterSets: Sendable, Equatable {
    /// In its sample entries; or its codec has none.
    case inEntries
    /// In its sample entries, which were renamed accordingly. This number of sync samples repeats them.
    case moved(from: FourCC, to: FourCC, repeated: Int)
    /// Possibly also in its samples: some differ from those in the sample entry, or this is unknown.
    case inSamples(FourCC)
  }

  /// Maps sample entries whose samples may have parameter sets to those whose samples may not.
  private static let names: [FourCC: FourCC] = ["hev1": "hvc1", "avc3": "avc1", "dvhe": "dvh1", "dvav": "dva1"]

  /// The same movie with sample entries that have all parameter sets (`hvc1`, `avc1`, `dvh1`, `dva1`), for tracks whose
  /// parameter sets may be in samples (`hev1`, `avc3`, `dvhe`, `dvav`) but whose sync samples have no different ones.
  /// Also returns the result for each track. ISO/IEC 14496-15, 5.3.3 and 8.3.3.
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
        guard var stsd = moov.boxes[trak].first("mdia", "minf", "stbl", "stsd"), tracks.indices.contains(track) else {
          found.append(.inEntries)
          continue
        }
        let coded = tracks[track].decoderConfigurations
        guard let old = coded.map(\.codedFormat).first(where: { Self.names[$0] != nil }) else {
          found.append(.inEntries)
          continue
        }
        guard let new = Self.names[old], stsd.boxes.allSatisfy({ $0.type == old && $0.hasHeader }),
          let repeated = try repeatedParameterSets(tracks[track].list, coded)
        else {
          found.append(.inSamples(old))
          continue
        }
        for entry in stsd.boxes.indices {
          stsd.boxes[entry].type = new
          guard var hevc = try hevcConfiguration(of: stsd.boxes[entry], payloads) else { continue }
          for array in hevc.arrays.indices where 32...34 ~= hevc.arrays[array].nalUnitType {
            hevc.arrays[array].isComplete = true
          }
          stsd.boxes[entry].edit("hvcC") { $0.fields = .edited(hevc) }
        }
        moov.boxes[trak].edit("mdia") { $0.edit("minf") { $0.edit("stbl") { $0.edit("stsd") { $0 = stsd } } } }
        found.append(.moved(from: old, to: new, repeated: repeated))
      }
      result.groups[group].movie.box = moov
    }
    return (try with(result), found)
  }

  private func hevcConfiguration(of entry: Box, _ payloads: MoviePayloads) throws(MovieError) -> HEVCConfigurationBox? {
    guard let box = entry.first("hvcC") else { return nil }
    return try payloads.payload(
      of: box, in: "moov/trak/mdia/minf/stbl/stsd/\(entry.type)/hvcC", HEVCConfigurationBox.self)
  }

  /// The number of sync samples that repeat parameter sets of the configurations; `nil` if one has a different
  /// parameter set, or if a configuration lacks a kind of parameter set.
  private func repeatedParameterSets(_ list: SampleList, _ configurations: [DecoderConfiguration]) throws(MovieError)
    -> Int?
  {
    let known = configurations.map(\.parameterSets)
    guard known.allSatisfy({ $0 != nil }) else { return nil }
    var (walk, description, repeated) = (SampleWalk(list), 0, 0)
    var reader: (source: Int, window: ByteWindow)?
    while walk.sample < list.count {
      defer { walk.advance() }
      guard walk.isSync else { continue }
      while description + 1 < list.descriptions.count,
        list.descriptions[description + 1].firstSample <= walk.sample
      { description += 1 }
      guard let index = Int(exactly: list.descriptions[description].index), known.indices.contains(index - 1),
        let sets = known[index - 1], let (codec, lengthSize) = configurations[index - 1].nalUnits
      else { return nil }
      let (source, offset) = (list.source(of: walk.sample), list.columns.offset(walk.sample))
      if reader?.source != source { reader = (source, ByteWindow(input.sources[source])) }
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
            guard sets.contains(Array(try window.slice(at: at, count: length))) else { return nil }
            isRepeated = true
          }
          at += length
        }
        if isRepeated { repeated += 1 }
      } catch { throw .io(error) }
      reader = (source, window)
    }
    return repeated
  }
}
