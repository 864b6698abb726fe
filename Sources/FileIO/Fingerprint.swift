extension Sequence<UInt8> {
  /// A hash that is stable between runs, for naming files and states:
  /// FNV-1a, 64 bits.
  package var fingerprint: UInt64 {
    reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
