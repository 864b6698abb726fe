/// The declaration of an attribute: its name, the form of its value, whether it is required, and what a missing one
/// means. It gives the property of the tag, what the parser refuses, and what the rules report.
public final class AttributeSyntax<Value: Hashable & Sendable>: DeclaredAttribute {
  let name: String
  let form: any AttributeCheck
  let isRequired: Bool
  let get: @Sendable (AttributeList) -> Value
  let set: @Sendable (inout AttributeList, Value) -> Void

  /// An attribute that is `nil` if it is missing or malformed.
  init<Present>(_ name: String, _ form: AttributeForm<Present>, required: Bool = false) where Value == Present? {
    (self.name, self.form, isRequired) = (name, form, required)
    get = { $0[name, form] }
    set = { $0[name, form] = $1 }
  }
  /// An attribute with a value even if it is missing or malformed.
  init(_ name: String, _ form: AttributeForm<Value>, required: Bool = false, missing: Value) {
    (self.name, self.form, isRequired) = (name, form, required)
    get = { $0[name, form] ?? missing }
    set = { $0[name, form] = $1 }
  }
}

/// A declaration of an attribute, regardless of the type of its value.
protocol DeclaredAttribute: AnyObject, Sendable {
  var name: String { get }
  var form: any AttributeCheck { get }
  var isRequired: Bool { get }
}

/// The attributes of a tag. Each is declared once, as a stored property.
public protocol AttributeTable: Sendable {}

extension AttributeTable {
  /// The declarations in order, with those of tables that are properties of this one.
  var declarations: [any DeclaredAttribute] {
    Mirror(reflecting: self).children.flatMap { child in
      (child.value as? any AttributeTable)?.declarations ?? [child.value as? any DeclaredAttribute].compactMap(\.self)
    }
  }
}

/// A typed view of the attributes of one tag. The declarations in its table are also its properties: `key.uri` of an
/// ``EncryptionKey`` reads and changes the attribute that `uri` of ``EncryptionKey/Table`` declares.
@dynamicMemberLookup
public protocol AttributeView: Hashable, Sendable {
  associatedtype Table: AttributeTable
  /// The attributes that the standard defines for the tag.
  static var table: Table { get }
  /// The attributes of this tag, known and unknown.
  var attributes: AttributeList { get set }
  /// A tag without attributes.
  init()
}

extension AttributeView {
  /// The view of some attributes.
  public init(attributes: AttributeList) {
    self.init()
    self.attributes = attributes
  }
  /// The value of an attribute in the table.
  public subscript<Value>(dynamicMember attribute: KeyPath<Table, AttributeSyntax<Value>>) -> Value {
    // Where it is inlined, the compiler replaces the key path with the stored property.
    @inline(__always) get { Self.table[keyPath: attribute].get(attributes) }
    set { Self.table[keyPath: attribute].set(&attributes, newValue) }
  }
}

extension TagName {
  /// The attributes that the standard defines for the tag.
  var attributes: [any DeclaredAttribute] { TagName.declarations[self] ?? [] }

  private static let declarations: [TagName: [any DeclaredAttribute]] = {
    let views: [TagName: any AttributeView.Type] = [
      .define: VariableDefinition.self, .start: StartPoint.self, .partInformation: PartInformation.self,
      .serverControl: ServerControl.self, .skip: SkippedSegments.self, .key: EncryptionKey.self,
      .map: InitializationSection.self, .part: PartialSegment.self, .dateRange: DateRange.self,
      .preloadHint: PreloadHint.self, .renditionReport: RenditionReport.self, .contentSteering: ContentSteering.self,
      .sessionData: SessionData.self, .sessionKey: EncryptionKey.self, .rendition: Rendition.self,
      .variant: Variant.self, .iFrameVariant: IFrameVariant.self,
    ]
    return views.mapValues { ($0.table as any AttributeTable).declarations }
  }()
}
