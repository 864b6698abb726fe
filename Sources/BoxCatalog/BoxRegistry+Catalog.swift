import Bytes
public import ISOBMFF

extension BoxRegistry {
  /// Every box that this package knows: those that it works with, and those that it only shows.
  public static let standard = BoxRegistry(coreBoxes + catalog.flatMap(definitions))

  private static func definitions(in text: StaticText) -> [BoxDefinition] {
    // That there are no mistakes in it is for the tests to find.
    DefinitionText(text).entries.map(\.definition)
  }
}
