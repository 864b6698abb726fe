import ISOBMFF
import MP4Bytes

/// The offsets of movie fragments.
extension Relocation {
  /// Corrects the offsets of a track fragment. They are relative to its base data offset, to the start of the `moof`,
  /// or to the end of the data of the previous track fragment; in the last case, its data moves with that data.
  func correctFragment(
    _ traf: inout Box, _ moofOffset: Int, isFirst: Bool, _ payloads: MoviePayloads
  ) throws(MovieError) {
    guard let at = traf.boxes.firstIndex(where: { $0.type == "tfhd" }) else { return }
    var tfhd = try payloads.payload(of: traf.boxes[at], in: "moof/traf/tfhd", TrackFragmentHeaderBox.self)
    var old = moofOffset
    if let offset = tfhd.baseDataOffset {
      old = base.position(offset, moofOffset: moofOffset)
      if let new = position(of: old), UInt64(new) != offset {
        tfhd.baseDataOffset = UInt64(new)
        traf.boxes[at].fields = .edited(tfhd, rest: try payloads.rest(of: traf.boxes[at], after: tfhd))
      }
    } else if !isFirst, !tfhd.header[0x2_0000] {
      return
    }
    guard let new = position(of: old) else { return }
    /// An offset from the old base, converted to the new base.
    func corrected(_ offset: Int) -> Int {
      guard let position = position(of: old.addingReportingOverflow(offset).partialValue) else { return offset }
      return position - new
    }
    try Self.replaceOffsets(of: &traf, payloads, corrected)
  }

  /// Replaces the offsets of the samples and of auxiliary information in a track fragment, which are relative to its
  /// base.
  private static func replaceOffsets(
    of traf: inout Box, _ payloads: MoviePayloads, _ new: (Int) -> Int
  ) throws(MovieError) {
    for index in traf.boxes.indices {
      switch traf.boxes[index].type {
      case "trun":
        var trun = try payloads.payload(of: traf.boxes[index], in: "moof/traf/trun", TrackRunBox.self)
        guard let offset = trun.dataOffset, new(Int(offset)) != offset else { continue }
        guard let near = Int32(exactly: new(Int(offset))) else {
          throw .impossible(
            file: payloads.source.name, Obstacle("far_data", "moof/traf/trun: its data is now too far away"))
        }
        trun.dataOffset = near
        traf.boxes[index].fields = .edited(trun, rest: try payloads.rest(of: traf.boxes[index], after: trun))
      case "saio":
        var saio = try payloads.payload(
          of: traf.boxes[index], in: "moof/traf/saio", SampleAuxiliaryInformationOffsetsBox.self)
        let offsets = saio.offsets.map { UInt64(clamping: new(Int(clamping: $0))) }
        guard offsets != Array(saio.offsets) else { continue }
        saio.offsets = BoxTable(offsets)
        traf.boxes[index].fields = .edited(saio, rest: try payloads.rest(of: traf.boxes[index], after: saio))
      default: break
      }
    }
  }

  /// Makes the offsets in a `moof` relative to its start, as segments require. A `free` box replaces each removed base,
  /// so that nothing moves. A track fragment is not changed if that is impossible: its samples start at another base
  /// without an offset, or its boxes are damaged.
  static func countFromStart(_ moof: inout Box, _ bases: BaseDataOffset, of source: any ByteSource) {
    guard let moofOffset = moof.header?.offset else { return }
    let payloads = MoviePayloads(source: source)
    for index in moof.boxes.indices where moof.boxes[index].type == "traf" {
      var traf = moof.boxes[index]
      do throws(MovieError) {
        guard let at = traf.boxes.firstIndex(where: { $0.type == "tfhd" }) else { continue }
        var tfhd = try payloads.payload(of: traf.boxes[at], in: "moof/traf/tfhd", TrackFragmentHeaderBox.self)
        guard let base = tfhd.baseDataOffset else { continue }
        let distance = bases.position(base, moofOffset: moofOffset) - moofOffset
        let run = try traf.first("trun").map { (trun) throws(MovieError) in
          try payloads.payload(of: trun, in: "moof/traf/trun", TrackRunBox.self)
        }
        let startsAtBase = run.map { $0.dataOffset == nil } ?? false
        guard distance == 0 || !startsAtBase else { continue }
        try replaceOffsets(of: &traf, payloads) { $0 &+ distance }
        tfhd.baseDataOffset = nil
        tfhd.header[0x2_0000] = true
        traf.boxes[at].fields = .edited(tfhd, rest: try payloads.rest(of: traf.boxes[at], after: tfhd))
        traf.boxes.insert(Box("free", boxes: []), at: at + 1)
        moof.boxes[index] = traf
      } catch { continue }
    }
  }
}
