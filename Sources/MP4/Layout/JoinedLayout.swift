import ISOBMFF

/// The parts of a join: the sources one after the other, with the boxes replaced that have to change.
struct JoinedLayout {
  private let presentation: Presentation
  private let order: [Int]

  init(_ presentation: Presentation, _ order: [Int]) {
    self.presentation = presentation
    self.order = order
  }

  func plan(_ notices: [Notice]) throws(MovieError) -> OutputPlan {
    var plan = OutputPlan(sources: presentation.sources, notices: notices)
    var position = 0
    for (rank, index) in order.enumerated() {
      let isLast = rank == order.count - 1
      try append(index, isLast: isLast, &position, &plan)
    }
    return plan
  }

  /// Adds one source that starts at `position` of the output.
  private func append(_ index: Int, isLast: Bool, _ position: inout Int, _ plan: inout OutputPlan) throws(MovieError) {
    let source = presentation.sources[index]
    let contents = presentation.contents[index]
    let kept = try keptRanges(of: index, isLast: isLast)
    let before = presentation.sources[..<index].reduce(0) { $0 + ($1.byteCount ?? 0) }
    var relocation = Relocation(base: BaseDataOffset(precedingBytes: before, byteCount: source.byteCount))
    for range in kept {
      relocation.move(range, to: position)
      position += range.count
    }
    var changes = presentation.fragments.withBaseOffset.filter { $0.source == index }.map(\.header)
    changes += contents.randomAccess
    // What is cut off in it cannot be corrected; what matters is that what follows is found behind it.
    let open = contents.openEnds.filter { !isLast || $0.end != source.byteCount }
    changes.removeAll(where: open.contains)
    changes += open
    changes.sort { $0.offset < $1.offset }
    for range in kept {
      var done = range.lowerBound
      for header in changes where range.contains(header.offset) {
        plan.copy(done..<header.offset, of: index)
        if open.contains(header) {
          plan.parts.append(.bytes(try header.bytesWithRightSize(in: source)))
          done = header.payload.lowerBound
        } else {
          plan.parts.append(.boxes(try corrected(header, index, relocation)))
          done = header.end
        }
      }
      plan.copy(done..<range.upperBound, of: index)
    }
  }

  /// What of a source is kept: everything but an init that is repeated, and what is no box, but at the very end.
  private func keptRanges(of index: Int, isLast: Bool) throws(MovieError) -> [Range<Int>] {
    let source = presentation.sources[index]
    guard let size = source.byteCount else {
      throw .impossible(file: source.name, reason: "its size is not known")
    }
    var ranges: [Range<Int>] = []
    var start = 0
    for header in presentation.contents[index].repeatedMovies.sorted(by: { $0.offset < $1.offset }) {
      let before = presentation.contents[index].fileTypes.last { $0.end == header.offset }
      ranges.append(start..<(before ?? header).offset)
      start = header.end
    }
    let end = isLast ? size : presentation.contents[index].remainder ?? size
    ranges.append(start..<max(start, end))
    return ranges.filter { !$0.isEmpty }
  }

  private func corrected(_ header: BoxHeader, _ index: Int, _ relocation: Relocation) throws(MovieError)
    -> BoxSerializer
  {
    let source = presentation.sources[index]
    var boxes = try ItemLayout.boxes(header, of: source, index)
    // There is no metadata among them, which is all that could stay uncorrected.
    for index in boxes.indices { _ = try relocation.correct(&boxes[index], of: source) }
    do throws(BoxError) { return try BoxSerializer(boxes) } catch {
      throw .damaged(file: source.name, path: header.type.description, error)
    }
  }
}

extension BoxHeader {
  /// The header with the size that there is, since more follows now.
  func bytesWithRightSize(in source: any ByteSource) throws(MovieError) -> [UInt8] {
    if let bytes = withRightSize { return bytes }
    let reason =
      "\(type) at byte \(offset) goes on to the end of the file and is larger than 4 GiB, so that nothing can follow it"
    throw .impossible(file: source.name, reason: reason)
  }
}
