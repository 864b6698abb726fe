import Bytes

extension FieldCoder {
  /// A field of 32 bits that is there when a flag before it says so.
  fileprivate mutating func optional(_ name: StaticText, _ value: inout UInt32?, _ isPresent: Bool)
    throws(BoxError)
  {
    guard includes(isPresent) else { return }
    var number = value ?? 0
    try uint32(name, &number)
    value = number
  }
}
