public import MP4Bytes

/// Reading of payloads.
extension BoxParser {
  /// The payload of a node, as far as it is present.
  public mutating func payload(of node: BoxNode) throws(IOError) -> ArraySlice<UInt8> {
    try window.slice(at: node.header.payload.lowerBound, count: min(node.header.payload.count, Self.payloadLimit))
  }

  /// The first `count` bytes of the payload of a node, or fewer if it is shorter.
  mutating func payloadStart(of node: BoxNode, count: Int) throws(IOError) -> ArraySlice<UInt8> {
    try window.slice(at: node.header.payload.lowerBound, count: min(node.header.payload.count, count))
  }

  /// The bytes of the source in `range`, as far as they exist.
  public mutating func bytes(in range: Range<Int>) throws(IOError) -> ArraySlice<UInt8> {
    range.isEmpty ? [] : try window.slice(at: range.lowerBound, count: range.count)
  }

  /// Runs the declaration of a node's fields into `sink`. Returns the bytes after the declared fields, or the error.
  package mutating func show(_ node: BoxNode, to sink: any FieldSink) throws(IOError) -> Result<Range<Int>, BoxError> {
    var node = node
    return try show(&node, to: sink)
  }

  /// As above; the node is passed without a copy.
  package mutating func show(_ node: inout BoxNode, to sink: any FieldSink) throws(IOError) -> Result<
    Range<Int>, BoxError
  > {
    let declaration: BoxDeclaration
    switch node.content {
    case .payload(let payload): declaration = payload
    case .boxes(let payload?): declaration = payload
    case .boxes(nil), .opaque, .remainder: return .success(0..<0)
    }
    let start = node.header.payload.lowerBound
    let holdsBoxes = if case .boxes = node.content { true } else { false }
    // Some layouts depend on the header of the first child box.
    let most = holdsBoxes ? node.boxesStart - start + 8 : Self.payloadLimit
    let bytes = try window.slice(at: start, count: min(node.header.payload.count, most))
    let end = holdsBoxes ? node.boxesStart : start + bytes.count
    do throws(BoxError) {
      let used = try declaration.show(
        bytes, at: start, context: node.context, registry: registry,
        bytesAfter: node.header.payload.count - bytes.count, to: sink)
      return .success(start + used..<max(start + used, end))
    } catch {
      guard node.header.payload.count > Self.payloadLimit else { return .failure(error) }
      return .failure(
        BoxError(.tooLargeToDecode(limit: Self.payloadLimit), field: "payload", offset: start))
    }
  }

  /// The bytes of a full box after version and flags, without child boxes; at most as many as are examined at a time.
  package func bytesAfterVersion(of node: BoxNode) -> Range<Int> {
    let start = node.header.payload.lowerBound
    let isContainer = if case .boxes = node.content { true } else { false }
    let end = isContainer ? node.boxesStart : start + min(node.header.payload.count, Self.payloadLimit)
    return min(start + 4, end)..<end
  }

  /// Decodes the payload of a node as `Payload`.
  public mutating func decode<Payload: BoxPayload>(_ node: BoxNode, as _: Payload.Type) throws(IOError)
    -> Result<Payload, BoxError>
  {
    let bytes = try payload(of: node)
    do throws(BoxError) {
      return .success(try Payload(decoding: bytes, at: node.header.payload.lowerBound, context: node.context))
    } catch {
      return .failure(error)
    }
  }

  /// Decodes the fields of a node as the registry declares them, and the bytes after them; `nil` if it has no fields.
  package mutating func decode(_ node: BoxNode) throws(IOError) -> Result<
    (fields: any BoxPayload, rest: ArraySlice<UInt8>), BoxError
  >? {
    let declaration: BoxDeclaration
    var count = min(node.header.payload.count, Self.payloadLimit)
    switch node.content {
    case .payload(let payload): declaration = payload
    case .boxes(let payload?):
      declaration = payload
      count = min(count, node.boxesStart - node.header.payload.lowerBound)
    case .boxes(nil), .opaque, .remainder: return nil
    }
    // Some layouts depend on the header of the first child box.
    let most = if case .boxes = node.content { count + 8 } else { count }
    let start = node.header.payload.lowerBound
    let bytes = try window.slice(at: start, count: min(node.header.payload.count, most))
    let after = node.header.payload.count - bytes.count
    do throws(BoxError) {
      let (fields, rest) = try declaration.blank.decoding(bytes, at: start, node.context, bytesAfter: after)
      return .success((fields, rest.prefix(max(0, rest.count - max(0, bytes.count - count)))))
    } catch {
      return .failure(error)
    }
  }
}

extension BoxPayload {
  fileprivate func decoding(_ bytes: ArraySlice<UInt8>, at offset: Int, _ context: BoxContext, bytesAfter: Int)
    throws(BoxError) -> (any BoxPayload, ArraySlice<UInt8>)
  {
    var payload = self
    let rest = try payload.decode(bytes, at: offset, context: context, bytesAfter: bytesAfter)
    return (payload, rest)
  }
}
