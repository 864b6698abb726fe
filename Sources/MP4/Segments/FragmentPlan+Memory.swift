import MP4Bytes

extension FragmentPlan {
  /// An estimate of the memory that the plan takes, in bytes: tables of samples, boxes and byte ranges.
  package var memoryByteCount: Int {
    // A sample takes about 20 bytes in its columns, both as it was read and as it is written.
    var result = segments.count << 10
    for track in writer.tracks { result += track.list.count * 40 + track.details.auxiliaryBytes.count * 2 }
    func add(_ copies: CopyPlan) { result += copies.pieces.count * MemoryLayout<CopyPlan.CopiedRange>.stride }
    for fragment in fragments.joined() {
      result += fragment.boxes.count + 256
      add(fragment.copies)
    }
    for copies in source?.copies ?? [] { add(copies) }
    return result
  }
}
