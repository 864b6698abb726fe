import ISOBMFF
import MP4Bytes

/// Rewrites a valid progressive file: `ftyp` and `moov` first, then everything else in its order.
///
/// A `free` box can be between them. It keeps large media data at the same offset within a block, so that many file
/// systems can share the blocks of the source with the output, which takes milliseconds and no space. It replaces the
/// padding before the media data in the source. The output is the same on all file systems.
struct ProgressiveLayout {
  private let input: MovieInput
  private let group: MovieGroup
  private let tracks: [DefragmentReport.ProgressiveTrack]

  /// A layout for the source of the only group, whose sample tables are correct.
  init(_ input: MovieInput, _ group: MovieGroup, _ tracks: [DefragmentReport.ProgressiveTrack]) {
    self.input = input
    self.group = group
    self.tracks = tracks
  }

  func plan() throws(MovieError) -> OutputPlan {
    let source = input.sources[0]
    let boxes = try io([Box](reading: source))
    let front = try converted(boxes.filter { isFront($0) })
    // A file has one file type.
    let rest = try withoutPadding(boxes.filter { !isFront($0) && !(input.isOfISO && $0.type == "ftyp") })
    // The size of the movie box and its offsets depend on each other, so this is repeated.
    var corrected = front
    for _ in 0..<3 {
      let relocation = try self.relocation(corrected, rest)
      var next = front + rest.filter(isCorrected)
      var diagnostics: [Diagnostic] = []
      for index in next.indices { diagnostics += try relocation.correct(&next[index], of: source) }
      let isSettled = try size(of: Array(next.prefix(front.count))) == size(of: corrected)
      corrected = Array(next.prefix(front.count))
      guard isSettled else { continue }
      var plan = try plan(corrected, rest, Array(next.dropFirst(front.count)))
      plan.diagnostics += diagnostics
      plan.decisions = DefragmentReport(progressive: input, group.movie, samples: tracks)
      return plan
    }
    throw .impossible(file: source.name, Obstacle("chunks_do_not_settle", "its chunk offsets do not converge"))
  }

  /// Whether a box is the first movie box or its file type.
  private func isFront(_ box: Box) -> Bool {
    box.header?.offset == group.header.offset || box.header?.offset == group.fileType?.offset
  }
  private func isCorrected(_ box: Box) -> Bool { box.type == "meta" }

  /// The front boxes, with ISO brands if the output is an ISO file. The movie box is already converted.
  private func converted(_ front: [Box]) throws(MovieError) -> [Box] {
    guard input.isOfISO else { return front }
    let hasNegativeOffsets = input.hasNegativeOffsets
    let brands = Brands.progressive(try input.fileType(), hasNegativeOffsets: hasNegativeOffsets)
    return [Box(brands)] + front.filter { $0.type == "moov" }.map { _ in group.movie.box }
  }

  /// The new positions of all bytes if the file starts with `front`. The contents of the movie box move too, because
  /// they can include auxiliary information of samples.
  private func relocation(_ front: [Box], _ rest: [Box]) throws(MovieError) -> Relocation {
    var moves: [(range: Range<Int>, to: Int)] = []
    let boxes = try serializer(inOrder(front, by: \.type))
    boxes.forEachMove(of: 0, from: 0) { moves.append(($0, $1)) }
    var position = boxes.size + padding(after: boxes.size, rest)
    for header in rest.compactMap(\.header) {
      moves.append((header.offset..<header.end, position))
      position += header.size
    }
    var relocation = Relocation()
    for move in moves.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      relocation.move(move.range, to: move.to)
    }
    return relocation
  }

  /// The block size of most file systems.
  private static let blockSize = 4096
  /// The minimum size for sharing. Smaller data is copied in the same time.
  private static let sharedMinimum = 1 << 20

  /// The index of the largest box, if sharing it is faster than copying it.
  private func sharedBox(_ boxes: [Box]) -> Int? {
    func size(_ index: Int) -> Int { boxes[index].header?.size ?? 0 }
    let largest = boxes.indices.max { size($0) < size($1) }
    return largest.flatMap { size($0) < Self.sharedMinimum ? nil : $0 }
  }

  /// The size of the `free` box between the front boxes, of `size` bytes, and the rest; 0 if there is none, or if it
  /// would be smaller than its header.
  private func padding(after size: Int, _ rest: [Box]) -> Int {
    guard let shared = sharedBox(rest), let header = rest[shared].header else { return 0 }
    let position = rest[..<shared].compactMap(\.header).reduce(size) { $0 + $1.size }
    let padding = (header.offset - position) & (Self.blockSize - 1)
    return padding < 8 ? 0 : padding
  }

  /// The boxes without the padding that the `free` box replaces: padding before the shared box that is smaller than a
  /// block and contains only zeros, to which nothing can refer.
  private func withoutPadding(_ rest: [Box]) throws(MovieError) -> [Box] {
    guard let shared = sharedBox(rest) else { return rest }
    var window = ByteWindow(input.sources[0], readAhead: 0)
    var kept: [Box] = []
    for (index, box) in rest.enumerated() {
      if index < shared, box.type == "free" || box.type == "skip", let header = box.header,
        header.size < Self.blockSize
      {
        do throws(IOError) {
          let payload = try window.slice(at: header.payload.lowerBound, count: header.payload.count)
          if payload.allSatisfy({ $0 == 0 }) { continue }
        } catch { throw .io(error) }
      }
      kept.append(box)
    }
    return kept
  }

  private func free(_ size: Int) -> [UInt8] {
    guard size > 0 else { return [] }
    var writer = ByteWriter()
    writer.integer(UInt32(size))
    writer.integer(FourCC("free").rawValue)
    return writer.bytes + [UInt8](repeating: 0, count: size - 8)
  }

  /// The elements with `ftyp` before `moov`, regardless of their order in the source.
  private func inOrder<Element>(_ boxes: [Element], by type: (Element) -> FourCC) -> [Element] {
    boxes.filter { type($0) == "ftyp" } + boxes.filter { type($0) != "ftyp" }
  }

  private func size(of boxes: [Box]) throws(MovieError) -> Int { try serializer(boxes).size }
  private func serializer(_ boxes: [Box], closesEnds: Bool = false) throws(MovieError) -> BoxSerializer {
    do throws(BoxError) { return try BoxSerializer(boxes, closesEnds: closesEnds) } catch {
      throw .damaged(file: input.sources[0].name, path: "moov", error)
    }
  }

  private func plan(_ front: [Box], _ rest: [Box], _ corrected: [Box]) throws(MovieError) -> OutputPlan {
    let file = input.sources[0].name
    let note = Diagnostic(.progressive, file)
    var plan = OutputPlan(sources: input.sources, diagnostics: input.diagnostics + [note])
    var changed = corrected
    let others = rest.map { isCorrected($0) && !changed.isEmpty ? changed.removeFirst() : $0 }
    // A movie box at the end of a file can be open-ended, but other boxes follow it here.
    plan.parts.append(.boxes(try serializer(inOrder(front, by: \.type), closesEnds: true)))
    plan.parts.append(.bytes(free(padding(after: try size(of: front), rest))))
    plan.parts.append(.boxes(try serializer(others)))
    return plan
  }
}
