import ISOBMFF

/// Rewrites a file that is progressive already: `ftyp` and `moov` first, everything else in its order behind them.
struct ProgressiveLayout {
  private let presentation: Presentation

  init(_ presentation: Presentation) { self.presentation = presentation }

  func plan() throws(MovieError) -> OutputPlan {
    let source = presentation.sources[0]
    let boxes: [Box]
    do throws(IOError) { boxes = try [Box](reading: source) } catch { throw .io(error) }
    let front = boxes.filter { isFront($0) }
    let rest = boxes.filter { !isFront($0) }
    // The movie box can grow with its offsets, and its size decides about them: a second look settles that.
    var corrected = front
    for _ in 0..<3 {
      let relocation = self.relocation(front, rest, frontSize: try size(of: corrected))
      var next = front + rest.filter(isCorrected)
      for index in next.indices { try relocation.correct(&next[index], of: source) }
      let isSettled = try size(of: Array(next.prefix(front.count))) == size(of: corrected)
      corrected = Array(next.prefix(front.count))
      if isSettled { return try plan(corrected, rest, Array(next.dropFirst(front.count))) }
    }
    throw .impossible(file: source.name, reason: "the offsets of its chunks do not settle")
  }

  /// The first movie box, and what belongs before it.
  private func isFront(_ box: Box) -> Bool {
    box.header?.offset == presentation.movieHeader.offset || box.header?.offset == presentation.fileType?.offset
  }
  private func isCorrected(_ box: Box) -> Bool { box.type == "meta" }

  private func relocation(_ front: [Box], _ rest: [Box], frontSize: Int) -> Relocation {
    var position = frontSize
    var relocation = Relocation()
    for box in rest {
      guard let header = box.header else { continue }
      relocation.move(header.offset..<header.end, to: position)
      position += header.size
    }
    return relocation
  }

  private func size(of boxes: [Box]) throws(MovieError) -> Int { try serializer(boxes).size }
  private func serializer(_ boxes: [Box]) throws(MovieError) -> BoxSerializer {
    do throws(BoxError) { return try BoxSerializer(boxes) } catch {
      throw .damaged(file: presentation.sources[0].name, path: "moov", error)
    }
  }

  private func plan(_ front: [Box], _ rest: [Box], _ corrected: [Box]) throws(MovieError) -> OutputPlan {
    let file = presentation.sources[0].name
    let note = Notice(.note, file, "the file is not fragmented; it is rewritten with the movie box first")
    var plan = OutputPlan(sources: presentation.sources, notices: presentation.notices + [note])
    let ordered = front.filter { $0.type == "ftyp" } + front.filter { $0.type != "ftyp" }
    var changed = corrected
    let others = rest.map { isCorrected($0) && !changed.isEmpty ? changed.removeFirst() : $0 }
    plan.parts.append(.boxes(try serializer(ordered + others), source: 0))
    return plan
  }
}
