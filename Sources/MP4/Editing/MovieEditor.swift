public import ISOBMFF
public import MP4Bytes

/// Changes boxes of a progressive or fragmented file, without changing its media data.
///
/// ```swift
/// let plan = try MovieEditor(source)
///   .editing("moov/trak[1]/mdia/mdhd", MediaHeaderBox.self) { $0.language = "eng" }
///   .plan()
/// try plan.write(to: file)
/// ```
///
/// Paths are the same as for `mp4tool dump --path`: see `BoxPattern`. A path without a number means every box of its
/// type. Everything that is not edited is copied byte for byte. If boxes before the media data grow or shrink,
/// all offsets to moved data are corrected: those of `stco` (which becomes `co64` if necessary), `co64`, `saio`,
/// `iloc`, `sidx`, `tfra` and of movie fragments. Offsets that an edit sets refer to the original file.
public struct MovieEditor: Sendable {
  /// The file, with overwritten bytes applied.
  var source: any ByteSource
  /// The unchanged file.
  let original: any ByteSource
  /// The overwritten bytes, which may also be outside the edited boxes.
  var overwrites: [Overwrite] = []
  /// Whether the movie box is placed before the media data.
  var placesMovieFirst = false
  /// Whether the source is a planned file whose media is not where it was.
  var movesMedia = false
  let registry: BoxRegistry
  /// The information about fragments from the movie box.
  let movie: MovieContext?
  /// The boxes of the file, in output order.
  var items: [Item] = []
  /// The end of the last box of the source.
  private(set) var sourceSize = 0
  /// Limits of the edits that a user may not expect.
  var diagnostics: [Diagnostic] = []
  /// The boxes that were read, with all edits so far.
  var trees: [Box] = []
  /// The last box of the source, if it declares more bytes than there are.
  private var cutBox: BoxHeader?

  /// A file-level box, or bytes after the last one.
  struct Item {
    /// `nil` for bytes that are not a box.
    var type: FourCC?
    /// Its range in the source; empty for a new box.
    var range: Range<Int>
    /// Its index in `trees`, if it was read.
    var tree: Int?
    /// New media data with its header; `range` is then after the end of the source.
    var media: [UInt8]?
    /// The offset at which new media data is written in place, in free space; `nil` for the end of the file.
    var place: Int?
    /// Whether it is the last box of the source, and its header does not declare its size.
    var isOpen = false
  }

  /// Edits the boxes of `source`, of which only the headers are read now. `registry` contains the known boxes.
  public init(_ source: any ByteSource, registry: BoxRegistry = .core) throws(MovieError) {
    (self.source, original, self.registry) = (source, source, registry)
    do throws(IOError) {
      movie = try MovieContext(reading: source)
      var parser = BoxParser(source, registry: registry)
      var isOpen = false
      var cut: BoxHeader?
      while let node = try parser.next() {
        // Only the next header shows that the previous box extends too far.
        if let last = items.indices.last, items[last].range.upperBound > node.header.offset {
          items[last].range = items[last].range.lowerBound..<node.header.offset
        }
        items.append(Item(type: node.isRemainder ? nil : node.type, range: node.header.offset..<node.header.end))
        isOpen = !node.isRemainder && !node.header.isSizeRight
        if isOpen, node.header.form != .toEnd { cut = node.header }
        parser.skipBoxes()
      }
      if isOpen, let cut, cut.end == items.last?.range.upperBound { cutBox = cut }
      if isOpen { items[items.count - 1].isOpen = true }
      sourceSize = items.last?.range.upperBound ?? 0
    } catch { throw .io(error) }
  }

  // MARK: Edits

