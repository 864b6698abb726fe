import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// The boxes of a file.
  static let files: [Rule] = [
    foreignContent,
    .file("iso-ftyp-missing", .isobmff, .warning, "A file starts with an ftyp box.", mendedBy: .defragment) {
      file, report in
      guard file.kind != .segment, file.kind != .other, file.first("ftyp") == nil else { return }
      report.add("there is no ftyp (QuickTime movies from before 2001 have none)", severity: nil)
    },
    .file("iso-ftyp-late", .isobmff, .error, "The ftyp box precedes all boxes of variable size.") { file, report in
      guard let box = file.first("ftyp"), file.places.first?.type != "ftyp" else { return }
      guard
        let early = file.places.prefix(while: { $0.type != "ftyp" }).first(where: { $0.isOfVariableSize })
      else { return }
      report.add(box, "\(early.type) at byte \(early.offset) precedes it")
    },
    .file("iso-ftyp-twice", .isobmff, .error, "A file has one ftyp box.") { file, report in
      let boxes = file.boxes.filter { $0.type == "ftyp" }
      if boxes.count > 1 { report.add(boxes[1], "it is a second ftyp; readers use the first one") }
    },
    .box(
      "iso-brand-major", .isobmff, .warning, ["ftyp", "styp"], "The major brand is one of the compatible brands."
    ) { (type: FileTypeBox, box, report) in
      guard !type.compatibleBrands.isEmpty, !type.compatibleBrands.contains(type.majorBrand) else { return }
      report.add(box, "\(type.majorBrand) is the major brand, but is not among the compatible brands")
    },
    .movie(
      "iso-brand-segments", .cmafBrands, .warning, "Segments list CMAF brands only if the file type does."
    ) { movie, report in
      guard let header = movie.file, header.first("ftyp") != nil else { return }
      let own: Set<FourCC> = ["cmfc", "cmf2"]
      guard own.isDisjoint(with: header.brands) else { return }
      for file in movie.files {
        for box in file.boxes where box.type == "styp" {
          let brands = (box.payload as? FileTypeBox).map { [$0.majorBrand] + $0.compatibleBrands } ?? []
          guard let brand = brands.first(where: { ["cmfs", "cmff", "cmfl"].contains($0) }) else { continue }
          report.add(
            "it lists \(brand), but the file type of \(header.name) lists neither cmfc nor cmf2", path: box.path,
            offset: box.node.header.offset, file: file.name)
        }
      }
    }.explained(by: "cmaf-brand"),
    .box(
      "iso-brand-none", .isobmff, .warning, ["ftyp"], "The ftyp box lists compatible brands."
    ) { (type: FileTypeBox, box, report) in
      if type.compatibleBrands.isEmpty, type.majorBrand != "qt  " { report.add(box, "there are no compatible brands") }
    },
    .box(
      "iso-brand-twice", .isobmff, .note, ["ftyp", "styp"], "Each brand is listed once."
    ) { (type: FileTypeBox, box, report) in
      var seen: Set<FourCC> = []
      for brand in type.compatibleBrands where brand.rawValue != 0 && !seen.insert(brand).inserted {
        report.add(box, "it lists \(brand) more than once")
      }
    },
    .file("iso-moov-twice", .isobmff, .error, "A file has one moov.", mendedBy: .defragment) { file, report in
      let boxes = file.boxes.filter { $0.type == "moov" }
      if boxes.count > 1 { report.add(boxes[1], "it is a second moov; players use one of them") }
    },
    .file("iso-moov-late", .isobmff, .error, "moov precedes all movie fragments.") { file, report in
      guard let box = file.first("moov"), let fragment = file.fragments.first else { return }
      if fragment.offset < box.node.header.offset {
        report.add(box, "\(fragment.path) at byte \(fragment.offset) precedes it")
      }
    },
    .file(
      "web-moov-last", .web, .note,
      "moov precedes the media data, so that playback can start before the download ends.",
      mendedBy: .defragment
    ) { file, report in
      guard let box = file.first("moov"), let media = file.firstPlace("mdat"), file.fragments.isEmpty else { return }
      if media.offset < box.node.header.offset { report.add(box, "the media data precedes it") }
    },
    .file("iso-mdat-missing", .isobmff, .error, "Movie fragments with samples have media data.") { file, report in
      guard file.firstPlace("mdat") == nil,
        let fragment = file.fragments.first(where: { file.tracks(of: $0).contains { $0.byteCount > 0 } })
      else { return }
      report.add("it declares samples, but the file has no mdat", path: fragment.path, offset: fragment.offset)
    },
  ]
}

extension BoxPlace {
  /// Whether boxes of its type can be so large that readers find the boxes after them late.
  fileprivate var isOfVariableSize: Bool { !["free", "skip", "wide", "pdin", "jP  "].contains(type) }
}
