import MP4Bytes

/// A payload with a field that contains the number of boxes after it.
protocol BoxCounting: BoxPayload {
  associatedtype Count: FixedWidthInteger
  /// The field with the number of boxes.
  static var countField: WritableKeyPath<Self, Count> { get }
  /// The type of the counted boxes; `nil` if all boxes are counted.
  static var countedType: FourCC? { get }
}
extension BoxCounting {
  static var countedType: FourCC? { nil }
  /// The number of boxes.
  var boxCount: Int {
    get { Int(self[keyPath: Self.countField]) }
    set { self[keyPath: Self.countField] = Count(clamping: newValue) }
  }
}

extension SampleDescriptionBox: BoxCounting {
  static var countField: WritableKeyPath<Self, UInt32> { \.entryCount }
}
extension DataReferenceBox: BoxCounting {
  static var countField: WritableKeyPath<Self, UInt32> { \.entryCount }
}
extension ItemInformationBox: BoxCounting {
  static var countField: WritableKeyPath<Self, UInt32> { \.entryCount }
}
extension ItemProtectionBox: BoxCounting {
  static var countField: WritableKeyPath<Self, UInt16> { \.protectionCount }
}
extension FDItemInformationBox: BoxCounting {
  static var countField: WritableKeyPath<Self, UInt16> { \.entryCount }
  static var countedType: FourCC? { "paen" }
}
extension SonyProfileBox: BoxCounting {
  static var countField: WritableKeyPath<Self, UInt32> { \.entryCount }
}

extension BoxPayload {
  /// The number of boxes after the fields that these declare; `nil` if they do not count boxes.
  package var declaredBoxCount: Int? { (self as? any BoxCounting)?.boxCount }
}
