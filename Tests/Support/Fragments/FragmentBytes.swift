/// The offsets of a fragment.
struct FragmentPlaces {
  var movieFragment = 0
  /// The first byte of each run's data, by traf and run.
  var runs: [[Int]] = []
}

extension FragmentSpec {
  /// The bytes of `moof`; their number is independent of `places`.
  func bytes(_ resolved: ResolvedFragment, _ places: FragmentPlaces, checked: Bool) -> [UInt8] {
    var end = places.movieFragment
    var trafBoxes: [UInt8] = []
    for (index, (traf, found)) in zip(trafs, resolved.trafs).enumerated() {
      let starts = places.runs[index]
      let base = traf.basePlace(places.movieFragment, starts.first ?? end, previousEnd: end, isFirst: index == 0)
      var next = base
      var runBoxes: [UInt8] = []
      for (run, (records, start)) in zip(traf.runs, zip(found.runs, starts)) {
        if case .absent = run.dataOffset, checked, !records.isEmpty {
          precondition(start == next, "without a data offset, the run is read at \(next), but lies at \(start)")
        }
        runBoxes += run.bytes(records, dataOffset: start - base)
        next = start + records.reduce(0) { $0 + $1.payload.count }
      }
      end = next
      var boxes =
        traf.headerBytes(base) + traf.decodeTimeBytes(found.decodeTime) + traf.boxesBeforeRuns + runBoxes
        + GroupBytes.boxes(found)
      // After the headers of `moof` and `traf`, and after `mfhd`.
      let here = places.movieFragment + 32 + self.boxes.count + trafBoxes.count + boxes.count
      boxes += AuxiliaryBytes.boxes(found, traf.auxiliaryPlace, at: here - base)
      trafBoxes += box("traf", boxes, traf.boxes)
    }
    return box("moof", fullBox("mfhd", big(resolved.sequenceNumber)), boxes, trafBoxes)
  }
}

extension TrackFragmentSpec {
  /// The base of the data offsets.
  func basePlace(_ movieFragment: Int, _ data: Int, previousEnd: Int, isFirst: Bool) -> Int {
    switch base {
    case .moof, .explicit: movieFragment
    case .none: isFirst ? movieFragment : previousEnd
    case .explicitData: data
    case .explicitOffset(let offset): Int(offset)
    }
  }

  /// `tfhd`.
  func headerBytes(_ base: Int) -> [UInt8] {
    var flags: UInt32 = isDurationEmpty ? 0x01_0000 : 0
    var fields = big(track)
    switch self.base {
    case .moof: flags |= 0x02_0000
    case .none: break
    case .explicit, .explicitData, .explicitOffset:
      flags |= 0x1
      fields += big(UInt64(base))
    }
    let optional: [(UInt32, UInt32?)] = [
      (0x2, description), (0x8, defaultDuration), (0x10, defaultSize), (0x20, defaultFlags),
    ]
    for case (let flag, let value?) in optional {
      flags |= flag
      fields += big(value)
    }
    return fullBox("tfhd", flags: flags, fields)
  }

  /// `tfdt`, or nothing. In the 32-bit version, times wrap around, as in the output of some writers.
  func decodeTimeBytes(_ time: UInt64) -> [UInt8] {
    switch tfdt {
    case .absent: []
    case .version0: fullBox("tfdt", big(UInt32(truncatingIfNeeded: time)))
    case .version1: fullBox("tfdt", version: 1, big(time))
    }
  }
}

extension RunSpec {
  /// `trun`.
  func bytes(_ records: [SampleRecord], dataOffset offset: Int) -> [UInt8] {
    let statesFlags = samples.contains { $0.flags != nil }
    precondition(!statesFlags || firstSampleFlags == nil, "first_sample_flags and sample_flags exclude each other")
    let version = version ?? (samples.contains { ($0.compositionOffset ?? 0) < 0 } ? 1 : 0)
    var flags: UInt32 = 0
    var fields = big(UInt32(samples.count))
    if case .explicit = dataOffset {
      flags |= 0x1
      fields += big(Int32(offset))
    }
    if let firstSampleFlags {
      flags |= 0x4
      fields += big(firstSampleFlags)
    }
    let states = (
      duration: samples.contains { $0.duration != nil }, size: samples.contains { $0.size != nil },
      offset: samples.contains { $0.compositionOffset != nil }
    )
    flags |= (states.duration ? 0x100 : 0) | (states.size ? 0x200 : 0)
    flags |= (statesFlags ? 0x400 : 0) | (states.offset ? 0x800 : 0)
    for record in records {
      if states.duration { fields += big(UInt32(record.duration)) }
      if states.size { fields += big(UInt32(record.payload.count)) }
      if statesFlags { fields += big(record.flags) }
      if states.offset {
        precondition(version > 0 || record.compositionOffset >= 0, "trun version 0 has no negative offsets")
        fields += big(UInt32(truncatingIfNeeded: record.compositionOffset))
      }
    }
    return fullBox("trun", version: version, flags: flags, fields)
  }
}
