/// The allocator of the program.
package enum Allocator {
  /// Lets the memory of large tables go back to the system as soon as they are freed. The allocator of glibc would
  /// learn to keep ever larger blocks, which takes a tenth more memory for a long recording; others do not.
  package static func returnFreedTables() {
    #if canImport(Glibc)
      _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
    #endif
  }
}
