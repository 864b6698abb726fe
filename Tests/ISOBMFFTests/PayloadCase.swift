import BoxCatalog
import ISOBMFF
import MP4Bytes
import Support
import Testing

/// A payload of the registry as a test argument.
struct PayloadCase: Sendable, CustomTestStringConvertible {
  let info: BoxInfo
  let declaration: BoxDeclaration
  var testDescription: String { "\(info.type)" }
  /// The empty payload, and the shortest payloads of zeros for every version up to 2 and every flag.
  let empty: [any BoxPayload]
  /// The Swift type that declares the fields, if there is one.
  var type: (any BoxPayload.Type)? { declaration.type }

  init(_ info: BoxInfo, _ declaration: BoxDeclaration) {
    (self.info, self.declaration) = (info, declaration)
    empty = Self.empty(declaration)
  }
  init(type: any BoxPayload.Type) { self.init(type.info, BoxDeclaration(type)) }

  /// Every payload once, even if several box types share it.
  static let all: [PayloadCase] = {
    var seen: Set<ObjectIdentifier> = []
    return BoxRegistry.standard.all.compactMap { definition in
      guard let declaration = definition.payload else { return nil }
      let identity =
        declaration.type.map { ObjectIdentifier($0) } ?? declaration.definition.map { ObjectIdentifier($0) }
      guard let identity, seen.insert(identity).inserted else { return nil }
      // Definitions are parsed only once, because tests use them often.
      let prepared = declaration.definition.map { BoxDeclaration($0.prepared) }
      return PayloadCase(declaration.type?.info ?? definition.info, prepared ?? declaration)
    }
  }()
  /// The payloads that a Swift type declares.
  static let types = all.filter { $0.type != nil }

  private static func empty(_ declaration: BoxDeclaration) -> [any BoxPayload] {
    let payload = declaration.blank
    guard declaration.isFullBox else { return [payload] }
    return [payload]
      + (0...2).flatMap { version in
        flagsToTry.compactMap { shortest(declaration, version: version, flags: $0) }
      }
  }

  private static func shortest(
    _ declaration: BoxDeclaration, version: UInt8, flags: UInt32
  ) -> (any BoxPayload)? {
    let header = [version] + big(flags).suffix(3)
    return (0...200).lazy.compactMap { count in
      declaration.decoded((header + zeros(count))[...], context: BoxContext())?.payload
    }.first
  }
}

extension BoxPayload {
  /// The version and flags of a full box.
  var fullHeader: FullBoxHeader? {
    (self as? any FullBoxPayload)?.header
      ?? (self as? any DefinedPayload).flatMap { $0.versions == nil ? nil : $0.header }
  }
}

/// No flags, each flag alone, and all flags.
let flagsToTry: [UInt32] = [0] + (0..<24).map { 1 << $0 } + [0xff_ffff]

/// Decodes, and checks that encoding gives the same bytes. Returns `nil` for damage.
@discardableResult
func roundTrip(
  _ type: any BoxPayload.Type, _ bytes: [UInt8], context: BoxContext = BoxContext(),
  sourceLocation: SourceLocation = #_sourceLocation
) -> (any BoxPayload)? {
  roundTrip(BoxDeclaration(type), bytes, context: context, sourceLocation: sourceLocation)
}

/// The same for a Swift type or a definition.
@discardableResult
func roundTrip(
  _ declaration: BoxDeclaration, _ bytes: [UInt8], context: BoxContext = BoxContext(),
  sourceLocation: SourceLocation = #_sourceLocation
) -> (any BoxPayload)? {
  guard let (payload, rest) = declaration.decoded(bytes[...], context: context) else { return nil }
  do throws(BoxError) {
    let encoded = try payload.encoded(context: context, rest: Array(rest))
    let isSame = encoded + rest == bytes
    #expect(isSame, "\(payload) of \(bytes) is written as \(encoded)", sourceLocation: sourceLocation)
  } catch {
    Issue.record("\(payload) of \(bytes) is not written: \(error)", sourceLocation: sourceLocation)
  }
  return payload
}
