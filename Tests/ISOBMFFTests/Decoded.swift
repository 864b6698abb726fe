import BoxCatalog
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Decodes a payload given in hex; it must use all bytes and be written back unchanged.
func decoded<Payload: BoxPayload>(
  _ hex: String, as type: Payload.Type = Payload.self, context: BoxContext = BoxContext(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> Payload {
  let bytes = hexBytes(Array(hex.utf8))
  var rest: ArraySlice<UInt8> = []
  let payload = try Payload(decoding: bytes[...], context: context, rest: &rest)
  #expect(rest.isEmpty, sourceLocation: sourceLocation)
  roundTrip(type, bytes, context: context, sourceLocation: sourceLocation)
  return payload
}

/// The same for a box that a definition declares. `parent` is its container.
func defined(
  _ type: FourCC, in parent: FourCC, _ hex: String, sourceLocation: SourceLocation = #_sourceLocation
) throws -> any BoxPayload {
  try defined(type, in: parent, hexBytes(Array(hex.utf8)), sourceLocation: sourceLocation)
}

/// The same for bytes.
func defined(
  _ type: FourCC, in parent: FourCC, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
) throws -> any BoxPayload {
  let context = BoxContext(parent: parent)
  let declaration = try #require(BoxRegistry.standard.definition(of: type, in: context)?.payload)
  let (payload, rest) = try #require(declaration.decoded(bytes[...], context: context))
  #expect(rest.isEmpty && declaration.type == nil, sourceLocation: sourceLocation)
  roundTrip(declaration, bytes, context: context, sourceLocation: sourceLocation)
  return payload
}

/// The fields that a box of this type shows for a payload given in hex.
func shown(_ type: String, _ hex: String, in context: BoxContext = BoxContext()) throws -> [String] {
  var parser = BoxParser(MemorySource(box(type, hexBytes(Array(hex.utf8)))), context: context, registry: .standard)
  let recorder = Recorder()
  let node = try #require(try parser.next())
  if case .failure(let problem) = try parser.show(node, to: recorder) { Issue.record("\(problem)") }
  return recorder.lines
}