  /// An editor that changes the fields of each box at `path`. Bytes after the fields are kept.
  ///
  /// - Throws: `MovieError` if there is no such box, or if its type has different fields or they are damaged; or an
  ///   error thrown by `change`.
  public func editing<Payload: BoxPayload>(
    _ path: String, _ type: Payload.Type, _ change: (inout Payload) throws -> Void
  ) throws -> MovieEditor {
    try replacing(path) { box in
      let definition = registry.definition(of: box.type, userType: box.userType, in: box.context)
      guard definition?.payload.map({ $0.type == type }) ?? (Payload.info.type == box.type) else {
        throw MovieError.impossible(
          file: source.name, Obstacle("other_fields", "the box at '\(path)' has different fields"))
      }
      var box = box
      var (payload, rest) = try fields(of: box, as: type, path)
      try change(&payload)
      box.fields = .edited(payload, rest: rest)
      return [box]
    }
  }

  /// An editor that sets the field `name` of each box at `path` to `value`, like `BoxPayload.setting`.
  ///
  /// - Throws: `MovieError` if there is no such box, if its fields are unknown or damaged, or if the value does not
  ///   fit.
  public func setting(_ name: String, of path: String, to value: FieldValue) throws -> MovieEditor {
    var isOtherTimescale = false
    var stored: FieldValue?
    var editor = try replacing(path) { box in
      let before = box
      var box = box
      do { try box.set(name, to: value, of: source, registry: registry) } catch {
        switch error {
        case let error as IOError: throw MovieError.io(error)
        case let error as BoxError: throw MovieError.damaged(file: source.name, path: path, error)
        case let error as FieldError: throw fieldRefusal(path, error)
        default: throw error
        }
      }
      stored = (try? box.payload(from: source, registry: registry)?.get())?[name]
      // Times stay the same numbers of units.
      if name == "timescale", let new = timescale(of: box), new != timescale(of: before) {
        isOtherTimescale = true
        let error = FieldError(.unsuitable("at least 1"), name)
        if new == 0 { throw fieldRefusal(path, error) }
      }
      return [box]
    }
    if let stored, let number = stored.exactDecimal, stored.isRounded(from: value) {
      let text = "\(path)/\(name) is \(number), the nearest number that the field can have"
      editor.diagnostics.append(Diagnostic(.note, source.name, text))
    }
    if isOtherTimescale {
      let text = "\(path)/timescale changed alone, so all times in that timescale have changed too"
      editor.diagnostics.append(Diagnostic(.warning, source.name, text))
    }
    return editor
  }

  private func timescale(of box: Box) -> Int64? {
    (try? box.payload(from: source, registry: registry)?.get())?["timescale"]?.number
  }

  private func fields<Payload: BoxPayload>(of box: Box, as type: Payload.Type, _ path: String) throws(MovieError)
    -> (Payload, rest: [UInt8])
  {
    let result = try io(box.decoded(as: type, from: source))
    switch result {
    case .success(let fields): return fields
    case .failure(let error): throw .damaged(file: source.name, path: path, error)
    }
  }

  /// An editor that appends `box` to each box at `path`, or to the file if `path` is empty.
  public func appending(_ box: Box, to path: String = "") throws -> MovieEditor {
    if path.isEmpty {
      var editor = self
      editor.items.append(Item(type: box.type, range: 0..<0, tree: trees.count))
      editor.trees.append(box)
      return editor
    }
    return try replacing(path) { parent in
      let definition = registry.definition(of: parent.type, userType: parent.userType, in: parent.context)
      if parent.boxes.isEmpty, definition?.holdsBoxes == false {
        let text = "\(path) is not a box that contains other boxes"
        throw MovieError.impossible(file: source.name, Obstacle("no_container", text, ["path": .text(path)]))
      }
      var parent = parent
      parent.append(box)
      try parent.countBoxes(from: source, registry: registry)
      return [parent]
    }
  }

  /// The end of the source plus new media data, which is addressed as if it followed the source.
  var mediaEnd: Int { items.reduce(sourceSize) { $1.media == nil ? $0 : max($0, $1.range.upperBound) } }

