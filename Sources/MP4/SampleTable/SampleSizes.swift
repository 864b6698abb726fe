import ISOBMFF

/// The sizes of the samples of a track, in either of the boxes that can have them.
enum SampleSizes {
  /// `stsz`.
  case plain(SampleSizeBox)
  /// `stz2`.
  case compact(CompactSampleSizeBox)

  /// The number of samples.
  var count: Int {
    switch self {
    case .plain(let box): Int(box.sampleCount)
    case .compact(let box): Int(box.sampleCount)
    }
  }
}

extension MoviePayloads {
  /// The sizes in a sample table; where it has both boxes, which the standard does not allow, those of `stsz`, as other
  /// readers do.
  func sampleSizes(_ table: Box, prefix: String) throws(MovieError) -> SampleSizes {
    if let box = table.first("stz2"), table.first("stsz") == nil {
      return .compact(try payload(of: box, in: prefix + "stz2", CompactSampleSizeBox.self))
    }
    return .plain(try payload(of: table.first("stsz"), in: prefix + "stsz", SampleSizeBox.self))
  }
}
