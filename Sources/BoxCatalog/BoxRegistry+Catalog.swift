public import Bytes
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

extension BoxDump {
  /// A dump of what is selected of `source`, with every box that this package knows; `movie` is what a movie box elsewhere
  /// says of its fragments.
  public init(_ source: any ByteSource, _ selection: BoxSelection = BoxSelection(), movie: MovieContext? = nil) {
    self.init(source, selection, movie: movie, registry: .standard)
  }
}