  /// An editor that adds media data at the end of the file. Edits refer to it by the offset `mediaEnd` + 8.
  func appendMedia(_ bytes: [UInt8]) -> MovieEditor {
    var writer = ByteWriter()
    writer.integer(UInt32(clamping: bytes.count + 8))
    writer.integer(("mdat" as FourCC).rawValue)
    var editor = self
    editor.items.append(
      Item(type: "mdat", range: mediaEnd..<mediaEnd + 8 + bytes.count, media: writer.bytes + bytes))
    return editor
  }

  /// An editor that places the movie box before the media data, so that players of downloads need not wait for the end
  /// of the file. In place, this needs free space there.
  ///
  /// - Throws: `MovieError` if there is no movie box.
  public func placingMovieFirst() throws -> MovieEditor {
    var editor = try editingMovie { _ in }
    editor.placesMovieFirst = true
    return editor
  }

  /// The same with the movie box before the first media data.
  private var reordered: MovieEditor {
    var editor = self
    guard let media = items.firstIndex(where: { $0.type == "mdat" }),
      let movie = items.firstIndex(where: { $0.type == "moov" }), movie > media
    else { return self }
    editor.items.insert(editor.items.remove(at: movie), at: media)
    return editor
  }

  /// An editor that inserts `box` at the start of the file.
  func insertFirst(_ box: Box) -> MovieEditor {
    var editor = self
    editor.items.insert(Item(type: box.type, range: 0..<0, tree: trees.count), at: 0)
    editor.trees.append(box)
    return editor
  }

  /// An editor that inserts `box` before each box at `path`.
  public func inserting(_ box: Box, before path: String) throws -> MovieEditor { try replacing(path) { [box, $0] } }

  /// An editor that replaces each box at `path` with `box`.
  public func replacing(_ path: String, with box: Box) throws -> MovieEditor { try replacing(path) { _ in [box] } }

  /// An editor that replaces each box at `path` with `boxes`.
  public func replacing(_ path: String, with boxes: [Box]) throws -> MovieEditor { try replacing(path) { _ in boxes } }

  /// An editor that removes the boxes at `path`.
  ///
  /// Media data that samples still refer to cannot be removed: planning then throws an obstacle. The media
  /// data of a removed track remains in the file.
  public func removing(_ path: String) throws -> MovieEditor { try replacing(path) { _ in [] } }

  /// An editor that removes the file-level boxes of a type for whose source header `isRemoved` returns true.
  func removingFileBoxes(of type: FourCC, where isRemoved: (BoxHeader) -> Bool) throws(MovieError) -> MovieEditor {
    var editor = self
    editor.items = []
    for item in items {
      if item.type == type {
        let box = if let index = item.tree { trees[index] } else { try tree(of: item) }
        if let header = box.header, isRemoved(header) { continue }
      }
      editor.items.append(item)
    }
    return editor
  }

  /// An editor that replaces each box at `path` with the result of `body`.
  func replacing(_ path: String, _ body: (Box) throws -> [Box]) throws -> MovieEditor {
    guard let pattern = BoxPattern(path) else {
      let text = "'\(path)' is not a box path such as 'moov/trak[1]/mdia/mdhd'"
      throw MovieError.impossible(file: source.name, Obstacle("not_a_path", text))
    }
    var editor = self
    editor.items = []
    var place = BoxPattern.Place(pattern)
    var count = 0
    for item in items {
      var here = place
      guard let type = item.type, item.media == nil, case let (itself, inside) = pattern.isMet(by: type, in: &place),
        itself || inside
      else {
        editor.items.append(item)
        continue
      }
      let original = [try item.tree.map { trees[$0] } ?? tree(of: item)]
      var boxes = original
      let found = try pattern.replace(in: &boxes, at: &here, of: source, registry: registry, body)
      guard found > 0 else {
        editor.items.append(item)
        continue
      }
      if let damaged = original.lazy.compactMap({ damagedBox(in: $0) }).first {
        let text =
          "the header of \(damaged.type) at byte \(damaged.offset) has a wrong size, so boxes around it cannot be "
          + "edited safely"
        let values: [String: Obstacle.Value] = ["type": .text("\(damaged.type)"), "offset": .integer(damaged.offset)]
        throw MovieError.impossible(file: source.name, Obstacle("wrong_size", text, values, remedy: .defragment))
      }
      count += found
      for box in boxes {
        let isItself = box.header != nil && box.header?.offset == item.range.lowerBound
        let tree = isItself ? item.tree : nil
        let range = isItself ? item.range : 0..<0
        editor.items.append(
          Item(type: box.type, range: range, tree: tree ?? editor.trees.count, isOpen: isItself && item.isOpen))
        if let tree { editor.trees[tree] = box } else { editor.trees.append(box) }
      }
    }
    guard count > 0 else { throw MovieError.noBox(file: source.name, path: path) }
    return editor
  }

