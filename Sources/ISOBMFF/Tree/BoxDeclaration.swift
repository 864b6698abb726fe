import MP4Bytes

/// The declaration of the fields of a box, as a Swift type or in the box language.
public struct BoxDeclaration: Sendable {
  private enum Form: Sendable {
    case type(any BoxPayload.Type)
    case definition(any FieldDefinition)
  }
  private let form: Form
  /// Whether it was added to the definitions of this package, so that only its own fields describe the box.
  package var isAdded = false

  /// The fields of `type`.
  package init(_ type: any BoxPayload.Type) { form = .type(type) }
  /// The fields that `definition` lists.
  package init(_ definition: any FieldDefinition) { form = .definition(definition) }

  /// The Swift type, if it is one.
  public var type: (any BoxPayload.Type)? {
    // If this expression is inlined, the optimizer of Swift 6.3 crashes.
    @inline(never) get {
      if case .type(let type) = form { type } else { nil }
    }
  }
  /// The box language definition, if it is one.
  package var definition: (any FieldDefinition)? {
    @inline(never) get {
      if case .definition(let definition) = form { definition } else { nil }
    }
  }

  /// Whether the box starts with a version and flags.
  package var isFullBox: Bool {
    switch form {
    case .type(let type): type is any FullBoxPayload.Type
    case .definition(let definition): definition.isFullBox
    }
  }
  /// Whether boxes follow the fields.
  package var holdsBoxes: Bool {
    switch form {
    case .type(let type): type.holdsBoxes
    case .definition(let definition): definition.holdsBoxes
    }
  }
  /// An empty payload.
  package var blank: any BoxPayload {
    switch form {
    case .type(let type): type.init()
    case .definition(let definition): definition.blank
    }
  }

  /// Decodes the fields, and returns the bytes after them; `nil` if the fields are damaged.
  package func decoded(_ bytes: ArraySlice<UInt8>, context: BoxContext)
    -> (payload: any BoxPayload, rest: ArraySlice<UInt8>)?
  {
    blank.decoded(bytes, context)
  }

  /// Codes the fields of a temporary payload: to show or describe it, or to find the bytes after it.
  func code(_ c: inout FieldCoder) throws(BoxError) {
    switch form {
    case .type(let type): try type.code(&c)
    case .definition(let definition): try definition.code(&c)
    }
  }

  /// The start of the boxes after the fields, relative to the start of the payload; `nil` if the fields are damaged.
  /// `bytesAfter` is the number of bytes of the box after `bytes`.
  func boxesStart(_ bytes: ArraySlice<UInt8>, context: BoxContext, bytesAfter: Int = 0) -> Int? {
    var coder = FieldCoder(reading: bytes, base: 0, context: context, sink: nil, bytesAfter: bytesAfter)
    do throws(BoxError) { try code(&coder) } catch { return nil }
    return coder.boxesStart ?? coder.reader.position
  }

  /// Reads the fields into a sink and returns their size in bytes.
  func show(
    _ bytes: ArraySlice<UInt8>, at offset: Int, context: BoxContext, registry: BoxRegistry, bytesAfter: Int = 0,
    to sink: any FieldSink
  ) throws(BoxError) -> Int {
    var coder = FieldCoder(reading: bytes, base: offset, context: context, sink: sink, bytesAfter: bytesAfter)
    coder.registry = registry
    try code(&coder)
    if let damage = coder.damage { throw damage }
    return coder.reader.position
  }

  /// The fields of a box with this version and these flags, determined by running the declaration.
  package func describe(version: UInt8 = 0, flags: UInt32 = 0) -> [FieldDescription] {
    var coder = FieldCoder(.describe)
    coder.header = FullBoxHeader(version: version, flags: flags)
    // The description ends at a field that depends on a value.
    do throws(BoxError) { try code(&coder) } catch {}
    return coder.described
  }
}

/// The fields of a box according to a definition in the box language.
package protocol FieldDefinition: AnyObject, Sendable {
  /// Whether the box starts with a version and flags.
  var isFullBox: Bool { get }
  /// Whether boxes follow the fields.
  var holdsBoxes: Bool { get }
  /// An empty payload.
  var blank: any BoxPayload { get }
  /// The definition in an optimized form. Code that reads many boxes requests it once.
  var prepared: any FieldDefinition { get }
  /// Codes the fields of a temporary payload.
  func code(_ c: inout FieldCoder) throws(BoxError)
}

/// A payload whose fields are given by a definition, not by its type.
package protocol DefinedPayload: BoxPayload {
  /// The version and flags of a full box.
  var header: FullBoxHeader { get set }
  /// The versions of the definition; `nil` if the box has no version.
  var versions: ClosedRange<UInt8>? { get }
}

extension BoxPayload {
  fileprivate func decoded(_ bytes: ArraySlice<UInt8>, _ context: BoxContext)
    -> (payload: any BoxPayload, rest: ArraySlice<UInt8>)?
  {
    var payload = self
    do throws(BoxError) {
      let rest = try payload.decode(bytes, context: context)
      return (payload, rest)
    } catch {
      return nil
    }
  }

  fileprivate static func code(_ c: inout FieldCoder) throws(BoxError) {
    var payload = Self()
    try payload.fields(&c)
  }
}
