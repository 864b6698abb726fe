import ISOBMFF

/// What values mean; values that recur often are cached.
struct Meanings {
  private struct Key: Hashable {
    var names: ValueNames
    var value: UInt64
  }
  private var flags: [Key: [String]] = [:]
  /// The latest request; neighbouring samples are often of the same kind.
  private var last: (key: Key, names: [String])?
  private static let limit = 1024

  mutating func names(of value: UInt64, _ names: ValueNames) -> [String] {
    let key = Key(names: names, value: value)
    if let last, last.key == key { return last.names }
    let found = flags[key] ?? names.names(ofFlags: value)
    if flags.count >= Self.limit { flags.removeAll() }
    flags[key] = found
    last = (key, found)
    return found
  }
}
