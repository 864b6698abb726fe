extension Sequence<UInt8> {
  /// A number that is most likely another one for other bytes: FNV-1a, 64 bits.
  var fingerprint: UInt64 {
    reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
