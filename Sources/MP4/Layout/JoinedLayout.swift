import ISOBMFF
import MP4Bytes

/// The parts of a join: the concatenated sources, with some boxes replaced.
struct JoinedLayout {
  private let input: MovieInput
  private let order: [Int]
  /// The movie fragments of each source with an explicit base data offset.
  private var fragments: [[BoxHeader]]
  /// The number of bytes before each source, in the given order.
  private var precedingBytes: [Int] = []

  init(_ input: MovieInput, _ order: [Int]) {
    self.input = input
    self.order = order
    fragments = input.sources.map { _ in [] }
    for (source, header) in input.fragments.withBaseOffset { fragments[source].append(header) }
    var sum = 0
    for source in input.sources {
      precedingBytes.append(sum)
      sum += source.byteCount ?? 0
    }
  }

  func plan(_ diagnostics: [Diagnostic]) throws(MovieError) -> OutputPlan {
    var plan = OutputPlan(sources: input.sources, diagnostics: diagnostics)
    var position = 0
    for (rank, index) in order.enumerated() {
      let isLast = rank == order.count - 1
      try append(index, isLast: isLast, &position, &plan)
    }
    return plan
  }

  /// The new position of the bytes of each source, in output order.
  func relocations() throws(MovieError) -> [(source: Int, relocation: Relocation)] {
    var position = 0
    var result: [(source: Int, relocation: Relocation)] = []
    for (rank, index) in order.enumerated() {
      var relocation = Relocation()
      for range in try keptRanges(of: index, isLast: rank == order.count - 1) {
        relocation.move(range, to: position)
        position += range.count
      }
      result.append((index, relocation))
    }
    return result
  }

  /// Adds one source that starts at `position` of the output.
  private func append(_ index: Int, isLast: Bool, _ position: inout Int, _ plan: inout OutputPlan) throws(MovieError) {
    let source = input.sources[index]
    let contents = input.contents[index]
    let kept = try keptRanges(of: index, isLast: isLast)
    var relocation = Relocation(
      base: BaseDataOffset(
        precedingBytes: precedingBytes[index], byteCount: source.byteCount,
        stale: input.fragments.staleBases[index] ?? []))
    for range in kept {
      relocation.move(range, to: position)
      position += range.count
    }
    var changes = fragments[index] + contents.randomAccess
    // The contents of an incomplete box cannot be corrected, but its size is, so that the next box is found.
    let open = contents.openEnds.filter { !isLast || $0.end != source.byteCount }
    let openOffsets = Set(open.map(\.offset))
    changes.removeAll { openOffsets.contains($0.offset) }
    changes += open
    changes.sort { $0.offset < $1.offset }
    var rest = changes[...]
    for range in kept {
      var done = range.lowerBound
      while let header = rest.first, header.offset < range.upperBound {
        rest.removeFirst()
        // The header is in a range that is not kept.
        guard header.offset >= range.lowerBound else { continue }
        plan.copy(done..<header.offset, of: index)
        if openOffsets.contains(header.offset) {
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

  /// The kept ranges of a source: everything except repeated init segments and, unless the source is the last one,
  /// bytes that are not a box and an incomplete movie fragment box. Otherwise the next source would be read as the
  /// missing data.
  private func keptRanges(of index: Int, isLast: Bool) throws(MovieError) -> [Range<Int>] {
    let source = input.sources[index]
    guard let size = source.byteCount else {
      throw .impossible(file: source.name, .unknownSize)
    }
    let contents = input.contents[index]
    let fileTypes = Dictionary(contents.fileTypes.map { ($0.end, $0) }) { $1 }
    var ranges: [Range<Int>] = []
    var start = 0
    for header in contents.repeatedMovies.sorted(by: { $0.offset < $1.offset }) {
      ranges.append(start..<(fileTypes[header.offset] ?? header).offset)
      start = header.end
    }
    let cutFragment = contents.openEnds.first { $0.type == "moof" && $0.end == size }
    let end = isLast ? size : min(contents.remainder ?? size, cutFragment?.offset ?? size)
    ranges.append(start..<max(start, end))
    return ranges.filter { !$0.isEmpty }
  }

  private func corrected(_ header: BoxHeader, _ index: Int, _ relocation: Relocation) throws(MovieError)
    -> BoxSerializer
  {
    let source = input.sources[index]
    var boxes = try ItemLayout.boxes(header, of: source, index)
    // None of these boxes contains metadata, the only contents that might not be correctable.
    for index in boxes.indices { _ = try relocation.correct(&boxes[index], of: source) }
    do throws(BoxError) { return try BoxSerializer(boxes) } catch {
      throw .damaged(file: source.name, path: header.type.description, error)
    }
  }
}

extension BoxHeader {
  /// The header with the actual size, because other boxes follow.
  func bytesWithRightSize(in source: any ByteSource) throws(MovieError) -> [UInt8] {
    if let bytes = withRightSize { return bytes }
    let text =
      "\(type) at byte \(offset) extends to the end of the file and is larger than 4 GiB, so nothing can follow it"
    throw .impossible(file: source.name, Obstacle("endless_box", text))
  }
}

extension Obstacle {
  static let unknownSize = Obstacle("unknown_size", "its size is unknown")
}
