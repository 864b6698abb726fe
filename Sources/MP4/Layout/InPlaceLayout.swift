import ISOBMFF
import MP4Bytes

/// Converts a fragmented file to a progressive one in place. A new `moov` is appended inside a `free` box that extends
/// to the end of the file, so that the file is valid at any point of writing. Then the header of the old `moov` is
/// replaced with that of an `mdat` that spans all fragments and the header of the `free` box, which exposes the new
/// `moov`.
struct InPlaceLayout {
  private let input: MovieInput
  private let layout: MediaLayout
  private let edits: EditPlan
  private let source: any ByteSource
  private let contents: SourceContents
  private let oldMovie: BoxHeader

  /// The header of the `free` box.
  private static let freeHeader: [UInt8] = [0, 0, 0, 0] + Array("free".utf8)

  init(_ input: MovieInput, _ layout: MediaLayout, _ edits: EditPlan) {
    self.input = input
    self.layout = layout
    self.edits = edits
    source = input.sources[0]
    contents = input.contents[0]
    oldMovie = input.groups[0].header
  }

  func plan(_ diagnostics: [Diagnostic]) throws(MovieError) -> InPlacePlan {
    guard let size = source.byteCount else { throw impossible(.unknownSize) }
    guard layout.tables.contains(where: { $0.samples.count > 0 }) else {
      throw impossible(Obstacle("no_sample_data", "the data of all its samples is missing; not changed"))
    }
    try checkFront()
    let repairs = try repairs(size)
    // A few bytes at the end that cannot be a box are replaced, because readers would not find boxes after them.
    let remainder = contents.remainder ?? size
    let start = size - remainder < 8 ? remainder : size
    try check(start..<size, "the bytes at its end that are not a box")

    let auxiliary = layout.auxiliaryBytes
    let auxiliaryStart = start + Self.freeHeader.count
    var appended = OutputPlan(sources: input.sources, diagnostics: [])
    let (movie, movieNotices) = try movie(auxiliaryStart, auxiliary.count)
    appended.parts = [.bytes(auxiliary), .boxes(movie)]
    try appendKept(to: &appended)
    var header = OutputPlan(sources: input.sources, diagnostics: [])
    header.parts = [.bytes(Self.freeHeader)]

    var plan = InPlacePlan(diagnostics: diagnostics + movieNotices)
    if !repairs.isEmpty { plan.steps = repairs.map { .replace($0.bytes, at: $0.offset) } + [.synchronize] }
    // Bytes after the header of an incomplete box would be read as boxes.
    plan.steps += [.append(header, at: start), .synchronize, .append(appended, at: auxiliaryStart), .synchronize]
    let last = try mediaHeader(end: auxiliaryStart + auxiliary.count)
    plan.steps += [.commit(last.bytes, at: last.offset), .synchronize]
    return plan
  }

  /// Rejects boxes of the fragmented file that would stay visible before the media data.
  private func checkFront() throws(MovieError) {
    let boxes: [Box]
    do throws(IOError) { boxes = try [Box](reading: source, in: 0..<oldMovie.offset) } catch {
      throw .io(error)
    }
    // The appended bytes would become part of the open box.
    if !oldMovie.isSizeRight, oldMovie.end == source.byteCount {
      throw impossible(
        Obstacle("open_movie", "moov is cut off or has no size; it cannot be changed in place"))
    }
    // A reader searches for fragments after such bytes, and would find those in the media data.
    if boxes.contains(where: { !$0.hasHeader }) {
      throw impossible(
        Obstacle("not_a_box", "bytes before moov are not a box; it cannot be changed in place"))
    }
    for type: FourCC in ["moof", "sidx", "ssix"] where boxes.contains(where: { $0.type == type }) {
      let text = "\(type) is before moov and would stay visible; it cannot be changed in place"
      throw impossible(Obstacle("visible_fragments", text))
    }
  }

  // MARK: The new movie box and other appended data

  private func movie(_ auxiliaryStart: Int, _ auxiliaryCount: Int)
    throws(MovieError) -> (BoxSerializer, diagnostics: [Diagnostic])
  {
    let movie = RewrittenMovie(input, layout: layout, edits: edits)
    var (moov, diagnostics) = try movie.box()
    let lastChunk = layout.tables.reduce(0) { $1.chunks.reduce($0) { max($0, $1.offset) } }
    let lastOffset = auxiliaryCount > 0 ? max(lastChunk, auxiliaryStart + auxiliaryCount) : lastChunk
    layout.setOffsets(in: &moov, mediaStart: 0, auxiliaryStart: auxiliaryStart, large: lastOffset > Int(UInt32.max))
    do throws(BoxError) { return (try BoxSerializer([moov], closesEnds: true), diagnostics) } catch {
      throw .damaged(file: source.name, path: "moov", error)
    }
  }

