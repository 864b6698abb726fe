import ISOBMFF
import Testing

/// A payload type of the registry as the argument of a test.
struct PayloadCase: Sendable, CustomTestStringConvertible {
  let type: any BoxPayload.Type
  var testDescription: String { "\(type.info.type)" }

  /// Every payload type once, though several box types may share it.
  static let all: [PayloadCase] = {
    var seen: Set<ObjectIdentifier> = []
    return BoxRegistry.standard.all.compactMap { definition in
      guard let type = definition.payload, seen.insert(ObjectIdentifier(type)).inserted else { return nil }
      return PayloadCase(type: type)
    }
  }()

  /// The empty payload in every version up to 2 and with every flag, as far as the box has them.
  var empty: [any BoxPayload] {
    let payload = type.init()
    guard var full = payload as? any FullBoxPayload else { return [payload] }
    var all: [any BoxPayload] = [payload]
    for version: UInt8 in 0...2 {
      for flags in flagsToTry {
        full.header = FullBoxHeader(version: version, flags: flags)
        all.append(full)
      }
    }
    return all
  }
}

/// No flag, each alone, and all of them.
let flagsToTry: [UInt32] = [0] + (0..<24).map { 1 << $0 } + [0xff_ffff]

/// Decodes, and checks that what was decoded is written as the same bytes. Returns `nil` for damage.
@discardableResult
func roundTrip(
  _ type: any BoxPayload.Type, _ bytes: [UInt8], context: BoxContext = BoxContext(),
  sourceLocation: SourceLocation = #_sourceLocation
) -> (any BoxPayload)? {
  var rest: ArraySlice<UInt8> = []
  guard let payload = try? type.init(decoding: bytes[...], context: context, rest: &rest) else { return nil }
  let encoded = try? payload.encoded(context: context)
  let isSame = encoded.map { $0 + rest == bytes } ?? false
  #expect(isSame, "\(payload) of \(bytes) is written as \(encoded ?? [])", sourceLocation: sourceLocation)
  let size = try? payload.encodedSize(context: context)
  #expect(size == encoded?.count, sourceLocation: sourceLocation)
  return payload
}
