import Bytes

/// Fields that count the boxes after them.
protocol BoxCounting: BoxPayload {
  /// The number of boxes.
  var boxCount: Int { get set }
  /// The type of those that are counted; all where there is none.
  static var countedType: FourCC? { get }
}
extension BoxCounting {
  static var countedType: FourCC? { nil }
}
extension SampleDescriptionBox: BoxCounting {
  var boxCount: Int {
    get { Int(entryCount) }
    set { entryCount = UInt32(clamping: newValue) }
  }
}
extension DataReferenceBox: BoxCounting {
  var boxCount: Int {
    get { Int(entryCount) }
    set { entryCount = UInt32(clamping: newValue) }
  }
}
extension ItemInformationBox: BoxCounting {
  var boxCount: Int {
    get { Int(entryCount) }
    set { entryCount = UInt32(clamping: newValue) }
  }
}
extension ItemProtectionBox: BoxCounting {
  var boxCount: Int {
    get { Int(protectionCount) }
    set { protectionCount = UInt16(clamping: newValue) }
  }
}
extension FDItemInformationBox: BoxCounting {
  static var countedType: FourCC? { "paen" }
  var boxCount: Int {
    get { Int(entryCount) }
    set { entryCount = UInt16(clamping: newValue) }
  }
}
extension SonyProfileBox: BoxCounting {
  var boxCount: Int {
    get { Int(entryCount) }
    set { entryCount = UInt32(clamping: newValue) }
  }
}
