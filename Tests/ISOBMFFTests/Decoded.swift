import BoxCatalog
import Bytes
import FileIO
import ISOBMFF
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

/// The fields that a box of this type shows for a payload given in hex.
func shown(_ type: String, _ hex: String, in context: BoxContext = BoxContext()) throws -> [String] {
  var parser = BoxParser(MemorySource(box(type, hexBytes(Array(hex.utf8)))), context: context, registry: .standard)
  let recorder = Recorder()
  let node = try #require(try parser.next())
  if case .failure(let problem) = try parser.show(node, to: recorder) { Issue.record("\(problem)") }
  return recorder.lines
}
