import ISOBMFF
import MP4Bytes

/// A comparison of the boxes of two files in progress.
struct BoxComparisonRun: ~Copyable {
  private let (file, otherFile): (ComparedFile, ComparedFile)
  private var bytes: SideBySide
  private let (contents, otherContents): (BoxContents, BoxContents)
  /// The number of equal bytes at the start of both files.
  private let prefix: Int
  private var count = 0

  /// Whether both files have the same bytes.
  let isSame: Bool

  init(_ file: ComparedFile, _ otherFile: ComparedFile) throws(IOError) {
    (self.file, self.otherFile) = (file, otherFile)
    (contents, otherContents) = (BoxContents(file.source), BoxContents(otherFile.source))
    bytes = SideBySide(file.source, otherFile.source)
    prefix = try bytes.commonPrefix(0..<file.end, 0..<otherFile.end)
    isSame = prefix == file.end && prefix == otherFile.end
  }

  /// A box of each file.
  private struct Pair {
    let (box, other): (Sibling, Sibling)
    let (path, otherPath): (BoxPath, BoxPath)
  }
  /// The trees of two boxes of the files.
  fileprivate struct Trees {
    var (tree, other): (ComparedTree, ComparedTree)
  }
  /// A step that remains to be done.
  private enum Action {
    case compare(Pair)
    case report(BoxDifference)
    /// A box that only one of the files has.
    case single(Sibling, BoxPath, isOther: Bool)
  }
  /// Identifies boxes whose contents are reported up to a readable number of times.
  private struct Single: Hashable {
    let path: String
    let isOther: Bool
  }
  private var singleCounts: [Single: Int] = [:]
  /// The maximum number of single boxes of a kind that are reported with contents, and of lines of these.
  private static let (mostSingles, mostLines) = (10, 20)

  /// Calls `body` with each difference between files that are not equal.
  mutating func compare(_ body: (BoxDifference) throws(IOError) -> Void) throws(IOError) {
    let (range, otherRange) = (0..<file.end, 0..<otherFile.end)
    for step in try steps(file.boxes, otherFile.boxes, in: range, otherRange, prefix: prefix) {
      for action in actions(step, file.boxes, otherFile.boxes, BoxPath(), BoxPath()) {
        switch action {
        case .report(let difference): try report(difference, body)
        case .single(let box, let path, let isOther):
          var tree = isShown(path, isOther) ? try ComparedTree(isOther ? otherFile : file, box) : nil
          let contents = try tree?.outline(of: 0, atMost: Self.mostLines) ?? []
          try report(Self.difference(of: box, path, isOther, contents), body)
        case .compare(let pair):
          if try bytes.isSame(pair.box.range, pair.other.range) { continue }
          try compare(pair, body)
        }
      }
    }
    // Damage can leave bytes outside of boxes.
    guard count == 0, file.exclusions.isEmpty else { return }
    try body(
      BoxDifference(
        change: .bytes(at: prefix), path: BoxPath(), otherPath: BoxPath(), range: range, otherRange: otherRange))
  }

  private mutating func report(
    _ difference: BoxDifference, _ body: (BoxDifference) throws(IOError) -> Void
  ) throws(IOError) {
    count += 1
    try body(difference)
  }

  // MARK: Single boxes

  /// Whether the contents of a single box are reported.
  private mutating func isShown(_ path: BoxPath, _ isOther: Bool) -> Bool {
    let single = Single(path: path.description.withoutNumbers, isOther: isOther)
    singleCounts[single, default: 0] += 1
    return singleCounts[single, default: 0] <= Self.mostSingles
  }

  private static func difference(
    of box: Sibling, _ path: BoxPath, _ isOther: Bool, _ contents: [String]
  ) -> BoxDifference {
    BoxDifference(
      change: isOther ? .added : .removed, path: isOther ? nil : path, otherPath: isOther ? path : nil,
      range: isOther ? nil : box.range, otherRange: isOther ? box.range : nil, contents: contents)
  }

  // MARK: Trees