  /// Damaged fields could be read differently when the boxes around them change.
  private func damagedBox(in box: Box) -> BoxHeader? {
    let own = box.header.flatMap { $0.isSizeRight || $0.form == .toEnd ? nil : $0 }
    return own ?? box.boxes.lazy.compactMap { damagedBox(in: $0) }.first
  }

  /// The file type; `nil` if there is none.
  func fileType() throws(MovieError) -> Box? {
    guard let item = items.first(where: { $0.type == "ftyp" }) else { return nil }
    if let tree = item.tree { return trees[tree] }
    return try tree(of: item)
  }

  /// Reads a box of the source, or of the part of it that is in memory, including nested boxes.
  func tree(of item: Item, in part: (any ByteSource)? = nil) throws(MovieError) -> Box {
    let boxes = try io([Box](reading: part ?? source, in: item.range, index: 0, movie: movie, registry: registry))
    guard let box = boxes.first else { throw .noBox(file: source.name, path: item.type?.description ?? "") }
    return box
  }

  // MARK: Writing

  /// Plans the file without reading media data.
  ///
  /// - Throws: `MovieError` also if the source has a usable movie and the edits remove it.
  public func plan() throws(MovieError) -> OutputPlan { try plan(from: try? Movie(reading: [source])) }

  /// Plans the file; `before` is the movie of the source, if it can be read.
  private func plan(from before: Movie?) throws(MovieError) -> OutputPlan {
    var plan = try EditedLayout(placesMovieFirst ? reordered : self, before).plan()
    plan.diagnostics += diagnostics + missingData(of: before)
    let output = try io(PlannedSource(plan, name: source.name))
    try checkMovie(of: output, before, isInPlace: false)
    return plan
  }

  /// Plans a change of the file in place, without moving media data. The old box is cleared, so that removed contents
  /// are no longer in the file.
  ///
  /// - Throws: `MovieError` also if this is not possible in one step.
  public func planInPlace() throws(MovieError) -> InPlacePlan {
    if movesMedia {
      let text = "samples become longer or shorter, so the media after them would have to move"
      throw .impossible(file: source.name, Obstacle("media_moves", text, remedy: .writeNewFile))
    }
    let before = try? Movie(reading: [source])
    // Refuses the same edits as for a new file.
    _ = try plan(from: before)
    var edit = try InPlaceEdit(placingMedia())
    var plan = try edit.plan()
    if plan.movesMovie, edit.hasPlacedMedia {
      // The movie box needs the free space more than new media data does.
      let other = try InPlaceEdit(self)
      let appending = try other.plan()
      if !appending.movesMovie { (edit, plan) = (other, appending) }
    }
    plan.diagnostics += diagnostics + missingData(of: before)
    if placesMovieFirst { try edit.placeMovieFirst(in: &plan) }
    if plan.isEmpty { return plan }
    let finished = try io(plan.finished(source))
    try checkMovie(of: finished, before, isInPlace: true)
    plan.steps += edit.freeingMedia(before, try? Movie(reading: [finished]))
    return plan
  }

