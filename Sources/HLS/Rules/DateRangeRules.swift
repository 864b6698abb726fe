extension RuleChecker {
  /// EXT-X-DATERANGE (4.4.5.1).
  mutating func checkDateRanges() {
    let ranges = lines.indexed(.dateRange, as: DateRange.self)
    for (index, line) in lines.enumerated() where line.isUnreadable(.dateRange) {
      report(.dateRangeSyntax, at: index, "EXT-X-DATERANGE cannot be read and will be ignored")
    }
    if let first = ranges.first, !lines.contains(where: { $0.tag == .programDateTime }) {
      report(.dateMissing, at: first.index, "EXT-X-DATERANGE needs EXT-X-PROGRAM-DATE-TIME in the playlist")
    }
    for (index, range) in ranges { checkDateRange(range, at: index) }
    checkSameRanges(ranges)
    checkClasses(ranges)
  }
  private mutating func checkDateRange(_ range: DateRange, at index: Int) {
    if let start = range.start, let end = range.end {
      if end < start { report(.dateRange, at: index, "END-DATE must be START-DATE or later") }
      if let duration = range.duration, start + duration != end {
        report(.dateRange, at: index, "END-DATE must be START-DATE plus DURATION, which is \(start + duration)")
      }
    }
    guard range.endsOnNext else { return }
    if range.classIdentifier == nil { report(.dateRangeNext, at: index, "END-ON-NEXT needs CLASS") }
    if range.attributes["DURATION"] != nil || range.attributes["END-DATE"] != nil {
      report(.dateRangeNext, at: index, "END-ON-NEXT cannot be combined with DURATION or END-DATE")
    }
  }
  /// Tags with the same ID describe one range. Repeated attributes must have the same value.
  private mutating func checkSameRanges(_ ranges: [(index: Int, view: DateRange)]) {
    var known: [String: [String: String]] = [:]
    for (index, range) in ranges {
      if known[range.id] == nil, range.attributes["START-DATE"] == nil {
        report(.attributeMissing, at: index, "EXT-X-DATERANGE must have START-DATE")
      }
      for attribute in range.attributes.attributes {
        if let other = known[range.id]?[attribute.name], other != attribute.text {
          report(
            .dateRangeSame, at: index,
            "\(quoted(attribute.name)) of \(quoted(range.id)) is \(quoted(attribute.text)) but was \(quoted(other))")
        }
        known[range.id, default: [:]][attribute.name] = attribute.text
      }
    }
  }
  /// Ranges that end with the next one of their class cannot overlap.
  private mutating func checkClasses(_ ranges: [(index: Int, view: DateRange)]) {
    let classes = Set(ranges.lazy.filter(\.view.endsOnNext).compactMap(\.view.classIdentifier))
    guard !classes.isEmpty else { return }
    var byClass: [String: [(index: Int, view: DateRange)]] = [:]
    for range in ranges {
      if let name = range.view.classIdentifier, classes.contains(name), range.view.start != nil {
        byClass[name, default: []].append(range)
      }
    }
    for members in byClass.values {
      let sorted = members.sorted { ($0.view.start ?? .epoch, $0.index) < ($1.view.start ?? .epoch, $1.index) }
      for (range, next) in zip(sorted, sorted.dropFirst()) where range.view.id != next.view.id {
        let start = range.view.start ?? .epoch
        let end = range.view.end ?? range.view.duration.map { start + $0 } ?? start
        if let nextStart = next.view.start, end > nextStart {
          report(.dateRangeNext, at: next.index, "date ranges of a class with END-ON-NEXT cannot overlap")
        }
      }
    }
  }
}

extension DateTime {
  fileprivate static let epoch = DateTime(sinceEpoch: .zero)
}
