import Support

/// Small fragmented files with deliberately wrong numbers, built box by box; `FragmentedFileBuilder` builds valid ones.
struct HostileFile {
  var traks: [[UInt8]] = [trak()]
  /// The default sample duration and size of every track.
  var sampleDuration: UInt32 = 10
  var sampleSize: UInt32 = 1
  /// The boxes after the movie box.
  var boxes: [[UInt8]] = []

  var bytes: [UInt8] { Self.fileType + movie + boxes.flatMap(\.self) }

  static let fileType = box("ftyp", ascii("iso6"), zeros(4), ascii("iso6"))

  var movie: [UInt8] {
    let trexs = (1...max(1, traks.count)).map { track in
      fullBox("trex", big(UInt32(track)), big(UInt32(1)), big(sampleDuration), big(sampleSize), zeros(4))
    }
    return box("moov", Self.movieHeader, traks.flatMap(\.self), box("mvex", trexs.flatMap(\.self)))
  }
  static let movieHeader = fullBox(
    "mvhd", zeros(8), big(UInt32(1000)), zeros(4), big(UInt32(0x1_0000)), big(UInt16(0x100)), zeros(10 + 36 + 24),
    big(UInt32(2)))

  static func trak(_ id: UInt32 = 1, edits: [UInt8] = [], tables: [UInt8]...) -> [UInt8] {
    let tkhd = fullBox("tkhd", flags: 7, zeros(8), big(id), zeros(8), zeros(8 + 8 + 36 + 8))
    let mdhd = fullBox("mdhd", zeros(8), big(UInt32(1000)), zeros(8))
    let hdlr = fullBox("hdlr", zeros(4), ascii("vide"), zeros(13))
    let empty =
      fullBox("stts", zeros(4)) + fullBox("stsc", zeros(4)) + fullBox("stsz", zeros(8)) + fullBox("stco", zeros(4))
    let entry = box("abcd", zeros(6), big(UInt16(1)))
    let stbl = box(
      "stbl", fullBox("stsd", big(UInt32(2)), entry, entry), tables.isEmpty ? empty : tables.flatMap(\.self))
    return box("trak", tkhd, edits, box("mdia", mdhd, hdlr, box("minf", stbl)))
  }

  static func moof(_ trafs: [UInt8]...) -> [UInt8] {
    box("moof", fullBox("mfhd", big(UInt32(1))), trafs.flatMap(\.self))
  }
  static func traf(_ id: UInt32 = 1, at time: UInt64 = 0, _ boxes: [UInt8]...) -> [UInt8] {
    box("traf", tfhd(id), fullBox("tfdt", version: 1, big(time)), boxes.flatMap(\.self))
  }
  static func tfhd(_ id: UInt32 = 1) -> [UInt8] { fullBox("tfhd", flags: 0x2_0000, big(id)) }
  /// A run without per-sample fields whose data starts with the fragment.
  static func trun(_ count: UInt32) -> [UInt8] { fullBox("trun", flags: 1, big(count), zeros(4)) }
}
