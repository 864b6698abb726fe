import ISOBMFF
import MP4Bytes

/// The sample groups of one track: the distinct descriptions of the movie box and of all fragments, so that one number
/// identifies the description of any sample of the track.
struct SampleGroups: Sendable {
  /// A kind of group. A sample can be in one group of each kind.
  struct Kind: Hashable, Sendable {
    var type: FourCC
    /// The parameter in version 1 of `sbgp`.
    var parameter: UInt32?
  }
  /// The samples of one fragment in groups of one kind.
  struct Runs: Sendable {
    /// The index of the kind.
    var kind: Int
    /// Runs of samples with the same description, numbered from 1; 0 for none.
    var runs: [(count: UInt32, index: UInt32)]

    /// The groups of runs of samples with these counts, in order.
    func split(_ counts: [Int]) -> [Runs] {
      var next = 0
      // The number of samples of the next run that were assigned.
      var assigned = 0
      return counts.map { count in
        var left = count
        var result = Runs(kind: kind, runs: [])
        while left > 0, next < runs.count {
          let own = min(left, Int(runs[next].count) - assigned)
          result.runs.append((UInt32(clamping: own), runs[next].index))
          left -= own
          assigned += own
          if assigned == Int(runs[next].count) { (next, assigned) = (next + 1, 0) }
        }
        return result
      }
    }
  }
  private(set) var kinds: [Kind] = []
  private var positions: [Kind: Int] = [:]
  /// The descriptions of each type, in the order of their numbers.
  private(set) var descriptions: [FourCC: SampleGroupDescriptionBox] = [:]
  private var numbers: [FourCC: [[UInt8]: UInt32]] = [:]

  /// The groups that a movie box describes.
  init(_ movie: [SampleGroupDescriptionBox] = []) {
    for box in movie {
      descriptions[box.groupingType] = box
      for (index, entry) in box.entries.enumerated() {
        let number = UInt32(truncatingIfNeeded: index + 1)
        if numbers[box.groupingType]?[entry.description] == nil {
          numbers[box.groupingType, default: [:]][entry.description] = number
        }
      }
    }
  }

  /// The descriptions of a fragment, and their numbers in the track as far as they have been looked up. Each is
  /// compared with those of the track once, regardless of the number of samples.
  struct Local {
    fileprivate var boxes: [FourCC: SampleGroupDescriptionBox]
    fileprivate var numbers: [FourCC: [Int: UInt32]] = [:]

    init(_ boxes: [SampleGroupDescriptionBox]) {
      self.boxes = Dictionary(boxes.map { ($0.groupingType, $0) }) { first, _ in first }
    }
  }

  /// Adds the groups of a fragment. Its own descriptions have numbers above 0x10000 (ISO/IEC 14496-12:2022, 8.9.4).
  /// Returns its runs with numbers of the track, or `nil` if one refers to a missing description.
  mutating func add(_ members: GroupMembers, _ local: inout Local) -> Runs? {
    var runs = members.runs
    for position in runs.indices {
      guard let number = number(runs[position].index, members.kind.type, &local) else { return nil }
      runs[position].index = number
    }
    return Runs(kind: index(of: members.kind), runs: runs)
  }

  /// The index of a kind, which is added if it is new.
  private mutating func index(of kind: Kind) -> Int {
    if let index = positions[kind] { return index }
    positions[kind] = kinds.count
    kinds.append(kind)
    return kinds.count - 1
  }

  /// Adds a kind with these descriptions, and returns its index and the numbers of the descriptions in the track.
  mutating func add(_ kind: Kind, _ descriptions: [[UInt8]]) -> (index: Int, numbers: [UInt32]) {
    var box = SampleGroupDescriptionBox()
    box.groupingType = kind.type
    let numbers = descriptions.map { description in
      var entry = SampleGroupDescriptionBox.Entry()
      entry.description = description
      return number(of: entry, in: box)
    }
    return (index(of: kind), numbers)
  }

  private mutating func number(_ index: UInt32, _ type: FourCC, _ local: inout Local) -> UInt32? {
    if index == 0 { return 0 }
    guard index > 0x1_0000 else {
      return index <= descriptions[type]?.entries.count ?? 0 ? index : nil
    }
    let position = Int(index - 0x1_0001)
    if let known = local.numbers[type]?[position] { return known }
    guard let own = local.boxes[type], position < own.entries.count else { return nil }
    let number = number(of: own.entries[position], in: own)
    local.numbers[type, default: [:]][position] = number
    return number
  }

  /// The number of a description in the track. A new description gets a new number.
  private mutating func number(
    of entry: SampleGroupDescriptionBox.Entry, in box: SampleGroupDescriptionBox
  ) -> UInt32 {
    let type = box.groupingType
    if let known = numbers[type]?[entry.description] { return known }
    if descriptions[type] == nil {
      var empty = box
      empty.entries = []
      // The default of a fragment does not apply to samples of other fragments.
      empty.defaultGroupDescriptionIndex = 0
      descriptions[type] = empty
    }
    descriptions[type]?.entries.append(entry)
    let number = UInt32(truncatingIfNeeded: descriptions[type]?.entries.count ?? 0)
    numbers[type, default: [:]][entry.description] = number
    return number
  }

  /// The numbers that the groups of another track get here.
  struct Numbers {
    /// The number of each of its descriptions, starting with 0 for none.
    fileprivate(set) var descriptions: [FourCC: [UInt32]] = [:]
    /// The index of each of its kinds.
    fileprivate(set) var kinds: [Int] = []
  }

  /// Adds the groups of a continuation of the track.
  mutating func append(_ other: SampleGroups) -> Numbers {
    var result = Numbers()
    for (type, box) in other.descriptions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      result.descriptions[type] = [0] + box.entries.map { number(of: $0, in: box) }
    }
    for kind in other.kinds { result.kinds.append(index(of: kind)) }
    return result
  }

  /// The default description of samples that are not assigned to a group; 0 for none.
  func defaultNumber(of type: FourCC) -> UInt32 {
    guard let box = descriptions[type], box.version >= 2, box.defaultGroupDescriptionIndex <= box.entries.count else {
      return 0
    }
    return box.defaultGroupDescriptionIndex
  }

  /// The descriptions that `movie` does not contain, by type, and the number of those that it contains.
  func added(to movie: [SampleGroupDescriptionBox]) -> [FourCC: (movieCount: UInt32, box: Box)] {
    var result: [FourCC: (movieCount: UInt32, box: Box)] = [:]
    for (type, description) in descriptions {
      let count = movie.last { $0.groupingType == type }?.entries.count ?? 0
      guard description.entries.count > count else { continue }
      var box = description
      box.entries.removeFirst(count)
      result[type] = (UInt32(clamping: count), Self.box(box))
    }
    return result
  }

  /// The boxes with the descriptions, by type, without those of a type.
  func boxes(besides type: FourCC?) -> [Box] {
    descriptions.values.filter { $0.groupingType != type }.sorted {
      $0.groupingType.rawValue < $1.groupingType.rawValue
    }.map(Self.box)
  }
  private static func box(_ description: SampleGroupDescriptionBox) -> Box {
    var box = description
    // The common length if there is one; version 0 has no lengths.
    let lengths = Set(box.entries.map(\.description.count))
    box.defaultLength = lengths.count == 1 ? UInt32(truncatingIfNeeded: lengths.first ?? 0) : 0
    box.header.version = max(box.version, 1)
    return Box(box)
  }
}
