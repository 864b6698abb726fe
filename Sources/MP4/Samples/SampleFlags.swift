/// The 32 bits of sample flags in fragments, ISO/IEC 14496-12:2022, 8.8.3.1.
public struct SampleFlags: Hashable, Sendable {
  /// The bits as they are in the file.
  public var rawValue: UInt32
  /// Flags with these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Flags of a sample with these dependencies; `nil` means unknown. If nothing else is known, sync samples do not
  /// depend on other samples, and the others do.
  package init(
    isSync: Bool, dependsOnOthers: Bool? = nil, isDependedOn: Bool? = nil, hasRedundancy: Bool? = nil
  ) {
    func bits(_ claim: Bool?, _ shift: UInt32) -> UInt32 { claim.map { ($0 ? 1 : 2) << shift } ?? 0 }
    rawValue =
      (isSync ? 0 : 0x1_0000) | bits(dependsOnOthers ?? !isSync, 24) | bits(isDependedOn, 22) | bits(hasRedundancy, 20)
  }

  /// Decoding can start here: the bit `sample_is_non_sync_sample` is not set.
  public var isSync: Bool { rawValue & 0x1_0000 == 0 }
  /// `is_leading`, `sample_depends_on`, `sample_is_depended_on` and `sample_has_redundancy`, as in `sdtp`.
  public var dependency: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 20) }
  /// Whether it is presented before the preceding sync sample, and can be decoded without earlier samples.
  var isDecodableLeading: Bool { dependency >> 6 == 3 }
  /// The number of padding bits at the end of the sample.
  public var paddingValue: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 17 & 7) }
  /// How much the sample matters when some have to be dropped.
  public var degradationPriority: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
  /// The flags of an independent sample, which fragments declare for sync samples if nothing else is known.
  var withDependency: SampleFlags {
    isSync && rawValue & 0x300_0000 == 0 ? SampleFlags(rawValue: rawValue | 0x200_0000) : self
  }
}
