import Bytes
import FileIO
import Platform

/// The name of a file in the cache: of a block, or of the record of a state.
struct BlockName: Hashable {
  let state: UInt64
  /// Which block it is; `nil` for the record.
  let number: Int?

  init(_ state: UInt64, _ number: Int?) { (self.state, self.number) = (state, number) }

  /// The name that is spelled so, if it is one.
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

  /// Whether a file of that name was left behind while it was written.
  static func isOurs(_ path: Pathname) -> Bool {
    let bytes = path.bytes
    return bytes.first == UInt8(ascii: ".") && bytes.count > 18 && bytes[17] == UInt8(ascii: ".")
      && bytes[1..<17].allSatisfy { $0.hexadecimalValue != nil }
  }
}

/// What is in a cache: the sizes of its files, and when each was used last.
struct BlockIndex {
  /// The states of which there is a record.
  private(set) var states: [UInt64: OriginState] = [:]
  private var addresses: [String: UInt64] = [:]
  private var files: [BlockName: (size: Int, used: Int)] = [:]
  /// How many blocks there are of a state.
  private var counts: [UInt64: Int] = [:]
  /// The bytes of all files, and of those that are being written.
  private var byteCount = 0
  /// When something was used last.
  private var latest = 0

  /// What a file takes on most disks; so there can not be too many of them.
  private static func room(_ size: Int) -> Int { (size + 4095) & ~4095 }

  func state(of address: String) -> OriginState? { addresses[address].flatMap { states[$0] } }
  func has(_ number: Int, of state: OriginState) -> Bool { files[BlockName(state.identifier, number)] != nil }

  /// A time after all others.
  private mutating func tick() -> Int {
    latest = max(latest + 1, SystemClock.nanoseconds)
    return latest
  }

  /// Notes that a block is used: when, unless it was the last one that was, or is not there.
  mutating func use(_ name: BlockName) -> Int? {
    guard let used = files[name]?.used, used != latest else { return nil }
    let now = tick()
    files[name]?.used = now
    return now
  }

  /// Notes a record.
  mutating func add(_ state: OriginState) {
    states[state.identifier] = state
    addresses[state.address] = state.identifier
    let name = BlockName(state.identifier, nil)
    if files[name] == nil { add(name, state.record.count, used: 0) }
  }

  /// Notes a file.
  mutating func add(_ name: BlockName, _ size: Int, used: Int) {
    byteCount += Self.room(size)
    insert(name, size, used)
  }

  /// Notes a file for which there was room; returns its time.
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

  /// Takes room for a file. `remove` removes what has to go for that; returns whether it was enough.
  mutating func takeRoom(for size: Int, limit: Int, _ remove: ([BlockName]) -> Void) -> Bool {
    while byteCount + Self.room(size) > limit {
      guard let names = removeOldest() else { return false }
      remove(names)
    }
    byteCount += Self.room(size)
    return true
  }

  /// Gives the room back of a file that was not written.
  mutating func release(_ size: Int) { byteCount -= Self.room(size) }

  /// Removes the block that was used longest ago, and the record of its state with the last one; `nil` when there is none.
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
