package import MP4Bytes

/// A pattern for paths of boxes, such as `moov/trak[2]/mdia//stsd`.
///
/// Each step is the four letters of a box, whose trailing spaces may be omitted, or `*` for any box. A number in
/// brackets is the index among the boxes of the same type in the container, starting at 1; without one, all of them
/// match. `//` matches any number of boxes in between. Several paths are separated by commas. A metadata item with a
/// numeric type is matched by that number, `#3`, or by its key, `[com.apple.quicktime.make]`.
public struct BoxPattern: Sendable, CustomStringConvertible {
  struct Step: Sendable {
    /// The type; `nil` for any type.
    var type: FourCC?
    var index: Int?
    /// The key of a metadata item, if given.
    var key: BoxString?
    /// Whether other boxes can be between the previous step and this one.
    var isDeep: Bool

    /// The text of the step, such as `trak[2]`, without the slashes before it.
    var description: String {
      if let key { return "[\(String(decoding: key.bytes, as: UTF8.self))]" }
      let number = index.map { "[\($0)]" } ?? ""
      guard let type else { return "*\(number)" }
      if type.rawValue < FourCC.numberLimit { return "#\(type.rawValue)\(number)" }
      var name = "\(type)"[...]
      while name.count > 1, name.last == " " { name.removeLast() }
      return name + number
    }

    func matches(_ type: FourCC, _ index: Int, key name: BoxString?) -> Bool {
      (self.type ?? type) == type && (self.index ?? index) == index && (key == nil || key?.bytes == name?.bytes)
    }
  }
  let paths: [[Step]]
  /// Whether any step is a key.
  package var hasKeys: Bool { paths.contains { $0.contains { $0.key != nil } } }
  /// The number of bits of a state, which limits the number of steps.
  private static let mostSteps = 63

  /// Parses a pattern; `nil` if `text` is not valid.
  public init?(_ text: String) {
    var paths: [[Step]] = []
    for path in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let steps = Self.steps(path) else { return nil }
      paths.append(steps)
    }
    self.paths = paths
  }

  /// A pattern that matches the boxes of all `patterns`.
  package init(_ patterns: [BoxPattern]) { paths = patterns.flatMap(\.paths) }

  private init(paths: [[Step]]) { self.paths = paths }

  /// A pattern for the same boxes at any depth; `nil` if this one already matches at any depth.
  package var atAnyDepth: BoxPattern? {
    let paths = paths.map { steps in
      var steps = steps
      if !steps.isEmpty { steps[0].isDeep = true }
      return steps
    }
    return self.paths.allSatisfy { $0.first?.isDeep == true } ? nil : BoxPattern(paths: paths)
  }

  /// The pattern in its text form.
  public var description: String {
    paths.map { steps in
      let words = steps.map { ($0.isDeep ? "//" : "/") + $0.description }.joined()
      return words.hasPrefix("//") ? words : String(words.dropFirst())
    }.joined(separator: ",")
  }

  private static func steps(_ path: Substring) -> [Step]? {
    var words = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    // A leading slash stands for the file.
    if words.count > 1, words.first?.isEmpty == true { words.removeFirst() }
    var steps: [Step] = []
    var isDeep = false
    for word in words {
      if word.isEmpty {
        if isDeep { return nil }
        isDeep = true
        continue
      }
      guard let step = step(word, isDeep: isDeep) else { return nil }
      steps.append(step)
      isDeep = false
    }
    return isDeep || steps.isEmpty || steps.count > mostSteps ? nil : steps
  }

  private static func step(_ word: Substring, isDeep: Bool) -> Step? {
    let name = word.prefix { $0 != "[" }
    var step = Step(type: nil, index: nil, isDeep: isDeep)
    let rest = word.dropFirst(name.count)
    if !rest.isEmpty {
      guard rest.hasSuffix("]") else { return nil }
      let inside = rest.dropFirst().dropLast()
      if name.isEmpty { return keyStep(inside, isDeep: isDeep) }
      guard let index = Int(inside), index > 0 else { return nil }
      step.index = index
    }
    if name == "*" { return step }
    if name.hasPrefix("#"), let number = UInt32(name.dropFirst()), number < FourCC.numberLimit {
      step.type = FourCC(rawValue: number)
      return step
    }
    guard !name.contains("]"), let type = FourCC(name) else { return nil }
    step.type = type
    return step
  }

  private static func keyStep(_ key: Substring, isDeep: Bool) -> Step? {
    guard !key.isEmpty, Int(key) == nil, !key.contains("[") else { return nil }
    return Step(key: BoxString(Array(key.utf8), form: .unterminated), isDeep: isDeep)
  }

  /// The state of the file: one number for each path, whose bits are the steps that the next box may match.
  package var start: [UInt64] { paths.map { _ in 1 } }
  /// The number of numbers in a state.
  package var stateCount: Int { paths.count }

  /// Whether a box matches, given its index among boxes of its type, its key, and the state of its container. `next` is
  /// set to the state of the box itself.
  package func matches(
    _ type: FourCC, _ index: Int, key: BoxString?, in state: ArraySlice<UInt64>, next: inout [UInt64]
  ) -> Bool {
    var isMatch = false
    for (steps, bits) in zip(paths, state) {
      var nextBits: UInt64 = 0
      for (number, step) in steps.enumerated() where bits & 1 << UInt64(number) != 0 {
        if step.isDeep { nextBits |= 1 << UInt64(number) }
        guard step.matches(type, index, key: key) else { continue }
        if number == steps.count - 1 { isMatch = true } else { nextBits |= 1 << UInt64(number + 1) }
      }
      next.append(nextBits)
    }
    return isMatch
  }
}

