import Bytes
import ISOBMFF

/// The boxes that are copied to an output almost unchanged.
extension MovieInput {
  /// Prepares boxes to be written before other boxes, so that each must declare its size.
  func serializer(_ boxes: [Box]) throws(MovieError) -> BoxSerializer {
    do throws(BoxError) { return try BoxSerializer(boxes, closesEnds: true) } catch {
      throw .damaged(file: sources[0].name, path: "moov", error)
    }
  }

  /// The file type of the first movie with the brands of all movies, without QuickTime brands in an ISO file.
  func fileType() throws(MovieError) -> FileTypeBox {
    var result = FileTypeBox()
    for (number, group) in groups.enumerated() {
      guard let header = group.fileType else { continue }
      var box = Box(FileTypeBox())
      box.fields = .unchanged(header.payload)
      let payloads = MoviePayloads(source: sources[group.source])
      let fileType = try payloads.payload(of: box, in: "ftyp", FileTypeBox.self)
      if number == 0 { result = fileType }
      let brands = Array(result.compatibleBrands)
      result.compatibleBrands = BoxTable(brands + fileType.compatibleBrands.filter { !brands.contains($0) })
    }
    return isOfISO ? Brands.withoutQuickTime(result) : result
  }

  /// The file-level boxes that are copied unchanged, except for the positions of items. A box that extended to the end
  /// of its file gets its actual size, because other boxes follow.
  func keptBoxes(_ relocations: [Relocation], _ diagnostics: inout [Diagnostic]) throws(MovieError) -> [OutputPlan.Part]
  {
    var plan = OutputPlan(sources: sources, diagnostics: [])
    for (index, contents) in contents.enumerated() {
      let source = sources[index]
      for header in contents.kept {
        if header.type == "meta", header.size <= Int(UInt32.max) {
          var boxes = try ItemLayout.boxes(header, of: source, index)
          for box in boxes.indices {
            diagnostics += try relocations[index].correctItems(&boxes[box], of: source, dropsLost: true)
          }
          plan.parts.append(.boxes(try serializer(boxes)))
          continue
        }
        if !header.isSizeRight {
          plan.parts.append(.bytes(try header.bytesWithRightSize(in: source)))
        }
        plan.copy((header.isSizeRight ? header.offset : header.payload.lowerBound)..<header.end, of: index)
      }
    }
    return plan.parts
  }

  /// Corrects the positions of items in the metadata of a movie box and its tracks.
  func correctItems(in moov: inout Box, _ relocations: [Relocation], _ diagnostics: inout [Diagnostic])
    throws(MovieError)
  {
    func correct(_ meta: inout Box) throws(MovieError) {
      diagnostics += try relocations[meta.source].correctItems(&meta, of: sources[meta.source], dropsLost: true)
    }
    for index in moov.boxes.indices {
      if moov.boxes[index].type == "meta" { try correct(&moov.boxes[index]) }
      guard moov.boxes[index].type == "trak" else { continue }
      for inner in moov.boxes[index].boxes.indices where moov.boxes[index].boxes[inner].type == "meta" {
        try correct(&moov.boxes[index].boxes[inner])
      }
    }
  }
}
