public import ISOBMFF
import MP4Bytes

extension BoxRegistry {
  /// All boxes that this package knows: those that it uses, and those that it only shows.
  public static let standard: BoxRegistry = {
    var definitions = coreBoxes
    definitions.reserveCapacity(2 * definitions.count)
    // The tests make sure that the catalog has no mistakes.
    for text in catalog { for entry in DefinitionText(text).entries { definitions.append(entry.definition) } }
    return BoxRegistry(definitions)
  }()
}
