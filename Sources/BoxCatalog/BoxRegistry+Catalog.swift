import Bytes
public import ISOBMFF

extension BoxRegistry {
  /// Every box that this package knows: those that it works with, and those that it only shows.
  public static let standard = BoxRegistry(coreBoxes + catalog.flatMap(definitions))

  private static func definitions(in text: StaticText) -> [BoxDefinition] {
    do throws(DefinitionError) { return try DefinitionText(text).entries.map(\.definition) } catch {
      preconditionFailure("the catalogue is damaged: \(error)")
    }
  }
}
