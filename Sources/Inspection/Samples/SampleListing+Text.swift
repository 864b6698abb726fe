public import Bytes
import ISOBMFF
import MP4

/// Sample lists as text tables.
extension SampleListing {
  /// Writes a table for each track.
  ///
  /// - Returns: The number of samples.
  @discardableResult public func writeText(to sink: any ByteSink) throws(IOError) -> Int {
    var total = 0
    for track in movie.tracks {
      let widest = { (value: Int) in TextBuffer.digitCount(UInt64(value.magnitude)) }
      let last = track.samples.last
      let end = last.map { Int($0.decodeTime.value &+ $0.duration.value) } ?? 0
      let clock = last?.decodeTime.clock.utf8.count ?? 0
      let hasDescriptions = track.decoderConfigurations.count > 1
      let hasFiles = movie.sources.count > 1
      var table = TextTable(to: sink)
      var count = 0
      try forEach(of: track) { (sample) throws(IOError) in
        if count == 0 {
          table.line(track.heading(heading, hasTimescale: hasTimescales))
          table.begin(
            [
              ("number", widest(track.samples.count)), ("decode", widest(end)), ("decoded at", clock),
              ("composition", widest(end)),
              ("shown at", clock), ("duration", 0), ("size", 8), ("offset", 11), ("keyframe", 0),
              ("needs others", 0),
              ("needed", 0),
            ] + (hasDescriptions ? [("description", 0)] : []) + (hasFiles ? [("file", 0)] : []))
        }
        table.write(sample, shift, hasDescriptions, hasFiles, hasSeconds: hasTimescales)
        count += 1
      }
      if track.samples.isEmpty { table.line(track.heading(heading, hasTimescale: hasTimescales)) }
      total += count
      try table.finish()
    }
    return total
  }
}

extension Track {
  /// A heading such as `track 1, video, avc1.64000D, 750 samples, timescale 12800`.
  fileprivate func heading(_ place: String?, hasTimescale: Bool = true) -> String {
    let codec = codecs.isEmpty ? handler.description : codecs.joined(separator: ",")
    return (place.map { $0 + ": " } ?? "")
      + "track \(id), \(codec == LoneSegment.unknownFormat.description ? "unknown codec" : codec), "
      + "\(counted(samples.count, "sample")), " + (hasTimescale ? "timescale \(timescale)" : "unknown timescale")
  }
}

extension TextTable {
  fileprivate mutating func write(
    _ sample: Sample, _ shift: MediaTime?, _ hasDescriptions: Bool, _ hasFiles: Bool, hasSeconds: Bool
  ) {
    cell(sample.index + 1)
    cell(Int(sample.decodeTime.value))
    let decoded = shift.map { sample.relativeDecodeTime + $0 }?.clock ?? sample.relativeDecodeTime.clock
    cell(hasSeconds ? decoded : "-")
    cell(Int(sample.compositionTime.value))
    let shown = sample.presentationTime.map { time in shift.map { time + $0 } ?? time }?.clock ?? "never"
    cell(hasSeconds ? shown : "-")
    cell(Int(sample.duration.value))
    cell(sample.size)
    cell(sample.offset)
    cell(sample.isSync ? "key" : "-")
    cell(sample.dependencies.dependsOnOthers)
    cell(sample.dependencies.isDependedOn)
    if hasDescriptions { cell(sample.descriptionIndex) }
    if hasFiles { cell(sample.source.name.printable) }
    endLine()
  }
  private mutating func cell(_ claim: Bool?) { cell(claim.map { $0 ? "yes" : "no" } ?? "-") }
}

extension GroupListing {
  /// Writes a table for each track.
  ///
  /// - Returns: The number of GOPs.
  @discardableResult public func writeText(to sink: any ByteSink) throws(IOError) -> Int {
    var count = 0
    for track in tracks {
      var table = TextTable(to: sink)
      var isFirst = true
      try forEach(of: track) { (group) throws(IOError) in
        if isFirst {
          table.line(track.heading(heading))
          table.begin([
            ("first sample", 0), ("samples", 0), ("decoded at", 0), ("shown at", 0), ("duration", 11), ("bytes", 9),
            ("leading", 0),
          ])
          isFirst = false
        }
        table.cell(group.samples.lowerBound + 1)
        table.cell(group.samples.count)
        table.cell((shift.map { group.relativeDecodeTime + $0 } ?? group.relativeDecodeTime).clock)
        table.cell(group.presentationTime.map { time in shift.map { time + $0 } ?? time }?.clock ?? "never")
        table.cell("\(group.duration)")
        table.cell(group.byteCount)
        table.cell(group.leadingCount)
        table.endLine()
        count += 1
      }
      try table.finish()
    }
    return count
  }
}

extension StallListing {
  /// Writes a line for each stall.
  public func writeText(to sink: any ByteSink) throws(IOError) {
    var table = TextTable(to: sink)
    for stall in stalls { table.line(stall.description) }
    try table.finish()
  }
}