  /// Plans the file and writes it to `sink`.
  public func write(to sink: any ByteSink) throws(MovieError) {
    let plan = try plan()
    try io(plan.write(to: sink))
  }
}

extension MovieEditor {
  /// Whether these bytes contain a sample or the data of an item, such as an image: media data can be in a box that was
  /// renamed to `free`.
  func holdsData(_ range: Range<Int>) -> Bool {
    Self.holdsSamples(range, of: try? Movie(reading: [source])) || hasItem(in: range)
  }

  /// Whether these bytes contain a sample of a movie.
  static func holdsSamples(_ range: Range<Int>, of movie: Movie?) -> Bool {
    var isFound = false
    for track in movie?.tracks ?? [] where !isFound {
      let columns = track.samples.storage.list.columns
      columns.forEachExtent(in: 0..<columns.count) { extent in
        let end = extent.offset.addingReportingOverflow(extent.byteCount).partialValue
        isFound = isFound || extent.offset < range.upperBound && end > range.lowerBound && extent.byteCount > 0
      }
    }
    return isFound
  }

  func hasItem(in range: Range<Int>) -> Bool {
    for item in items where item.type == "meta" && !item.range.isEmpty {
      guard let iloc = (try? tree(of: item))?.first("iloc"),
        let places = try? iloc.payload(as: ItemLocationBox.self, from: source).get()
      else { continue }
      for place in places.items where place.constructionMethod == 0 {
        for extent in place.extents {
          let start = Int(clamping: place.baseOffset.addingReportingOverflow(extent.offset).partialValue)
          let length = extent.length == 0 ? Int.max : Int(clamping: extent.length)
          let (end, isBeyond) = start.addingReportingOverflow(length)
          if start < range.upperBound, isBeyond || end > range.lowerBound { return true }
        }
      }
    }
    return false
  }

  /// Warnings about samples whose data is missing in the source; or, if there are none, about its last box.
  private func missingData(of movie: Movie?) -> [Diagnostic] {
    let lost = (movie?.missingData ?? []).map { diagnostic, spans in
      Diagnostic(
        .other(.warning, "\(diagnostic.missing(spans)); the file may be cut off"), diagnostic.file, diagnostic.track)
    }
    guard lost.isEmpty, let cutBox else { return lost }
    let excessive = movie?.diagnostics.first { if case .excessiveSize = $0.kind { true } else { false } }
    if let excessive { return [excessive] }
    let text =
      "\(cutBox.type) at byte \(cutBox.offset) is cut off, so samples may be missing: it has \(cutBox.size) of "
      + "\(cutBox.declaredSize) bytes"
    return [Diagnostic(.warning, source.name, text)]
  }

  private func fieldRefusal(_ path: String, _ error: FieldError) -> MovieError {
    .impossible(file: source.name, Obstacle("field_value", "\(path): \(error)"))
  }

  private func unusableMovie(_ error: MovieError) -> MovieError {
    let text = "the movie could not be used after these edits: \(error.reason)"
    return .impossible(file: source.name, Obstacle("unusable_movie", text))
  }

  /// Throws if the source has a usable movie and the output has none.
  private func checkMovie(of output: PlannedSource, _ before: Movie?, isInPlace: Bool) throws(MovieError) {
    // A movie box that was not edited is as usable as before.
    let edited = items.filter { $0.type == "moov" && $0.tree != nil }
    if edited.isEmpty, items.contains(where: { $0.type == "moov" }) { return }
    guard let described = try? MovieDescription(firstIn: source), !described.tracks.isEmpty else { return }
    let after: MovieDescription?
    do throws(MovieError) {
      after = try MovieDescription(firstIn: output)
    } catch {
      if case .io = error { throw error }
      throw unusableMovie(error)
    }
    guard let after else {
      throw .impossible(file: source.name, Obstacle("no_movie_left", "these edits would remove the moov box"))
    }
    if after.tracks.isEmpty { throw unusableMovie(.noTracks(file: source.name)) }
    if after.failures.count > described.failures.count, let error = after.failures.last {
      throw unusableMovie(error)
    }
    guard let before else { return }
    // Reading all fragments again takes as long as all else.
    let isSame = described.tracks == after.tracks && described.failures.isEmpty
    if isSame, !isInPlace, keepsFragments(before) { return }
    try checkSamples(of: output, before)
  }

