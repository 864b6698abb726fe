public import BoxCatalog
public import Bytes
public import ISOBMFF

/// The boxes of two files, matched as trees: which ones were added, removed or moved, and which fields changed.
///
/// Boxes that are the only ones of their type in their container belong together, tracks and track fragments those
/// with the same track ID, items those with the same ID; of others, those with the same content, and then the rest in
/// order. Fields are compared by name; boxes whose fields are not known, and media, as bytes. Without exclusions,
/// files have no differences exactly if all their bytes are the same.
public struct BoxComparison: Sendable {
  let (source, other): (any ByteSource, any ByteSource)
  let exclusions: BoxExclusions
  let registry: BoxRegistry

  /// Compares the boxes of `source` with those of `other`, but for what `exclusions` says. `registry` has the boxes
  /// that are known: every one of this package where it is not given.
  public init(
    _ source: any ByteSource, _ other: any ByteSource, ignoring exclusions: BoxExclusions = BoxExclusions(),
    registry: BoxRegistry = .standard
  ) {
    (self.source, self.other, self.exclusions, self.registry) = (source, other, exclusions, registry)
  }

  /// Calls `body` with each difference, in the order of the first file; boxes that were added come where they are in
  /// the other file.
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

  /// Writes a record for each difference, and returns how many there are.
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
