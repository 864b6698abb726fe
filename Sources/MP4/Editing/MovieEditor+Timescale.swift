import ISOBMFF
import MP4Bytes

/// Changes timescales without changing times: a timescale that cannot express all of them exactly is rejected.
extension MovieEditor {
  /// An editor that sets the movie timescale, the unit of the durations of the movie, its tracks and their edits.
  public func settingTimescale(to timescale: UInt32) throws -> MovieEditor {
    try editingMovie { moov in
      guard let mvhd = try moov.payload(["mvhd"], MovieHeaderBox.self, of: source) else { return }
      let change = try TimescaleChange(from: mvhd.timescale, to: timescale, "moov/mvhd", file: source.name)
      try moov.edit(["mvhd"], MovieHeaderBox.self, of: source) { mvhd in
        mvhd.timescale = timescale
        mvhd.duration = try change.duration(mvhd.duration, mvhd.version, "the duration of the movie")
      }
      try moov.edit(["mvex", "mehd"], MovieExtendsHeaderBox.self, of: source) { mehd in
        mehd.fragmentDuration = try change.duration(mehd.fragmentDuration, mehd.version, "the duration in mehd")
      }
      for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
        let id = try moov.boxes[index].payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID ?? 0
        try moov.boxes[index].edit(["tkhd"], TrackHeaderBox.self, of: source) { tkhd in
          tkhd.duration = try change.duration(tkhd.duration, tkhd.version, "the duration of track \(id)")
        }
        try moov.boxes[index].edit(["edts", "elst"], EditListBox.self, of: source) { elst in
          let version = elst.version
          try elst.change { number, entry in
            entry.segmentDuration = try change.duration(
              entry.segmentDuration, version, "the duration of edit \(number) of track \(id)")
          }
        }
      }
    }
  }

  /// An editor that sets the media timescale of tracks, the unit of their sample times.
  ///
  /// - Throws: `MovieError` also if the file has movie fragments.
  public func settingTimescale(of tracks: TrackSelection, to timescale: UInt32) throws -> MovieEditor {
    try refuseFragments()
    return try editingTracks(tracks) { trak in
      let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID ?? 0
      guard let mdhd = try trak.payload(["mdia", "mdhd"], MediaHeaderBox.self, of: source) else { return }
      let change = try TimescaleChange(
        from: mdhd.timescale, to: timescale, "mdhd of track \(id)", file: source.name)
      let table: [FourCC] = ["mdia", "minf", "stbl"]
      try trak.edit(table + ["stts"], TimeToSampleBox.self, of: source) { stts in
        var sample = 1
        let entries = try stts.entries.map { entry in
          defer { sample += Int(entry.sampleCount) }
          return TimeToSampleBox.Entry(
            sampleCount: entry.sampleCount,
            sampleDelta: try change.integer(entry.sampleDelta, "the duration of sample \(sample) of track \(id)"))
        }
        stts.entries = BoxTable(entries)
      }
      try trak.edit(table + ["ctts"], CompositionOffsetBox.self, of: source) { ctts in
        var sample = 1
        let entries = try ctts.entries.map { entry in
          defer { sample += Int(entry.sampleCount) }
          return CompositionOffsetBox.Entry(
            sampleCount: entry.sampleCount,
            sampleOffset: try change.integer(
              entry.sampleOffset, "the composition offset of sample \(sample) of track \(id)"))
        }
        ctts.entries = BoxTable(entries)
      }
      try trak.edit(table + ["cslg"], CompositionToDecodeBox.self, of: source) { cslg in
        let what = "a time in cslg of track \(id)"
        cslg.compositionToDTSShift = try change.integer(cslg.compositionToDTSShift, what)
        cslg.leastDecodeToDisplayDelta = try change.integer(cslg.leastDecodeToDisplayDelta, what)
        cslg.greatestDecodeToDisplayDelta = try change.integer(cslg.greatestDecodeToDisplayDelta, what)
        cslg.compositionStartTime = try change.integer(cslg.compositionStartTime, what)
        cslg.compositionEndTime = try change.integer(cslg.compositionEndTime, what)
        cslg.raiseVersion()
      }
      try trak.edit(["edts", "elst"], EditListBox.self, of: source) { elst in
        try elst.change { number, entry in
          guard entry.mediaTime >= 0 else { return }
          entry.mediaTime = try change.integer(entry.mediaTime, "the start of edit \(number) of track \(id)")
        }
      }
      try trak.edit(["mdia", "mdhd"], MediaHeaderBox.self, of: source) { mdhd in
        mdhd.timescale = timescale
        mdhd.duration = try change.duration(mdhd.duration, mdhd.version, "the duration of the media of track \(id)")
      }
    }
  }

  /// Throws if there are movie fragments.
  func refuseFragments() throws {
    var isFragmented = items.contains { $0.type == "moof" }
    _ = try editingMovie { moov in isFragmented = isFragmented || moov.first("mvex") != nil }
    if isFragmented {
      let text = "it has movie fragments, whose times cannot be edited"
      throw MovieError.impossible(file: source.name, Obstacle("fragmented", text, remedy: .defragment))
    }
  }
}

extension Obstacle {
  static func noTimescale(path: String) -> Obstacle { Obstacle("no_timescale", "\(path): the timescale is 0") }
}

/// Converts times to another timescale.
private struct TimescaleChange {
  let from: UInt32
  let to: UInt32
  let file: String

  init(from: UInt32, to: UInt32, _ path: String, file: String) throws(MovieError) {
    guard from > 0, to > 0 else { throw .impossible(file: file, .noTimescale(path: path)) }
    (self.from, self.to, self.file) = (from, to, file)
  }

  func integer<Number: FixedWidthInteger>(_ value: Number, _ what: @autoclosure () -> String) throws(MovieError)
    -> Number
  {
    let time = MediaTime(Int64(clamping: value), from)
    let (scaled, isExact) = time.converted(to: to)
    guard isExact, Int64(exactly: value) != nil, let result = Number(exactly: scaled) else {
      let text = "a timescale of \(to) cannot express \(time.value)/\(time.timescale) s: \(what())"
      throw .impossible(file: file, Obstacle("inexact_time", text))
    }
    return result
  }

  /// Converts a duration. All ones, which means unknown, are kept.
  func duration(_ value: UInt64, _ version: UInt8, _ what: @autoclosure () -> String) throws(MovieError) -> UInt64 {
    value.isUnknownDuration(version) ? value : try integer(value, what())
  }
}

extension UInt64 {
  /// Whether a duration in a box of this version is all ones, which means unknown.
  func isUnknownDuration(_ version: UInt8) -> Bool { self == .max || version == 0 && self == UInt32.max }
}

extension EditListBox {
  /// Changes each entry; they are numbered from 1.
  mutating func change(_ body: (Int, inout Entry) throws -> Void) throws {
    var entries = Array(self.entries)
    for index in entries.indices { try body(index + 1, &entries[index]) }
    self.entries = BoxTable(entries)
    if entries.contains(where: { $0.segmentDuration > UInt32.max || Int32(exactly: $0.mediaTime) == nil }) {
      header.version = 1
    }
  }
}

extension CompositionToDecodeBox {
  /// Makes room for 64-bit times if there are any.
  mutating func raiseVersion() {
    let values = [
      compositionToDTSShift, leastDecodeToDisplayDelta, greatestDecodeToDisplayDelta, compositionStartTime,
      compositionEndTime,
    ]
    if values.contains(where: { Int32(exactly: $0) == nil }) { header.version = 1 }
  }
}
