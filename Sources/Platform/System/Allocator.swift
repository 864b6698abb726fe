/// The memory allocator of the process.
package enum Allocator {
  /// Returns the memory of large tables to the system as soon as they are freed. By default, glibc allocates ever
  /// larger blocks, which costs 10% more memory for a long recording; other allocators do not. Smaller blocks are kept:
  /// to return the buffer of each read and get it again costs more than reading.
  package static func returnFreedTables() {
    #if canImport(Glibc)
      _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
      _ = mallopt(M_TRIM_THRESHOLD, 2 << 20)
    #endif
  }
}
