// The standard library's properties with these names require macOS 26 and iOS 26: an array of objects may be a
// Foundation array, which only the runtime of those systems can access. No array in this package holds objects. These
// two properties hide the others where this module is imported.
extension Array {
  /// The elements, accessed in place.
  @inlinable package var span: Span<Element> {
    @_lifetime(borrow self)
    get {
      let elements = unsafe withUnsafeBufferPointer { unsafe $0 }
      return unsafe _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
    }
  }

  /// The elements, for changes in place.
  @inlinable package var mutableSpan: MutableSpan<Element> {
    @_lifetime(&self)
    mutating get {
      let elements = unsafe withUnsafeMutableBufferPointer { unsafe $0 }
      return unsafe _overrideLifetime(MutableSpan(_unsafeElements: elements), mutating: &self)
    }
  }
}
