// Binary search.

extension Range<Int> {
  /// The first number for which `isAfter` is true, or the upper bound. It must be true for all later numbers too.
  @inlinable package func partition(_ isAfter: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isAfter(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Array {
  /// The first index for which `isAfter` is true, or the end. It must be true for all later elements too.
  @inlinable package func partition(_ isAfter: (Element) -> Bool) -> Int { indices.partition { isAfter(self[$0]) } }
}