extension FourCC {
  /// Types below this are numbers, such as those of metadata items.
  package static let numberLimit: UInt32 = 1 << 24

}

/// Replacement of the boxes in a tree that a pattern matches.
extension BoxPattern {
  /// A position in the containers of a file, for matching a pattern.
  package struct Place {
    fileprivate var state: [UInt64]
    fileprivate var keys = MetadataKeys()
    /// The number of previous boxes of each type.
    fileprivate var counts: [FourCC: Int] = [:]

    /// The file.
    package init(_ pattern: BoxPattern) { state = pattern.start }
  }

  /// Whether the next box in `place` matches, or a box in it could match.
  package func isMet(by type: FourCC, in place: inout Place) -> (itself: Bool, inside: Bool) {
    var next: [UInt64] = []
    place.counts[type, default: 0] += 1
    let isMatch = matches(type, place.counts[type] ?? 1, key: nil, in: place.state[...], next: &next)
    return (isMatch, next.contains { $0 != 0 })
  }

  /// Replaces each matching box of `boxes` with the result of `body`. Boxes inside a matching box are not examined.
  /// Returns the number of matches.
  package func replace(
    in boxes: inout [Box], at place: inout Place, of source: any ByteSource, registry: BoxRegistry,
    _ body: (Box) throws -> [Box]
  ) throws -> Int {
    var (result, count): ([Box], Int) = ([], 0)
    result.reserveCapacity(boxes.count)
    for var box in boxes {
      var inner = Place(self)
      inner.state = []
      guard box.hasHeader else {
        result.append(box)
        continue
      }
      place.counts[box.type, default: 0] += 1
      let key = place.keys.name(of: box.type, in: box.context)
      if matches(box.type, place.counts[box.type] ?? 1, key: key, in: place.state[...], next: &inner.state) {
        result += try body(box)
        count += 1
        continue
      }
      if inner.state.contains(where: { $0 != 0 }), !box.boxes.isEmpty {
        inner.keys = box.type == "meta" && hasKeys ? try MetadataKeys(in: box, of: source) : place.keys
        let before = box.boxes.count
        count += try replace(in: &box.boxes, at: &inner, of: source, registry: registry, body)
        if box.boxes.count != before { try box.countBoxes(from: source, registry: registry) }
      }
      result.append(box)
    }
    boxes = result
    return count
  }
}
