import ISOBMFF

/// What the flags of fragments say of samples besides sync, for `sdtp`, `stdp` and `padb`; each is written only where it
/// says something.
struct DependencyColumns: Sendable {
  private var dependencies = SampleColumn<UInt8>()
  private var priorities = SampleColumn<UInt16>()
  private var paddings = SampleColumn<UInt8>()
  /// Whether some dependency does not follow from the sync flag: independent with it, dependent without.
  private var saysMore = false

  mutating func append(_ flags: SampleFlags, count: Int) {
    guard count > 0 else { return }
    dependencies.append(flags.dependency, count: count)
    priorities.append(flags.degradationPriority, count: count)
    paddings.append(flags.paddingValue, count: count)
    if flags.dependency != 0, flags.dependency != (flags.isSync ? 0x20 : 0x10) { saysMore = true }
  }

  /// The boxes that say something.
  var boxes: [Box] {
    var boxes: [Box] = []
    if saysMore {
      var sdtp = SampleDependencyTypeBox()
      sdtp.entries = Table(encoded: dependencies.bytes, count: dependencies.count)
      boxes.append(Box(sdtp))
    }
    if let common = priorities.common, common == 0 {
    } else if priorities.count > 0 {
      var stdp = DegradationPriorityBox()
      stdp.priorities = Table(encoded: priorities.bytes, count: priorities.count)
      boxes.append(Box(stdp))
    }
    if let common = paddings.common, common == 0 {
    } else if paddings.count > 0 {
      boxes.append(Box(PaddingBitsBox(paddings.bytes)))
    }
    return boxes
  }
}
