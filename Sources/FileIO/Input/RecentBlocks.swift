/// The latest blocks of a source of which each read takes long, such as a file on a server.
package struct RecentBlocks: Sendable {
  /// The number of bytes of a block; the last one of a source has fewer.
  package let blockSize: Int
  private let capacity: Int
  private var blocks: [Int: (bytes: ArraySlice<UInt8>, used: Int)] = [:]
  private var clock = 0

  /// A cache for this many blocks: by default enough for the boxes of several tracks.
  package init(blockSize: Int, capacity: Int = 64) { (self.blockSize, self.capacity) = (blockSize, capacity) }

  /// The bytes of a block, if they are known.
  package mutating func block(_ number: Int) -> ArraySlice<UInt8>? {
    guard let bytes = blocks[number]?.bytes else { return nil }
    clock += 1
    blocks[number]?.used = clock
    return bytes
  }

  /// Whether the bytes of a block are known.
  package func has(_ number: Int) -> Bool { blocks[number] != nil }

  /// Keeps the bytes of a block instead of those that were not used for the longest time.
  package mutating func keep(_ bytes: ArraySlice<UInt8>, _ number: Int) {
    if blocks.count >= capacity, let oldest = blocks.min(by: { $0.value.used < $1.value.used }) {
      blocks[oldest.key] = nil
    }
    clock += 1
    blocks[number] = (bytes, clock)
  }
}
