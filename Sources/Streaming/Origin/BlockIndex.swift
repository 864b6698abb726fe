import MP4Bytes
import MP4FileIO
import MP4Platform

/// The name of a file in the cache: of a block, or of the record of a state.
struct BlockName: Hashable {
  let state: UInt64
  /// The number of the block; `nil` for the record.
  let number: Int?

  init(_ state: UInt64, _ number: Int?) { (self.state, self.number) = (state, number) }

  /// Parses a file name.
  init?(_ path: Pathname) {
    let parts = String(decoding: path.bytes, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let state = UInt64(parts[0], radix: 16) else { return nil }
    self.init(state, parts[1] == "record" ? nil : Int(parts[1]) ?? -1)
    if number.map({ $0 < 0 || $0 > OriginState.lengthLimit >> 20 }) == true || self.path != path { return nil }
  }

  var path: Pathname {
    let digits = String(state, radix: 16)
    let zeros = String(repeating: "0", count: 16 - digits.utf8.count)
    return Pathname(zeros + digits + "." + (number.map { "\($0)" } ?? "record")) ?? ""
  }

  /// Whether a file with this name is an incomplete leftover.
  static func isOurs(_ path: Pathname) -> Bool {
    let bytes = path.bytes
    return bytes.first == UInt8(ascii: ".") && bytes.count > 18 && bytes[17] == UInt8(ascii: ".")
      && bytes[1..<17].allSatisfy { $0.hexadecimalValue != nil }
  }
}

/// The contents of a cache: the sizes of its files, and when each was last used.
struct BlockIndex {
  /// The states that have a record.
  private(set) var states: [UInt64: OriginState] = [:]
  private var addresses: [String: UInt64] = [:]
  private var files: [BlockName: (size: Int, used: Int)] = [:]
  /// The number of blocks of a state.
  private var counts: [UInt64: Int] = [:]
  /// The size of all files, including those being written.
  private var byteCount = 0
  /// The last time of use.
  private var latest = 0

  /// The disk usage of a file on most file systems, which limits the number of files.
  private static func room(_ size: Int) -> Int { (size + 4095) & ~4095 }

  func state(of address: String) -> OriginState? { addresses[address].flatMap { states[$0] } }
  func has(_ number: Int, of state: OriginState) -> Bool { files[BlockName(state.identifier, number)] != nil }

  /// A time after all others.
  private mutating func tick() -> Int {
    latest = max(latest + 1, SystemClock.nanoseconds)
    return latest
  }

  /// Records the use of a block and returns its time, unless it was the last one used or is not cached.
  mutating func use(_ name: BlockName) -> Int? {
    guard let used = files[name]?.used, used != latest else { return nil }
    let now = tick()
    files[name]?.used = now
    return now
  }

  /// Records a state.
  mutating func add(_ state: OriginState) {
    states[state.identifier] = state
    addresses[state.address] = state.identifier
    let name = BlockName(state.identifier, nil)
    if files[name] == nil { add(name, state.record.count, used: 0) }
  }

  /// Records when the origin confirmed a state; returns whether it has a record.
  mutating func confirm(_ state: OriginState) -> Bool {
    guard states[state.identifier] != nil else { return false }
    states[state.identifier]?.confirmed = state.confirmed
    return true
  }

  /// Records a file.
  mutating func add(_ name: BlockName, _ size: Int, used: Int) {
    byteCount += Self.room(size)
    insert(name, size, used)
  }

  /// Records a file for which room was reserved; returns its time.
  mutating func fill(_ name: BlockName, _ size: Int) -> Int {
    let used = tick()
    insert(name, size, used)
    return used
  }

  private mutating func insert(_ name: BlockName, _ size: Int, _ used: Int) {
    if let old = files.updateValue((size, used), forKey: name) {
      byteCount -= Self.room(old.size)
    } else if name.number != nil {
      counts[name.state, default: 0] += 1
    }
    latest = max(latest, used)
  }

  /// Reserves room for a file. `remove` removes files if necessary; returns whether there is enough room.
  mutating func takeRoom(for size: Int, limit: Int, _ remove: ([BlockName]) -> Void) -> Bool {
    while byteCount + Self.room(size) > limit {
      guard let names = removeOldest() else { return false }
      remove(names)
    }
    byteCount += Self.room(size)
    return true
  }

  /// Releases the room of a file that was not written.
  mutating func release(_ size: Int) { byteCount -= Self.room(size) }

  /// Removes the least recently used block, and the record of its state with the last one; `nil` if there is none.
  mutating func removeOldest() -> [BlockName]? {
    let blocks = files.lazy.filter { $0.key.number != nil }
    return blocks.min { $0.value.used < $1.value.used }.map { remove($0.key) }
  }

  /// Removes a file, and the record of its state with the last block.
  mutating func remove(_ name: BlockName) -> [BlockName] {
    guard let file = files.removeValue(forKey: name) else { return [] }
    byteCount -= Self.room(file.size)
    guard name.number != nil, let count = counts[name.state] else { return [name] }
    counts[name.state] = count > 1 ? count - 1 : nil
    return count > 1 ? [name] : [name] + removeRecord(of: name.state)
  }

  private mutating func removeRecord(of state: UInt64) -> [BlockName] {
    if let known = states.removeValue(forKey: state), addresses[known.address] == state {
      addresses[known.address] = nil
    }
    return remove(BlockName(state, nil))
  }

  /// Removes all files of a state.
  mutating func drop(_ state: UInt64) -> [BlockName] {
    let names = files.keys.filter { $0.state == state && $0.number != nil }
    return names.flatMap { remove($0) } + removeRecord(of: state)
  }

  /// Removes records without a block, and all but one state of each address.
  mutating func removeUnused() -> [BlockName] {
    let unused = states.filter { counts[$0.key] == nil || addresses[$0.value.address] != $0.key }
    return unused.keys.flatMap { drop($0) }
  }
}
