import ISOBMFF
public import MP4Bytes

extension BoxComparison {
  /// The exclusions that match no box and no field of the files, for example because of a typo.
  ///
  /// Boxes are read until all exclusions have matched.
  public func unusedExclusions() throws(IOError) -> [String] {
    var unused = exclusions.words
    for source in [source, other] where !unused.isEmpty { try remove(usedIn: source, &unused) }
    return unused.map(\.text)
  }

  private func remove(
    usedIn source: any ByteSource, _ unused: inout [(text: String, exclusions: BoxExclusions)]
  ) throws(IOError) {
    let movie = try MovieContext(reading: source)
    var parser = BoxParser(source, movie: movie, registry: registry)
    var filters = unused.map(\.exclusions.filter)
    while !unused.isEmpty, let node = try parser.next() {
      for place in filters.indices.reversed() {
        let choice = try filters[place].choice(of: node, &parser)
        let hasField = try Self.has(choice.fields, node, &parser)
        if choice.isIgnored || hasField {
          unused.remove(at: place)
          filters.remove(at: place)
        }
      }
    }
  }

  /// Whether a box has any of these fields.
  private static func has(
    _ fields: [String], _ node: BoxNode, _ parser: inout BoxParser
  ) throws(IOError) -> Bool {
    if fields.isEmpty { return false }
    switch node.content {
    case .boxes(nil), .opaque, .remainder: return false
    case .payload, .boxes:
      let recorder = FieldRecorder(ignoring: fields)
      _ = try parser.show(node, to: recorder)
      return recorder.hasIgnored
    }
  }
}