  /// Repeats the kept boxes that become part of the media data after the new `moov`.
  private func appendKept(to plan: inout OutputPlan) throws(MovieError) {
    for header in contents.kept where header.offset > oldMovie.offset {
      if !header.isSizeRight { plan.parts.append(.bytes(try header.bytesWithRightSize(in: source))) }
      plan.copy((header.isSizeRight ? header.offset : header.payload.lowerBound)..<header.end, of: 0)
    }
  }

  // MARK: Replaced bytes

  private struct Change {
    var offset: Int
    var bytes: [UInt8]
  }

  /// The header of the `mdat` that replaces the header of the old `moov`.
  private func mediaHeader(end: Int) throws(MovieError) -> Change {
    let old = oldMovie
    let size = end - old.offset
    // The 64-bit form is kept if one write can replace the header.
    let forms = size > Int(UInt32.max) ? [true] : old.form == .large ? [true, false] : [false]
    for isLarge in forms {
      let bytes = Self.header("mdat", size: size, isLarge: isLarge)
      if let change = try change(at: old.offset, to: bytes) { return change }
    }
    throw impossible(.crossesSector("the header of moov at byte \(old.offset)"))
  }

  /// New headers for boxes at the end of a file that is cut off or does not end with a box, so that readers find the
  /// appended bytes. The readable samples do not change.
  private func repairs(_ size: Int) throws(MovieError) -> [Change] {
    var changes: [Change] = []
    let isLossy = input.diagnostics.contains { $0.severity == .error }
    // The last write replaces the header of the old movie box.
    for header in contents.openEnds where header.offset != oldMovie.offset {
      let isOpen = header.form == .toEnd
      // The box then includes the appended bytes, which is harmless if nothing is read after its end.
      if isOpen, ["free", "skip"].contains(header.type) || (header.type == "mdat" && !isLossy) { continue }
      var closed = header
      closed.type = closedType(of: header)
      let bytes = Array(try closed.bytesWithRightSize(in: source).prefix(header.form == .large ? 16 : 8))
      guard let change = try change(at: header.offset, to: bytes) else {
        throw impossible(
          .crossesSector("the header of the damaged \(header.type) at byte \(header.offset)"))
      }
      changes.append(change)
    }
    if let remainder = contents.remainder, size - remainder >= 8 {
      let bytes = Self.header(
        hasSamples(in: remainder..<size) ? "mdat" : "free", size: size - remainder,
        isLarge: size - remainder > Int(UInt32.max))
      guard let change = try change(at: remainder, to: bytes) else {
        throw impossible(.crossesSector("the bytes at byte \(remainder) that are not a box"))
      }
      changes.append(change)
    }
    return changes.filter { !$0.bytes.isEmpty }
  }

  private static func header(_ type: FourCC, size: Int, isLarge: Bool) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(isLarge ? 1 : UInt32(clamping: size))
    writer.integer(type.rawValue)
    if isLarge { writer.integer(UInt64(size)) }
    return writer.bytes
  }

  /// The new type of a damaged box: media data if it contains samples, otherwise free space, which cannot be misread.
  private func closedType(of header: BoxHeader) -> FourCC {
    if header.type == "mdat" || contents.kept.contains(header) { return header.type }
    let isUsed = input.fragments.trackFragments.contains {
      $0.sampleCount > 0 && input.fragments.headers[$0.fragment].offset == header.offset
    }
    if isUsed { return header.type }
    return hasSamples(in: header.offset..<header.end) ? "mdat" : "free"
  }

  private func hasSamples(in range: Range<Int>) -> Bool { layout.copies.pieces.contains { $0.range.overlaps(range) } }

  private func check(_ range: Range<Int>, _ part: String) throws(MovieError) {
    guard hasSamples(in: range) else { return }
    let text = "\(part) contains samples but would have to be replaced; it cannot be changed in place"
    throw impossible(Obstacle("samples_in_replaced_bytes", text))
  }

  /// The changed bytes if `bytes` are written at `offset`; `nil` if they are not in one sector, which a disk writes
  /// atomically.
  private func change(at offset: Int, to bytes: [UInt8]) throws(MovieError) -> Change? {
    var window = ByteWindow(source, readAhead: 0)
    let old: [UInt8]
    do throws(IOError) { old = Array(try window.slice(at: offset, count: bytes.count)) } catch { throw .io(error) }
    guard old.count == bytes.count else { return nil }
    let differing = bytes.indices.filter { bytes[$0] != old[$0] }
    guard let first = differing.first, let last = differing.last else { return Change(offset: offset, bytes: []) }
    guard (offset + first) / 512 == (offset + last) / 512 else { return nil }
    try check(offset + first..<offset + last + 1, "the header at byte \(offset)")
    return Change(offset: offset + first, bytes: Array(bytes[first...last]))
  }

  private func impossible(_ obstacle: Obstacle) -> MovieError { .impossible(file: source.name, obstacle) }
}
