import ISOBMFF
import MP4
public import MP4Bytes
package import MP4Records

/// A report on a file of still images, as one self-contained page.
public struct ImageReport: Sendable {
  /// The summary.
  public let summary: ImageSummary
  /// Data loss and violated rules, the most severe first.
  public let findings: [ReportFinding]
  /// What was checked; `nil` without a check.
  private let scope: String?
  /// The use of its bytes.
  package let map: ByteMap
  /// The description of the video of a motion photo; empty if there is none.
  private let video: [String]

  /// The page of the file `source`; `check` is the result of checking it. Only the headers of boxes and the boxes of a
  /// video are read.
  public init(_ summary: ImageSummary, of source: any ByteSource, check: CheckResult? = nil) throws(IOError) {
    self.summary = summary
    scope = check?.scope
    map = try ByteMap([source], [], summary)
    video = try Self.motionVideo(in: source)
    var found =
      summary.diagnostics.map { ReportFinding($0, []) } + (check?.findings ?? []).map { ReportFinding($0, at: []) }
    for index in found.indices where found[index].file == source.name { found[index].position = found[index].offset }
    findings = found.enumerated().sorted { ($0.element.severity, $0.offset) < ($1.element.severity, $1.offset) }
      .map(\.element)
  }

  /// Writes the page: HTML with inline style and script.
  public func write(to sink: any ByteSink) throws(IOError) {
    let sections = [
      overview, ReportPage.section(map, findings), ReportPage.findings(findings, besides: summary.name),
    ].compactMap(\.self)
    try sink.write(Array(ReportPage.page(summary.name, findings.map(\.severity), scope, sections, self).utf8))
  }

  /// The movie in the box of a motion photo, and its tracks.
  private static func motionVideo(in source: any ByteSource) throws(IOError) -> [String] {
    var parser = BoxParser(source)
    while let node = try parser.next() {
      parser.skipBoxes()
      let range = node.header.payload
      guard node.type == "mpvd", !range.isEmpty else { continue }
      let part = ClosureSource(name: source.name, byteCount: range.count) { bytes in
        try source.bytes(in: (range.lowerBound + bytes.lowerBound)..<(range.lowerBound + bytes.upperBound))
      }
      let size = "video of a motion photo (mpvd): \(Quantity.text(range.count, "B"))"
      guard let movie = try? MovieSummary(Movie(reading: [part])) else { return [size + ", which cannot be read"] }
      return ["\(size), \(movie.duration)"] + movie.tracks.map { "track \($0.id): \($0.codecName), \($0.format)" }
    }
    return []
  }

  private var overview: ReportPage.Section {
    var tiles: [(name: String, value: String, more: String?)] = []
    if let count = summary.byteCount {
      tiles.append(("Size", Quantity.text(count, "B"), "\(ReportPage.grouped(count)) bytes"))
    }
    if let brand = summary.majorBrand { tiles.append(("Brand", "\(brand)".printable.escapedForHTML, nil)) }
    if let size = summary.items.first(where: \.isPrimary)?.size {
      tiles.append(("Primary image", "\(size.width) × \(size.height)", nil))
    }
    tiles.append(("Items", ReportPage.grouped(summary.items.count), nil))
    return ReportPage.Section(
      id: "summary", title: "Summary",
      body: ReportPage.tiles(tiles) + ReportPage.lines(video) + ReportPage.items(of: summary))
  }
}

extension ReportPage {
  private static let itemLimit = 500

  /// The items of a file.
  static func items(of summary: ImageSummary) -> String {
    let rows = summary.items.prefix(itemLimit).map { item -> [String] in
      let references = item.references.map { reference in
        let items = reference.items.prefix(4).map(String.init).joined(separator: ", ")
        return "\(reference.type) of \(items)" + (reference.items.count > 4 ? " …" : "")
      }
      let turned = (item.rotation != 0 ? "\(item.rotation)°" : "") + (item.isMirrored ? " mirrored" : "")
      return [
        "\(item.id)", "\(item.type)", item.codecName ?? item.contentType ?? "–",
        item.size.map { "\($0.width) × \($0.height)" } ?? "–",
        item.bitDepths.isEmpty ? "–" : item.bitDepths.map(String.init).joined(separator: ", "),
        turned.isEmpty ? "–" : turned, item.isPrimary ? "primary" : item.isHidden ? "hidden" : "–",
        item.auxiliaryType ?? "–", references.isEmpty ? "–" : references.joined(separator: "; "),
      ].map { $0.printable.escapedForHTML }
    }
    let columns = ["ID", "Type", "Contents", "Size", "Bits", "Turned", "Shown", "Auxiliary", "Refers to"]
    return "<h3>Items</h3>\n" + table("Items", columns, numbers: [], rows)
      + more(than: itemLimit, of: summary.items.count, "item")
  }
}

extension ImageReport: Record {
  package static let summary = "The values of the page of a file of still images."
  package static let members: [RecordMember<Self>] = [
    RecordMember("summary", "the summary, as written by `mp4tool info`") { $0.summary },
    RecordMember("map", "the byte map") { $0.map },
    RecordMember("checked", "what was checked, as a phrase; missing without a check") { $0.scope },
    RecordMember("findings", "the findings") { $0.findings },
  ]
}
