package import MP4Bytes

/// The definition of one box type in one container.
package struct BoxDefinition: Sendable {
  /// The type, name, containers and clause.
  package var info: BoxInfo
  /// The declaration of the fields; `nil` if the box only contains other boxes, or bytes that are not read.
  package var payload: BoxDeclaration?
  /// Whether the box contains boxes, after its fields if it has any.
  package var holdsBoxes: Bool
  /// The definitions in the same containers that it replaces.
  package var replaced: [BoxInfo] = []
  /// Whether the type is not declared, and the definition is guessed from its container. Boxes may then not follow.
  package var isGuess = false

  /// A box with fields.
  init(_ payload: any BoxPayload.Type) {
    self.init(payload.info, as: payload)
  }
  /// A box of another type with the same fields as `payload`.
  init(_ info: BoxInfo, as payload: any BoxPayload.Type) {
    self.init(info, BoxDeclaration(payload))
  }
  /// A box with these fields.
  package init(_ info: BoxInfo, _ payload: BoxDeclaration) {
    self.info = info
    self.payload = payload
    holdsBoxes = payload.holdsBoxes
  }
  /// A box without fields.
  package init(_ info: BoxInfo, holdsBoxes: Bool) {
    self.info = info
    self.holdsBoxes = holdsBoxes
  }
  /// A box that only contains boxes.
  static func container(_ type: FourCC, _ name: StaticText, in containers: [FourCC], _ clause: StaticText)
    -> BoxDefinition
  { BoxDefinition(BoxInfo(type, name, in: containers, clause), holdsBoxes: true) }
  /// A box whose contents are not read.
  static func opaque(_ type: FourCC, _ name: StaticText, in containers: [FourCC], _ clause: StaticText)
    -> BoxDefinition
  { BoxDefinition(BoxInfo(type, name, in: containers, clause), holdsBoxes: false) }
}

extension FourCC {
  /// The box with the descriptions of sample groups, which is the container of the declaration of such a description.
  package static let sampleGroups: FourCC = "sgpd"
}

/// The known box types and kinds of sample groups.
public struct BoxRegistry: Sendable {
  /// Shared by all copies, so that passing the registry to a coder costs nothing.
  private final class Contents: Sendable {
    let all: [BoxDefinition]
    let groups: [BoxDefinition]
    let index: FourCCIndex
    let isSameEverywhere: [Bool]

    init(_ definitions: [BoxDefinition]) {
      let all = definitions.filter { $0.info.containers != [.sampleGroups] }
      self.all = all
      groups = definitions.filter { $0.info.containers == [.sampleGroups] }
      let index = FourCCIndex(all.map(\.info.type))
      self.index = index
      isSameEverywhere = all.indices.map { index.next(after: $0) == nil && !BoxRegistry.isOnlyInside(all[$0]) }
    }
  }
  private let contents: Contents
  /// All definitions of boxes, by family. If one type is defined twice for a container, the first one applies.
  package var all: [BoxDefinition] { contents.all }
  /// The definitions of sample group descriptions, by grouping type.
  package var groups: [BoxDefinition] { contents.groups }
  var index: FourCCIndex { contents.index }

  /// The part of a definition that a parser needs. It is requested for every box, and copied without reference
  /// counting.
  struct Form {
    var payload: BoxDeclaration?
    var holdsBoxes: Bool
    var isGuess: Bool
  }

  /// The boxes that the libraries of this package use; `BoxCatalog` has all others.
  public static let core = BoxRegistry(coreBoxes)
  /// Their definitions.
  package static var coreBoxes: [BoxDefinition] { allBoxes }

  /// The box types that a named list of containers in the box language stands for.
  package static func places(named name: String) -> [FourCC]? {
    switch name {
    case "audio": SampleEntries.audioTypes
    case "visual": SampleEntries.visualTypes
    case "avc": SampleEntries.avc
    case "svc": SampleEntries.svc
    case "mvc": SampleEntries.mvc
    case "mvd": SampleEntries.mvd
    case "avc3D": SampleEntries.avc3D
    case "items": MetadataItems.types
    default: nil
    }
  }

  package init(_ definitions: [BoxDefinition]) { contents = Contents(definitions) }

  /// A registry that also knows these boxes. A type that is already known in the same container is replaced. A type
  /// whose only container is `sgpd` defines the descriptions of sample groups of this kind.
  ///
  /// ```swift
  /// var dump = BoxDump(source, registry: .standard.adding(NoteBox.self))
  /// let json = JSONSink(sink)
  /// let summary = try dump.run(to: json)  // or to a `TextSink`
  /// json.finish()
  /// ```
  public func adding(_ types: any BoxPayload.Type...) -> BoxRegistry { adding(types.map { BoxDefinition($0) }) }

