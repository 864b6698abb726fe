// The standard library's properties of these names need macOS 26 and iOS 26: an array of objects may be one of
// Foundation, which only the runtime of those systems can look into. No array here holds objects. These two hide the
// others where this module is imported.
extension Array {
  /// The elements, in place.
  @inlinable package var span: Span<Element> {
    @_lifetime(borrow self)
    get {
      let elements = unsafe withUnsafeBufferPointer { unsafe $0 }
      return unsafe _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
    }
  }

  /// The elements, to be changed in place.
  @inlinable package var mutableSpan: MutableSpan<Element> {
    @_lifetime(&self)
    mutating get {
      let elements = unsafe withUnsafeMutableBufferPointer { unsafe $0 }
      return unsafe _overrideLifetime(MutableSpan(_unsafeElements: elements), mutating: &self)
    }
  }
}
