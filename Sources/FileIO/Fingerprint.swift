extension Sequence<UInt8> {
  /// A number that is most likely another one for other bytes, and the same in every run, so that files and states can be
  /// called by it: FNV-1a, 64 bits.
  package var fingerprint: UInt64 {
    reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