  /// A registry that also has `definitions`, without those that they replace.
  package func adding(_ definitions: [BoxDefinition]) -> BoxRegistry {
    var (added, known) = (definitions, all + groups)
    for index in added.indices {
      added[index].payload?.isAdded = true
      let info = added[index].info
      known = known.compactMap { old in
        guard old.info.overlaps(info) else { return old }
        let left = Self.remainder(of: old, beside: info)
        if left?.info.containers != old.info.containers { added[index].replaced.append(old.info) }
        return left
      }
    }
    return BoxRegistry(added + known)
  }

  /// The remaining part of `old`, for the containers that the box `new` does not have.
  private static func remainder(of old: BoxDefinition, beside new: BoxInfo) -> BoxDefinition? {
    // A `uuid` box has the same definition everywhere.
    if new.type == "uuid" { return nil }
    if new.containers.isEmpty { return isOnlyInside(old) ? old : nil }
    if old.info.containers.isEmpty { return old }
    var left = old
    left.info.containers.removeAll { new.containers.contains($0) }
    return left.info.containers.isEmpty ? nil : left
  }

  /// The layouts of the boxes of this type, one for each definition.
  package func layouts(of type: FourCC) -> [BoxLayout] {
    (all + groups).filter { $0.info.type == type }.map { BoxLayout($0) }
  }

  /// The declaration of the descriptions of sample groups of this kind.
  package func group(_ groupingType: FourCC) -> BoxDeclaration? {
    groups.first { $0.info.type == groupingType }?.payload
  }

  /// How a box of this type is parsed in `context`; `nil` for an unknown type.
  func form(of type: FourCC, userType: UserType?, in context: BoxContext) -> Form? {
    if let place = placeOfSame(type, userType, context.parent) {
      return Form(payload: all[place].payload, holdsBoxes: all[place].holdsBoxes, isGuess: all[place].isGuess)
    }
    return definition(of: type, userType: userType, in: context).map {
      Form(payload: $0.payload, holdsBoxes: $0.holdsBoxes, isGuess: $0.isGuess)
    }
  }

  /// The place of the only definition of a type, if it applies in all containers that can be this one.
  private func placeOfSame(_ type: FourCC, _ userType: UserType?, _ parent: FourCC) -> Int? {
    guard userType == nil, parent != "stsd", parent != "iref", let place = index.first(type) else { return nil }
    return contents.isSameEverywhere[place] ? place : nil
  }

  /// The definition of a box of this type in `context`; `nil` if it is unknown.
  ///
  /// A definition that names the parent takes precedence. Sample entries are only known in `stsd`, where an undeclared
  /// type is interpreted by the handler of the track; references and metadata items are also known only in their
  /// containers. Any other box is known wherever it occurs. A `uuid` box is identified by its user type.
  package func definition(of type: FourCC, userType: UserType? = nil, in context: BoxContext) -> BoxDefinition? {
    if let place = placeOfSame(type, userType, context.parent) { return all[place] }
    var candidates: [BoxDefinition] = []
    var place = index.first(type)
    while let at = place {
      candidates.append(all[at])
      place = index.next(after: at)
    }
    if type == "uuid" { return candidates.first { $0.info.userType == userType } }
    let exact = candidates.filter { $0.info.containers.contains(context.parent) }
    // `raw ` is a sample entry of both video and audio.
    if exact.count > 1, let match = exact.first(where: { $0.payload?.type?.info.type == context.handler }) {
      return match
    }
    if let first = exact.first { return first }
    switch context.parent {
    case "stsd" where type == "free" || type == "skip": return candidates.first
    case "stsd": return SampleEntries.generic(type, handler: context.handler)
    case "iref": return ItemRelations.reference(type)
    case "ilst" where candidates.allSatisfy(Self.isOnlyInside): return MetadataItems.generic(type)
    case "grpl" where candidates.isEmpty: return ItemRelations.group(type)
    // The boxes in the `keys` of timed metadata have numbers as types.
    case "keys" where type.rawValue < 0x100_0000:
      return .container(type, "Metadata Key", in: ["keys"], "QuickTime File Format, Timed metadata")
    default: return candidates.first { !Self.isOnlyInside($0) }
    }
  }

  /// Whether the type is only defined in its declared containers. In these boxes, a type can have another meaning than
  /// elsewhere.
  private static func isOnlyInside(_ definition: BoxDefinition) -> Bool {
    guard definition.info.containers.count == 1, let parent = definition.info.containers.first else { return false }
    return ["stsd", "tref", "iref", "ilst", "----"].contains(parent)
  }
}
