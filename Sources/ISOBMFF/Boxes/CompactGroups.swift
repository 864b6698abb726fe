public import MP4Bytes

/// The group of each sample for one grouping type, as repeating patterns.
public struct CompactSampleToGroupBox: FullBoxPayload, Equatable {
  /// Consecutive samples that cycle through the groups of one pattern.
  public struct Pattern: BoxTableRow {
    /// The number of indices in the pattern; the pattern of the next row starts after them.
    public var patternLength: UInt32 = 0
    /// The number of samples; the last repetition of the pattern may be incomplete.
    public var sampleCount: UInt32 = 0
    /// No samples.
    public init() {}
    /// `sampleCount` samples in the groups of a pattern of `patternLength` indices.
    public init(patternLength: UInt32, sampleCount: UInt32) {
      self.patternLength = patternLength
      self.sampleCount = sampleCount
    }
    /// `shape` is the flags of the box, which hold the widths of the fields.
    public mutating func fields(_ c: inout FieldCoder, shape flags: UInt32) throws(BoxError) {
      try c.bits("pattern_length", &patternLength, CompactSampleToGroupBox.width(flags >> 4))
      try c.bits("sample_count", &sampleCount, CompactSampleToGroupBox.width(flags >> 2))
    }
  }
  /// Two indices of four bits, in one byte.
  public struct Pair: BoxTableRow {
    /// The first index.
    public var first: UInt8 = 0
    /// The second index; 0 after the last.
    public var second: UInt8 = 0
    /// Two indices of no group.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.bits("sample_group_description_index", &first, 4)
      try c.bits("next_sample_group_description_index", &second, 4)
    }
  }
  public static let info = BoxInfo(
    "csgp", "Compact Sample to Group Box", in: ["stbl", "traf"], "ISO/IEC 14496-12:2022, 8.9.5")
  /// The flags contain three widths, coded as 0 for 4 bits, 1 for 8, 2 for 16 and 3 for 32: bits 0 and 1 are the width
  /// of an index, bits 2 and 3 that of `sample_count`, bits 4 and 5 that of `pattern_length`. With bit 6, there is a
  /// parameter. With bit 7, the most significant bit of an index marks a description of the fragment itself.
  public var header = FullBoxHeader()
  public static var flagNames: ValueNames {
    """
    0x40 grouping_type_parameter_present; 0x80 index_msb_indicates_fragment_local_description
    """
  }
  /// The kind of grouping, such as `roll` or `seig`.
  public var groupingType: FourCC = "roll"
  /// The subtype of the grouping, with flag 0x40.
  public var groupingTypeParameter: UInt32? { didSet { header[0x40] = groupingTypeParameter != nil } }
  /// The patterns.
  public var patterns = BoxTable<Pattern>()
  /// The indices of all patterns, if they have 4 bits.
  public var pairs = BoxTable<Pair>()
  /// The indices of all patterns, if they have 8 bits.
  public var bytes = BoxTable<UInt8>()
  /// The indices of all patterns, if they have 16 bits.
  public var words = BoxTable<UInt16>()
  /// The indices of all patterns, if they have 32 bits.
  public var longs = BoxTable<UInt32>()
  /// No samples in roll recovery groups.
  public init() {}

  /// The width in bits of a field, according to the lowest two bits of `code`.
  fileprivate static func width(_ code: UInt32) -> Int { 4 << Int(code & 3) }
  /// The width of an index in bits.
  public var indexWidth: Int { Self.width(flags) }
  /// Whether the most significant bit of an index marks a description of the fragment itself.
  public var marksOwnDescriptions: Bool { flags & 0x80 != 0 }

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fourCC("grouping_type", &groupingType)
    try c.uint32("grouping_type_parameter", &groupingTypeParameter, flag: 0x40)
    var count = UInt32(clamping: patterns.count)
    try c.uint32("pattern_count", &count)
    let widths = (Self.width(flags >> 4), Self.width(flags >> 2))
    // With only one field of four bits, half a byte would be left between two patterns.
    let fillsBytes = (widths.0 == 4) == (widths.1 == 4)
    try c.check(fillsBytes || count == 0, "pattern_count", count, "0, as only one of two widths is 4 bits")
    guard fillsBytes || !c.isReading else { return }
    try c.table("patterns", &patterns, count: count, shape: flags & 0x3c)
    // A pattern takes at least a byte and has fewer than 2^32 indices, so the sum fits.
    var indexCount = 0
    patterns.forEachRow { indexCount += Int($0.patternLength) }
    switch indexWidth {
    case 4: try c.table("sample_group_description_index", &pairs, count: (indexCount + 1) / 2)
    case 8: try c.table("sample_group_description_index", &bytes, count: indexCount)
    case 16: try c.table("sample_group_description_index", &words, count: indexCount)
    default: try c.table("sample_group_description_index", &longs, count: indexCount)
    }
  }

  /// The index at `position` among those of all patterns, which must be less than the sum of their lengths.
  public subscript(position: Int) -> UInt32 {
    switch indexWidth {
    case 4: UInt32(position % 2 == 0 ? pairs[position / 2].first : pairs[position / 2].second)
    case 8: UInt32(bytes[position])
    case 16: UInt32(words[position])
    default: longs[position]
    }
  }
}
