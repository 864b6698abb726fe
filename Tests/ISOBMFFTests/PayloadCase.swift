import Bytes
import ISOBMFF
import Support
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

  /// The empty payload, and the shortest one of zeros in every version up to 2 and with every flag.
  var empty: [any BoxPayload] {
    let payload = type.init()
    guard payload is any FullBoxPayload else { return [payload] }
    return [payload] + (0...2).flatMap { version in flagsToTry.compactMap { shortest(version: version, flags: $0) } }
  }

  private func shortest(version: UInt8, flags: UInt32) -> (any BoxPayload)? {
    let header = [version] + big(flags).suffix(3)
    return (0...200).lazy.compactMap { count in
      try? type.init(decoding: (header + zeros(count))[...])
    }.first
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
  do throws(BoxError) {
    let encoded = try payload.encoded(context: context, rest: Array(rest))
    let isSame = encoded + rest == bytes
    #expect(isSame, "\(payload) of \(bytes) is written as \(encoded)", sourceLocation: sourceLocation)
  } catch {
    Issue.record("\(payload) of \(bytes) is not written: \(error)", sourceLocation: sourceLocation)
  }
  return payload
}