  /// Compares two boxes of the files with their contents, without recursion.
  private mutating func compare(
    _ pair: Pair, _ body: (BoxDifference) throws(IOError) -> Void
  ) throws(IOError) {
    var trees = Trees(tree: try ComparedTree(file, pair.box), other: try ComparedTree(otherFile, pair.other))
    func atTop(_ box: Sibling) -> Sibling { Sibling(box, place: 0) }
    var actions: [Action] = [
      .compare(
        Pair(box: atTop(pair.box), other: atTop(pair.other), path: pair.path, otherPath: pair.otherPath))
    ]
    while let action = actions.popLast() {
      switch action {
      case .report(let difference): try report(difference, body)
      case .single(let box, let path, let isOther):
        var contents: [String] = []
        if isShown(path, isOther) { contents = try trees.outline(of: box.place, isOther, atMost: Self.mostLines) }
        try report(Self.difference(of: box, path, isOther, contents), body)
      case .compare(let pair):
        if try bytes.isSame(pair.box.range, pair.other.range) { continue }
        for change in try changes(pair, &trees) { try report(difference(change, pair), body) }
        guard trees.areContainers(pair.box.place, pair.other.place) else { continue }
        let (boxes, others) = (
          try trees.tree.siblings(in: pair.box.place), try trees.other.siblings(in: pair.other.place)
        )
        let (start, otherStart) = trees.boxesStarts(pair.box.place, pair.other.place)
        let range = start..<max(start, pair.box.range.upperBound)
        let otherRange = otherStart..<max(otherStart, pair.other.range.upperBound)
        let prefix = try bytes.commonPrefix(range, otherRange)
        for step in try steps(boxes, others, in: range, otherRange, prefix: prefix).reversed() {
          actions += self.actions(step, boxes, others, pair.path, pair.otherPath).reversed()
        }
      }
    }
  }

  private func difference(_ change: BoxDifference.Change, _ pair: Pair) -> BoxDifference {
    BoxDifference(
      change: change, path: pair.path, otherPath: pair.otherPath, range: pair.box.range, otherRange: pair.other.range)
  }

  /// The differences of a box itself, without its child boxes.
  private mutating func changes(_ pair: Pair, _ trees: inout Trees) throws(IOError) -> [BoxDifference.Change] {
    let (node, other) = (trees.tree.nodes[pair.box.place], trees.other.nodes[pair.other.place])
    var changes = Self.headerChanges(node, other)
    let isContainer = trees.areContainers(pair.box.place, pair.other.place)
    let ends = trees.boxesStarts(pair.box.place, pair.other.place)
    func payload(_ node: BoxNode, _ box: Sibling, _ boxesStart: Int) -> Range<Int> {
      let start = node.isRemainder ? node.header.offset : node.header.payload.lowerBound
      return start..<max(start, min(box.range.upperBound, isContainer ? boxesStart : .max))
    }
    let (range, otherRange) = (payload(node, pair.box, ends.0), payload(other, pair.other, ends.1))
    let same = try bytes.commonPrefix(range, otherRange)
    if same == range.count, same == otherRange.count { return changes }
    let ignored = trees.tree.ignoredFields[pair.box.place] ?? []
    let otherIgnored = trees.other.ignoredFields[pair.other.place] ?? []
    if let fields = try trees.fieldChanges(pair.box.place, pair.other.place, ignored, otherIgnored) {
      changes += fields
      // Differences outside of fields, such as in reserved bits, are found here.
      if !fields.isEmpty || !ignored.isEmpty || !otherIgnored.isEmpty { return changes }
    }
    changes.append(.bytes(at: same))
    return changes
  }

  /// Differences of the headers: their form, or damage of one of the boxes.
  private static func headerChanges(_ node: BoxNode, _ other: BoxNode) -> [BoxDifference.Change] {
    if node.isRemainder || other.isRemainder { return [] }
    var changes: [BoxDifference.Change] = []
    let (header, otherHeader) = (node.header, other.header)
    if header.headerSize != otherHeader.headerSize {
      changes.append(
        .field("header_size", .unsigned(UInt64(header.headerSize)), .unsigned(UInt64(otherHeader.headerSize))))
    }
    if header.declaredSize != otherHeader.declaredSize, !header.isSizeRight || !otherHeader.isSizeRight {
      changes.append(.field("size", .unsigned(header.declaredSize), .unsigned(otherHeader.declaredSize)))
    }
    return changes
  }

  // MARK: Siblings

