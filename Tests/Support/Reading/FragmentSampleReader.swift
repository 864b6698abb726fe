/// Reads the samples of fragments.
struct FragmentSampleReader {
  var tracks: [TrackReading]
  /// By track: description, duration, size, flags.
  private var defaults: [UInt32: [Int]] = [:]
  private var clocks: [UInt32: Int] = [:]
  /// The ranges that samples may occupy in a file that may be cut off; `nil` for a file that must be complete.
  var mediaData: [Range<Int>]?
  /// Whether groups and auxiliary information are also read.
  var hasInformation = false
  /// `stbl` of each track.
  private var tables: [UInt32: BoxBytes] = [:]
  /// Whether a sample of the track fragment was missing.
  private var isCut = false

  init(moov: BoxBytes, tracks: [TrackReading]) throws {
    self.tracks = tracks
    for trex in try moov.one("mvex").children() where trex.type == "trex" {
      defaults[UInt32(try trex.number(4))] = try [8, 12, 16, 20].map { try trex.number($0) }
    }
    for (track, trak) in zip(tracks, try moov.children().filter { $0.type == "trak" }) {
      tables[track.id] = try trak.first("mdia", "minf", "stbl")
    }
    for track in tracks { clocks[track.id] = track.samples.last.map { $0.decodeTime + $0.duration } }
  }

  mutating func read(_ moof: BoxBytes) throws {
    var previousEnd = moof.start
    for traf in try moof.children() where traf.type == "traf" { try read(traf, moof, &previousEnd) }
  }

  private mutating func read(_ traf: BoxBytes, _ moof: BoxBytes, _ previousEnd: inout Int) throws {
    let header = try traf.one("tfhd")
    let id = UInt32(try header.number(4))
    guard let track = tracks.firstIndex(where: { $0.id == id }) else {
      throw ReadingError("the moof at \(moof.start) holds track \(id), which moov does not")
    }
    let flags = try header.flags
    var values = defaults[id] ?? [1, 0, 0, 0]
    var base = flags & 0x2_0000 != 0 ? moof.start : previousEnd
    var offset = 8
    if flags & 0x1 != 0 { (base, offset) = (try header.number(offset, 8), offset + 8) }
    for (index, flag) in [0x2, 0x8, 0x10, 0x20].enumerated() where flags & flag != 0 {
      values[index] = try header.number(offset)
      offset += 4
    }
    if let box = try traf.first("tfdt") { clocks[id] = try box.number(4, try box.version == 1 ? 8 : 4) }
    if flags & 0x1_0000 != 0 { clocks[id, default: 0] += values[1] }
    var place = base
    isCut = false
    let firstSample = tracks[track].samples.count
    for run in try traf.children() where run.type == "trun" {
      var reading = tracks[track]
      try read(run, values, base, &place, &reading)
      tracks[track] = reading
    }
    previousEnd = place
    guard hasInformation else { return }
    let information = try SampleInformationReader(traf, in: moof, table: tables[id])
    for (index, sample) in tracks[track].samples.indices.dropFirst(firstSample).enumerated() {
      tracks[track].samples[sample].groups = information.groups(of: index)
      tracks[track].samples[sample].auxiliary = information.auxiliary(of: index)
    }
  }

  private mutating func read(
    _ run: BoxBytes, _ values: [Int], _ base: Int, _ place: inout Int, _ track: inout TrackReading
  ) throws {
    let flags = try run.flags
    let signed = try run.version > 0
    var offset = 8
    func next() throws -> Int {
      offset += 4
      return try run.number(offset - 4)
    }
    if flags & 0x1 != 0 { place = base + Int(Int32(truncatingIfNeeded: try next())) }
    let firstFlags = flags & 0x4 != 0 ? try next() : nil
    for index in 0..<(try run.number(4)) {
      let duration = flags & 0x100 != 0 ? try next() : values[1]
      let size = flags & 0x200 != 0 ? try next() : values[2]
      let stated = flags & 0x400 != 0 ? try next() : nil
      let shift = flags & 0x800 != 0 ? try next() : 0
      let range = place..<max(place, place + size)
      if let mediaData, isCut || !mediaData.contains(where: { $0.contains(range) }) {
        isCut = true
        place += size
        continue
      }
      guard place >= 0, place + size <= run.file.count else {
        throw ReadingError("the run at \(run.start) has a sample of \(size) bytes at \(place)")
      }
      let time = clocks[track.id] ?? 0
      track.samples.append(
        SampleRecord(
          decodeTime: time, compositionOffset: signed ? Int(Int32(truncatingIfNeeded: shift)) : shift,
          duration: duration, flags: UInt32(index == 0 ? firstFlags ?? stated ?? values[3] : stated ?? values[3]),
          descriptionIndex: values[0], payload: Array(run.file[place..<place + size])))
      track.places.append(place..<place + size)
      place += size
      clocks[track.id] = time + duration
    }
  }
}
