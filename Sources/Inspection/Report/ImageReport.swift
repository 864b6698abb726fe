public import Bytes
import ISOBMFF
import MP4

/// What a file of still images is, as one page that needs nothing else.
public struct ImageReport: Sendable {
  /// What it is.
  public let summary: ImageSummary
  /// Losses and broken rules; the worst come first.
  public let findings: [ReportFinding]

  /// The page of a file, of which `check` found something.
  public init(_ summary: ImageSummary, check: CheckResult? = nil) {
    self.summary = summary
    let found =
      summary.diagnostics.map { ReportFinding($0, []) } + (check?.findings ?? []).map { ReportFinding($0, at: []) }
    findings = found.enumerated().sorted { ($0.element.severity, $0.offset) < ($1.element.severity, $1.offset) }
      .map(\.element)
  }

  /// Writes the page: HTML with style and script in it.
  public func write(to sink: any ByteSink) throws(IOError) {
    let sections = [overview, ReportPage.findings(findings, besides: summary.name)].compactMap(\.self)
    try sink.write(Array(ReportPage.page(summary.name, findings.map(\.severity), sections, self).utf8))
  }

  private static let rowLimit = 500

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
    let rows = summary.items.prefix(Self.rowLimit).map { item -> [String] in
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
    return ReportPage.Section(
      id: "summary", title: "Summary",
      body: ReportPage.tiles(tiles) + "<h3>Items</h3>\n"
        + ReportPage.table("Items", columns, numbers: [], rows)
        + ReportPage.more(than: Self.rowLimit, of: summary.items.count, "item"))
  }
}

extension ImageReport: Record {
  package static let summary = "What the page of a file of still images shows."
  package static let members: [RecordMember<Self>] = [
    RecordMember("summary", "the summary, as `mp4tool info` writes it") { $0.summary },
    RecordMember("findings", "what the report points out") { $0.findings },
  ]
}
