import Bytes
public import ISOBMFF

extension BoxRegistry {
  /// All boxes that this package knows: those that it uses, and those that it only shows.
  public static let standard = BoxRegistry(coreBoxes + catalog.flatMap(definitions))

  private static func definitions(in text: StaticText) -> [BoxDefinition] {
    // The tests make sure that the catalog has no mistakes.
    DefinitionText(text).entries.map(\.definition)
  }
}