  /// Whether all samples are in movie fragments, and neither these nor anything after the first one changes.
  private func keepsFragments(_ movie: Movie) -> Bool {
    guard let first = items.firstIndex(where: { $0.type == "moof" }),
      items[..<first].allSatisfy({ ($0.tree != nil) == ($0.type == "moov") && $0.media == nil }),
      items.count(where: { $0.type == "moov" }) == 1,
      !movie.input.tracks.contains(where: \.hasSamples)
    else { return false }
    var end = items[first].range.lowerBound
    for item in items[first...] {
      guard item.tree == nil, item.media == nil, item.range.lowerBound == end else { return false }
      end = item.range.upperBound
    }
    return end == sourceSize && movie.fragments.fragments.allSatisfy(\.isMovable)
  }

  /// Throws if a track loses all of its samples or is no longer the only one with its ID, or if no movie can be read.
  private func checkSamples(of output: PlannedSource, _ before: Movie) throws(MovieError) {
    let after: Movie
    do throws(MovieError) { after = try Movie(reading: [output]) } catch {
      if case .io = error { throw error }
      throw unusableMovie(error)
    }
    for track in after.tracks {
      // Missing sample data must not be read from the new bytes at its offset.
      if let old = before.tracks.first(where: { $0.id == track.id }), old.samples.count < track.samples.count {
        let text =
          "samples of track \(track.id) have no data, and after these edits would refer to other bytes; repair the "
          + "file first"
        throw .impossible(
          file: source.name, Obstacle("samples_found_elsewhere", text, ["track": .integer(Int(track.id))]))
      }
    }
    if let id = after.repeatedID, before.repeatedID == nil {
      let text = "two tracks would have the ID \(id) after these edits"
      throw .impossible(file: source.name, Obstacle("same_track_id", text, ["track": .integer(Int(id))]))
    }
    let lost = after.missingSampleCount - before.missingSampleCount
    if lost > 0 {
      let text = "\(counted(lost, "sample")) would have no data after these edits"
      throw .impossible(file: source.name, Obstacle("lost_samples", text))
    }
    for track in after.tracks where track.samples.isEmpty {
      if before.tracks.contains(where: { $0.id == track.id && !$0.samples.isEmpty }) {
        let text = "track \(track.id) would have no samples after these edits; remove its trak instead"
        throw .impossible(file: source.name, Obstacle("no_samples_left", text))
      }
    }
  }
}

extension Movie {
  /// The first ID of more than one track.
  fileprivate var repeatedID: UInt32? {
    var known: Set<UInt32> = []
    return tracks.first { !known.insert($0.id).inserted }?.id
  }
  /// The diagnostics about samples whose data is missing, with the times of these samples.
  fileprivate var missingData: [(diagnostic: Diagnostic, spans: [Diagnostic.Span])] {
    diagnostics.compactMap { if case .missingData(let spans) = $0.kind { ($0, spans) } else { nil } }
  }
  fileprivate var missingSampleCount: Int { missingData.flatMap(\.spans).reduce(0) { $0 + $1.samples } }
}

extension MovieDescription {
  /// The first movie of a source; `nil` if there is no movie box.
  fileprivate init?(firstIn source: any ByteSource) throws(MovieError) {
    var parser = BoxParser(source)
    var movie: BoxNode?
    do throws(IOError) {
      while movie == nil, let node = try parser.next() {
        if node.type == "moov" { movie = node }
        parser.skipBoxes()
      }
    } catch { throw .io(error) }
    guard let header = movie?.header else { return nil }
    try self.init(reading: source, in: header.offset..<header.end)
  }
}
