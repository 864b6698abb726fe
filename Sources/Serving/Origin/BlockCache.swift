public import Bytes
public import FileIO
import Platform

/// A bounded cache on a disk, of parts of what lies elsewhere; it survives a restart, and a crash.
///
/// Each block is a file of its own that bears its name when it is whole, beside a record of what it is a block of. Where
/// there is no room, those blocks go that were used longest ago; their order is kept in the times of the files.
public final class BlockCache: Sendable {
  /// How many bytes of the disk it takes at most.
  let byteLimit: Int
  /// How many bytes the blocks of a new state have.
  let blockSize: Int
  let folder: LockedDirectory
  private let index = Monitor(BlockIndex())

  /// A cache in `folder`, which is made if it is missing and may hold other files; `nil` for a temporary one that is
  /// removed at the end.
  ///
  /// - Parameters:
  ///   - folder: Where the cache is, in a folder of its own. Another program that uses the same one is an error.
  ///   - byteLimit: How many bytes of the disk it takes at most; less than 256 KiB counts as that. A block that is
  ///     removed while it is sent takes its room until then.
  ///   - inputs: What must not be in the folder of its own, whose files can be removed at any time.
  public init(_ folder: Pathname?, byteLimit: Int, keeping inputs: InputRegistry = []) throws(IOError) {
    self.byteLimit = max(byteLimit, 256 << 10)
    // Large enough to be sent by the kernel at once, and so small that many fit.
    blockSize = min(1 << 20, Int(1) << (Int.bitWidth - 1 - (self.byteLimit / 32).leadingZeroBitCount))
    self.folder =
      if let folder { try LockedDirectory("mp4tool-cache", in: folder, keeping: inputs) } else {
        try LockedDirectory(temporary: "mp4tool-cache.XXXXXX")
      }
    try load()
  }

  deinit { close() }

  /// Takes over what an earlier run left, as far as it is undamaged.
  private func load() throws(IOError) {
    var (index, blocks) = (BlockIndex(), [(name: BlockName, size: Int, used: Int)]())
    for entry in try folder.entries() {
      guard let name = BlockName(entry.name) else {
        if BlockName.isOurs(entry.name) { folder.remove(entry.name) }
        continue
      }
      if let number = name.number {
        blocks.append((BlockName(name.state, number), entry.size ?? -1, entry.used))
      } else if let state = read(name), state.blockSize <= blockSize {
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
    // Who was at one block may have been at others.
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

  /// Removes files, while no other thread takes their room.
  private func remove(_ names: [BlockName]) { for name in names { folder.remove(name.path) } }

  /// The state of a resource of which there are blocks.
  func state(of address: String) -> OriginState? { index { $0.state(of: address) } }

  /// Whether a block is there.
  func has(_ number: Int, of state: OriginState) -> Bool { index { $0.has(number, of: state) } }

  /// The first block from `number` on that is not there; `nil` when there is none before the end.
  func firstMissing(from number: Int, of state: OriginState) -> Int? {
    index { index in
      var number = number
      while index.has(number, of: state) { number += 1 }
      return state.range(ofBlock: number).isEmpty ? nil : number
    }
  }

  /// A block, if it is there; it can be read even when it is removed meanwhile.
  func block(_ number: Int, of state: OriginState) -> FileSource? {
    let name = BlockName(state.identifier, number)
    let isThere = index { index in
      guard let used = index.use(name) else { return index.has(number, of: state) }
      folder.note(name.path, used: used)
      return true
    }
    guard isThere else { return nil }
    if let file = try? folder.open(name.path), file.size == state.range(ofBlock: number).count { return file }
    // Another process changed it.
    index { remove($0.remove(name)) }
    return nil
  }

  /// Keeps a block; the oldest others go where there is no room for it.
  func add(_ bytes: [UInt8], as number: Int, of state: OriginState) throws(IOError) {
    try write(bytes, as: BlockName(state.identifier, number))
    try keep(state)
  }

  /// Makes the blocks of a state be found by the next run, if that can be.
  func keep(_ state: OriginState) throws(IOError) {
    guard state.isLasting, index({ $0.states[state.identifier] == nil }) else { return }
    try write(state.record, as: BlockName(state.identifier, nil))
    index { $0.add(state) }
  }

  private func write(_ bytes: [UInt8], as name: BlockName) throws(IOError) {
    // Others may fill a disk faster than blocks can make room.
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

  /// Forgets all blocks of a state.
  func drop(_ state: OriginState) { index { remove($0.drop(state.identifier)) } }

  /// Lets other programs use the folder; a temporary one is removed.
  func close() { index { _ in folder.close() } }
}
