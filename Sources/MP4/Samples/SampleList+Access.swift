/// Which sample it is at a time, found without going through all of them.
extension SampleList {
  /// The sample that is being decoded at a time counted from the first one; `nil` before it and from the end on.
  func index(atTime time: Int64) -> Int? {
    time >= 0 && time < duration ? columns.durations.index(whereSumExceeds: time).index : nil
  }

  /// The sample with the greatest composition time that is not after a time; of several the last one. `nil` before the
  /// first one and from the end on.
  func index(atCompositionTime time: Int64) -> Int? {
    guard time >= compositionStart, time < compositionEnd else { return nil }
    // Those decoded later are composed later, too.
    var (index, start) = columns.durations.index(whereSumExceeds: time &- compositionOffsets.lowerBound)
    if index == count { (index, start) = (count - 1, columns.time(count - 1)) }
    var best: (index: Int, time: Int64)?
    while index >= 0, best.map({ start &+ compositionOffsets.upperBound > $0.time }) ?? true {
      let composition = start &+ compositionOffset(index)
      if composition <= time, best.map({ composition > $0.time }) ?? true { best = (index, composition) }
      index -= 1
      if index >= 0 { start = start &- duration(index) }
    }
    return best?.index
  }

  /// Which description holds for a sample, counted from 1.
  func descriptionIndex(of sample: Int) -> UInt32 {
    let next = descriptions.partition { $0.firstSample > sample }
    return next > 0 ? descriptions[next - 1].index : 1
  }
}