  /// Matches the child boxes of two containers, which are in these ranges and start with this number of equal bytes.
  private mutating func steps(
    _ boxes: [Sibling], _ others: [Sibling], in range: Range<Int>, _ otherRange: Range<Int>, prefix: Int
  ) throws(IOError) -> [SiblingMatching.Step] {
    // Skips equal boxes at both ends.
    let least = min(boxes.count, others.count)
    var start = 0
    while start < least {
      let (box, other) = (boxes[start].range, others[start].range)
      guard box.upperBound - range.lowerBound <= prefix, box.count == other.count,
        box.lowerBound - range.lowerBound == other.lowerBound - otherRange.lowerBound
      else { break }
      start += 1
    }
    let limit = min(
      range.upperBound - (start > 0 ? boxes[start - 1].range.upperBound : range.lowerBound),
      otherRange.upperBound - (start > 0 ? others[start - 1].range.upperBound : otherRange.lowerBound))
    let suffix = try bytes.commonSuffix(range, otherRange, limit: max(0, limit))
    var same = 0
    while same < least - start {
      let (box, other) = (boxes[boxes.count - 1 - same].range, others[others.count - 1 - same].range)
      guard range.upperBound - box.lowerBound <= suffix, box.count == other.count,
        range.upperBound - box.upperBound == otherRange.upperBound - other.upperBound
      else { break }
      same += 1
    }
    let (left, right) = (start..<(boxes.count - same), start..<(others.count - same))
    return try SiblingMatching(boxes, others, left, right, contents, otherContents).steps
  }

  /// The actions for a step, in the order of the report.
  private func actions(
    _ step: SiblingMatching.Step, _ boxes: [Sibling], _ others: [Sibling], _ path: BoxPath, _ otherPath: BoxPath
  ) -> [Action] {
    switch step {
    case .removed(let place): return [.single(boxes[place], boxes[place].path(in: path), isOther: false)]
    case .added(let place): return [.single(others[place], others[place].path(in: otherPath), isOther: true)]
    case .pair(let place, let otherPlace, let isMoved):
      let (box, other) = (boxes[place], others[otherPlace])
      let pair = Pair(box: box, other: other, path: box.path(in: path), otherPath: other.path(in: otherPath))
      if !isMoved { return [.compare(pair)] }
      let before = place > 0 ? boxes[place - 1].path(in: BoxPath()) : nil
      let otherBefore = otherPlace > 0 ? others[otherPlace - 1].path(in: BoxPath()) : nil
      return [.report(difference(.moved(after: before, otherAfter: otherBefore), pair)), .compare(pair)]
    }
  }
}

extension BoxComparisonRun.Trees {
  /// Whether two boxes have child boxes to compare.
  fileprivate func areContainers(_ place: Int, _ otherPlace: Int) -> Bool {
    tree.isContainer(place) && other.isContainer(otherPlace)
  }

  /// The contents of a box of one of the files.
  fileprivate mutating func outline(of place: Int, _ isOther: Bool, atMost count: Int) throws(IOError) -> [String] {
    try isOther ? other.outline(of: place, atMost: count) : tree.outline(of: place, atMost: count)
  }

  /// The offsets of the first child boxes of two boxes.
  fileprivate func boxesStarts(_ place: Int, _ otherPlace: Int) -> (Int, Int) {
    (tree.nodes[place].boxesStart, other.nodes[otherPlace].boxesStart)
  }

  /// The differences of the fields of two boxes; `nil` if they cannot be read.
  fileprivate mutating func fieldChanges(
    _ place: Int, _ otherPlace: Int, _ ignored: [String], _ otherIgnored: [String]
  ) throws(IOError) -> [BoxDifference.Change]? {
    let (fields, others) = (FieldRecorder(ignoring: ignored), FieldRecorder(ignoring: otherIgnored))
    guard let rest = try tree.show(place, to: fields), let otherRest = try other.show(otherPlace, to: others) else {
      return nil
    }
    var changes = try FieldDifferences(fields, others) { (rows, otherRows) throws(IOError) in
      let (fields, others) = (
        FieldRecorder(ignoring: ignored, rows: rows), FieldRecorder(ignoring: otherIgnored, rows: otherRows)
      )
      guard try tree.show(place, to: fields) != nil, try other.show(otherPlace, to: others) != nil else { return nil }
      return (fields, others)
    }.changes
    let (bytes, otherBytes) = (try tree.bytes(in: rest), try other.bytes(in: otherRest))
    if bytes != otherBytes {
      changes.append(.field("rest", bytes.isEmpty ? nil : .bytes(bytes), otherBytes.isEmpty ? nil : .bytes(otherBytes)))
    }
    return changes
  }
}

extension Sibling {
  /// Its path, given the path of its container; bytes that are not a box have no component of their own.
  fileprivate func path(in path: BoxPath) -> BoxPath { kind == -1 ? path : path.appending(type, index) }

  /// The same box at another place of a tree.
  fileprivate init(_ box: Sibling, place: Int) {
    (kind, id, range, index, type) = (box.kind, box.id, box.range, box.index, box.type)
    self.place = place
  }
}
