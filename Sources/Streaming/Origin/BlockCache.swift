public import MP4Bytes
public import MP4FileIO
import MP4Platform

/// A bounded disk cache for parts of remote resources; it survives restarts and crashes.
///
/// Each block is a separate file that appears when it is complete, beside a record of its resource. If there
/// is no room, the least recently used blocks are removed; the order is kept in the access times of the files. The
/// access time of a record is when the origin last confirmed it.
public final class BlockCache: Sendable {
  /// The maximum disk usage in bytes.
  let byteLimit: Int
  /// The block size for new resources.
  let blockSize: Int
  let folder: LockedDirectory
  private let index = Monitor(BlockIndex())

  /// A cache in `folder`, which is created if necessary and may contain other files; `nil` for a temporary one that is
  /// removed at the end.
  ///
  /// - Parameters:
  ///   - folder: The folder, in which the cache has its own subfolder. If another program uses the same cache, that is
  ///     an error.
  ///   - byteLimit: The maximum disk usage in bytes, at least 256 KiB. A block that is
  ///     removed while it is being sent still counts until then.
  ///   - inputs: Files that must not be in the cache folder, whose files can be removed at any time.
  public init(_ folder: Pathname?, byteLimit: Int, keeping inputs: InputRegistry = []) throws(IOError) {
    self.byteLimit = max(byteLimit, 256 << 10)
    // Large enough for the kernel to send a block at once, and small enough for many blocks to fit.
    blockSize = min(1 << 20, Int(1) << (Int.bitWidth - 1 - (self.byteLimit / 32).leadingZeroBitCount))
    self.folder =
      if let folder { try LockedDirectory("mp4tool-cache", in: folder, keeping: inputs) } else {
        try LockedDirectory(temporary: "mp4tool-cache.XXXXXX")
      }
    try load()
  }

  deinit { close() }

  /// Uses the undamaged files of a previous run.
  private func load() throws(IOError) {
    var (index, blocks) = (BlockIndex(), [(name: BlockName, size: Int, used: Int)]())
    for entry in try folder.entries() {
      guard let name = BlockName(entry.name) else {
        if BlockName.isOurs(entry.name) { folder.remove(entry.name) }
        continue
      }
      if let number = name.number {
        blocks.append((BlockName(name.state, number), entry.size ?? -1, entry.used))
      } else if var state = read(name), state.blockSize <= blockSize {
        state.confirmed = entry.used
        folder.note(entry.name, used: entry.used)
        index.add(state)
      } else {
        folder.remove(entry.name)
      }
    }
    var damaged: Set<UInt64> = []
    for block in blocks {
      let wanted = index.states[block.name.state]?.range(ofBlock: block.name.number ?? 0).count
      if wanted == block.size {
        index.add(block.name, block.size, used: block.used)
      } else {
        folder.remove(block.name.path)
        damaged.insert(block.name.state)
      }
    }
    // A process that changed one block may have changed others.
    for state in damaged { remove(index.drop(state)) }
    remove(index.removeUnused())
    _ = index.takeRoom(for: 0, limit: byteLimit, remove)
    self.index { $0 = index }
  }

  private func read(_ name: BlockName) -> OriginState? {
    guard let file = try? folder.open(name.path), file.size <= 1 << 16 else { return nil }
    let sink = MemorySink(name: file.name)
    guard (try? sink.copy(0..<file.size, of: file)) != nil else { return nil }
    return OriginState(record: sink.bytes, identifier: name.state)
  }

  /// Removes files, while no other thread uses their room.
  private func remove(_ names: [BlockName]) { for name in names { folder.remove(name.path) } }

  /// The state of a resource with cached blocks.
  func state(of address: String) -> OriginState? { index { $0.state(of: address) } }

  /// Whether a block is cached.
  func has(_ number: Int, of state: OriginState) -> Bool { index { $0.has(number, of: state) } }

  /// The first block from `number` on that is not cached; `nil` if there is none.
  func firstMissing(from number: Int, of state: OriginState) -> Int? {
    index { index in
      var number = number
      while index.has(number, of: state) { number += 1 }
      return state.range(ofBlock: number).isEmpty ? nil : number
    }
  }

  /// A cached block; it can be read even if it is removed meanwhile.
  func block(_ number: Int, of state: OriginState) -> FileSource? {
    let name = BlockName(state.identifier, number)
    let isThere = index { index in
      guard let used = index.use(name) else { return index.has(number, of: state) }
      folder.note(name.path, used: used)
      return true
    }
    guard isThere else { return nil }
    if let file = try? folder.open(name.path), file.size == state.range(ofBlock: number).count { return file }
    // Another process changed the block.
    index { remove($0.remove(name)) }
    return nil
  }

  /// Stores a block, removing the oldest others if necessary.
  func add(_ bytes: [UInt8], as number: Int, of state: OriginState) throws(IOError) {
    try write(bytes, as: BlockName(state.identifier, number))
    try keep(state)
  }

  /// Lets the next run find the blocks of a state, if possible.
  func keep(_ state: OriginState) throws(IOError) {
    guard state.isLasting, index({ $0.states[state.identifier] == nil }) else { return }
    try write(state.record, as: BlockName(state.identifier, nil))
    index { $0.add(state) }
    confirm(state)
  }

  /// Records when the origin confirmed a state, also for the next run.
  func confirm(_ state: OriginState) {
    guard index({ $0.confirm(state) }) else { return }
    folder.note(BlockName(state.identifier, nil).path, used: state.confirmed)
  }

  private func write(_ bytes: [UInt8], as name: BlockName) throws(IOError) {
    // Other processes may fill the disk faster than removed blocks free it.
    var attempts = 16
    while true {
      guard index({ $0.takeRoom(for: bytes.count, limit: byteLimit, remove) }) else {
        throw IOError(.write, file: folder.name, reason: "the cache is full")
      }
      do throws(IOError) {
        try folder.write(bytes, as: name.path)
        let used = index { $0.fill(name, bytes.count) }
        return folder.note(name.path, used: used)
      } catch {
        let canTryAgain = index { index in
          index.release(bytes.count)
          guard error.isFullDisk, attempts > 0, let names = index.removeOldest() else { return false }
          remove(names)
          return true
        }
        if !canTryAgain { throw error }
        attempts -= 1
      }
    }
  }

  /// Removes all blocks of a state.
  func drop(_ state: OriginState) { index { remove($0.drop(state.identifier)) } }

  /// Releases the folder for other programs; a temporary one is removed.
  func close() { index { _ in folder.close() } }
}
