public import BoxCatalog
public import ISOBMFF
public import MP4Bytes
public import MP4Records

/// Compares the boxes of two files as trees: added, removed and moved boxes, and changed fields.
///
/// Boxes that are the only ones of their type in their container are matched with each other, tracks and track
/// fragments by track ID, and items by item ID; other boxes by content, and then in order. Fields are compared by name;
/// boxes with unknown fields, and media, as bytes. Without exclusions, files have no differences exactly if all their
/// bytes are equal.
public struct BoxComparison: Sendable {
  let (source, other): (any ByteSource, any ByteSource)
  let exclusions: BoxExclusions
  let registry: BoxRegistry

  /// Compares the boxes of `source` with those of `other`, except for `exclusions`. `registry` has the known boxes; by
  /// default, all boxes of this package.
  public init(
    _ source: any ByteSource, _ other: any ByteSource, ignoring exclusions: BoxExclusions = BoxExclusions(),
    registry: BoxRegistry = .standard
  ) {
    (self.source, self.other, self.exclusions, self.registry) = (source, other, exclusions, registry)
  }

  /// Calls `body` with each difference, in the order of the first file. Added boxes are reported at their place in the
  /// other file.
  public func forEach(_ body: (BoxDifference) throws(IOError) -> Void) throws(IOError) {
    let (file, otherFile) = (
      try ComparedFile(source, registry, exclusions), try ComparedFile(other, registry, exclusions)
    )
    var run = try BoxComparisonRun(file, otherFile)
    if !run.isSame { try run.compare(body) }
  }

  /// All differences.
  public func differences() throws(IOError) -> [BoxDifference] {
    var differences: [BoxDifference] = []
    try forEach { (difference) throws(IOError) in differences.append(difference) }
    return differences
  }

  /// Writes a record for each difference, and returns their number.
  public func write(_ format: RecordFormat, to sink: any ByteSink) throws(IOError) -> Int {
    var output = RecordOutput<BoxDifference>(format, to: sink)
    var count = 0
    try forEach { (difference) throws(IOError) in
      count += 1
      try output.write(difference)
    }
    try output.finish()
    return count
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  public static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(BoxDifference.schema).write(to: sink)
  }

  /// The names of both files.
  var names: (String, String) { (source.name, other.name) }
}

extension BoxComparison {
  /// Writes the differences like a unified diff, with a line for the path of each box. If boxes of the same kind have
  /// the same difference, the first ten are written and the others are counted. Returns the number of differences.
  public func writeText(to sink: any ByteSink, isColoured: Bool = false) throws(IOError) -> Int {
    var printer = DifferencePrinter(sink, names, isColoured: isColoured)
    try forEach { (difference) throws(IOError) in try printer.print(difference) }
    return try printer.finish()
  }
}

/// Prints differences as text.
private struct DifferencePrinter: ~Copyable {
  private var out: TextBuffer
  private let names: (String, String)
  private let isColoured: Bool
  /// The box whose path was printed last.
  private var box: BoxPath?
  private var count = 0
  /// The kinds of differences, in their order.
  private var kinds: [Kind] = []
  private var kindNumbers: [String: Int] = [:]
  /// The maximum number of boxes for which differences of a kind are printed.
  private static let limit = 10

  /// Differences that only differ in the numbers in their paths.
  private struct Kind {
    let sentence: String
    var boxes = 0
    var lastBox: BoxPath?
    /// The number of differences that were not printed.
    var more = 0
  }

  private enum Colour {
    case none, bold, box, removed, added

    var code: StaticText {
      switch self {
      case .none: "\u{1b}[0m"
      case .bold: "\u{1b}[1m"
      case .box: "\u{1b}[1;36m"
      case .removed: "\u{1b}[31m"
      case .added: "\u{1b}[32m"
      }
    }
  }

  init(_ sink: any ByteSink, _ names: (String, String), isColoured: Bool) {
    (self.names, self.isColoured) = (names, isColoured)
    out = TextBuffer(sink)
  }

  mutating func print(_ difference: BoxDifference) throws(IOError) {
    count += 1
    if count == 1 {
      line("--- \(names.0)", .bold)
      line("+++ \(names.1)", .bold)
    }
    if !isListed(difference) { return }
    if difference.path != nil, difference.otherPath != nil {
      if box != difference.path { line(path(of: difference), .box) }
      box = difference.path
    } else {
      box = nil
    }
    for line in difference.lines {
      let colour: Colour = line.sign == "-" ? .removed : line.sign == "+" ? .added : .none
      self.line("\(line.sign)\(line.text)", colour)
    }
    if let failure = out.failure { throw failure }
  }

  /// Whether a difference is printed and not only counted.
  private mutating func isListed(_ difference: BoxDifference) -> Bool {
    let name = difference.generalName
    let number = kindNumbers[name] ?? kinds.count
    if number == kinds.count {
      kindNumbers[name] = number
      kinds.append(Kind(sentence: difference.generalSentence))
    }
    if kinds[number].boxes == 0 || kinds[number].lastBox != difference.anyPath {
      kinds[number].boxes += 1
      kinds[number].lastBox = difference.anyPath
    }
    let isListed = kinds[number].boxes <= Self.limit
    if !isListed { kinds[number].more += 1 }
    return isListed
  }

  /// Prints the number of omitted differences, and returns the total number.
  consuming func finish() throws(IOError) -> Int {
    for kind in kinds where kind.more > 0 {
      line(" \(counted(kind.more, "more difference")): \(kind.sentence)", .none)
    }
    out.drain()
    if let failure = out.failure { throw failure }
    return count
  }

  private func path(of difference: BoxDifference) -> String {
    let (path, otherPath) = (difference.anyPath.description, difference.otherPath?.description ?? "")
    let name = path.isEmpty ? "the file" : path
    return path == otherPath ? name : "\(name) (\(otherPath) in \(names.1))"
  }

  private mutating func line(_ text: String, _ colour: Colour) {
    let isPlain = !isColoured || colour == .none
    if !isPlain { out.literal(colour.code) }
    out.text(text)
    if !isPlain { out.literal(Colour.none.code) }
    out.endLine()
  }
}

extension BoxDifference {
  /// The properties that all differences of its kind share.
  fileprivate var generalName: String { "\(kind) \(generalSentence)" }

  /// A sentence for all differences of its kind, in boxes with other numbers.
  fileprivate var generalSentence: String {
    let path = anyPath.description.withoutNumbers
    if let field { return "\(field.withoutNumbers) of \(path)" }
    return kind == "bytes" ? "bytes of \(path)" : "\(path) \(kind)"
  }
}
