import Bytes

extension FieldCoder {
  /// A 32-bit field that is present if a previous flag is set.
  fileprivate mutating func optional(_ name: StaticText, _ value: inout UInt32?, _ isPresent: Bool)
    throws(BoxError)
  {
    guard includes(isPresent) else { return }
    var number = value ?? 0
    try uint32(name, &number)
    value = number
  }
}
