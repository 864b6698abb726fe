public import BoxCatalog
public import Bytes
public import ISOBMFF

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
