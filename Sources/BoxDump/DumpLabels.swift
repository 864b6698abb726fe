import ISOBMFF
package import MP4Bytes

/// How mp4dump prints one box: its labels in its order. The box declarations are separate and have the standard's
/// names.
final class DumpLabels: Sendable {
  /// Whether mp4dump counts version and flags as part of the header.
  let isFull: Bool
  /// In mp4dump's order, which is not always the file's.
  let lines: [Line]

  init(isFull: Bool, lines: [Line]) {
    self.isFull = isFull
    self.lines = lines
  }

  /// One line, or the lines of one table.
  enum Line: Sendable {
    case field(name: StaticText, label: StaticText, Format, verbosity: Int)
    /// What mp4dump computes from several fields.
    case derived(label: StaticText, @Sendable (borrowing Fields) -> Derived?)
    /// `always`: the label is printed even when the file has no such table.
    case table(name: StaticText, label: StaticText, Rows, verbosity: Int, always: Bool)
  }
  enum Derived {
    case number(Int64)
    case text(StaticText)
    case bytes(ArraySlice<UInt8>)
    case value(FieldValue)
  }

  /// How a value is printed.
  enum Format {
    /// As usual for its kind of value.
    case plain
    /// Hexadecimal digits without a prefix.
    case hex
    /// The number that encodes a fixed-point value or a code.
    case raw
    /// The integer part of a fixed-point value.
    case whole
    /// A fixed-point value with six decimal places.
    case sixDigits
    /// A number plus a constant.
    case plus(Int64)
    /// The name of a number, where it has one.
    case named(DumpNames)
    /// A number times a constant.
    case times(Int64)
    /// Bytes with a space after each.
    case spacedBytes
    /// Text in which every zero byte ends a line.
    case lines
    /// Text up to its first zero byte.
    case terminated
  }

  /// How the rows of a table are printed.
  struct Rows {
    enum Style {
      /// One line for each row, with its number.
      case numbered
      /// One line with the number of each row, and one line for each of its fields.
      case expanded
      /// One line for each field of each row, as if the field occurred several times.
      case repeated
      /// As `repeated` for plain values, with the row number in the label. Printed at the position of the table's line.
      case numberedLabel
      /// One line for each field, with the row number before the name. Printed at the position of the table's line.
      case indexed
      /// As `indexed`, with all fields of a row on one line.
      case indexedLines
      /// All values on the line of the label, as four hexadecimal digits each.
      case joined
      /// As `numbered`, with what mp4dump computes from neighbouring rows of `stsc`.
      case sampleToChunk
    }
    var style: Style
    /// The fields of a row that mp4dump prints. Empty means all.
    var columns: [Column] = []
    /// The label of a line with the number of rows, printed before them.
    var counter: StaticText?
    /// The fields of an `indexed` row, chosen by the value of its first field.
    var choose: (@Sendable (Int64) -> [Column])?

    static func numbered(_ columns: Column...) -> Rows { Rows(style: .numbered, columns: columns) }
    static func expanded(_ columns: Column...) -> Rows { Rows(style: .expanded, columns: columns) }
    static func repeated(_ columns: Column..., counter: StaticText? = nil) -> Rows {
      Rows(style: .repeated, columns: columns, counter: counter)
    }
    static func indexed(_ choose: @escaping @Sendable (Int64) -> [Column]) -> Rows {
      Rows(style: .indexed, choose: choose)
    }
    static func indexedLines(_ columns: Column...) -> Rows { Rows(style: .indexedLines, columns: columns) }
    static let numberedLabel = Rows(style: .numberedLabel)
    static let joined = Rows(style: .joined)
    static let sampleToChunk = Rows(style: .sampleToChunk)

    /// Whether the rows are kept until the line of their table is printed.
    var isLater: Bool { style == .numberedLabel || isIndexed }
    var isIndexed: Bool { style == .indexed || style == .indexedLines }

    /// How a field of a row is printed; without a label, under the standard's name.
    func column(_ name: StaticText) -> Column {
      if let column = columns.first(where: { $0.name == name }) { return column }
      var other = Column(name)
      other.isExtra = !columns.isEmpty
      return other
    }
  }
  /// One column of a table.
  struct Column {
    var name: StaticText
    var label: StaticText
    /// The label at verbosity 1.
    var short: StaticText?
    /// Whether mp4dump omits it.
    var isExtra = false

    init(_ name: StaticText, _ label: StaticText? = nil, short: StaticText? = nil) {
      self.name = name
      self.label = label ?? name
      self.short = short
    }
  }

  /// The fields of a box by name.
  struct Fields: ~Copyable {
    /// Version and flags, once they are known.
    var header: FullBoxHeader?
    var flags: Int64 { Int64(header?.flags ?? 0) }
    private(set) var values: [(name: StaticText, value: FieldValue, isDerived: Bool)] = []
    mutating func append(_ name: StaticText, _ value: FieldValue, isDerived: Bool = false) {
      values.append((name, value, isDerived))
    }
    mutating func removeAll() {
      header = nil
      while values.popLast() != nil {}
    }
    subscript(name: StaticText) -> FieldValue? { values.first { $0.name == name }?.value }
    func number(_ name: StaticText) -> Int64 { self[name]?.number ?? 0 }
  }

  /// Whether a line shows the field, so that it needs no line of its own.
  func names(_ field: StaticText) -> Bool {
    lines.contains {
      switch $0 {
      case .field(let name, _, _, _), .derived(let name, _): name == field
      case .table: false
      }
    }
  }
  func index(ofTable table: StaticText) -> Int? {
    lines.firstIndex {
      if case .table(let name, _, _, _, _) = $0 { name == table } else { false }
    }
  }
}

extension DumpLabels.Line {
  static func field(
    _ name: StaticText, _ label: StaticText? = nil, _ format: DumpLabels.Format = .plain, from verbosity: Int = 0
  ) -> Self { .field(name: name, label: label ?? name, format, verbosity: verbosity) }
  static func field(_ name: StaticText, _ format: DumpLabels.Format, from verbosity: Int = 0) -> Self {
    .field(name: name, label: name, format, verbosity: verbosity)
  }
  static func derived(_ label: StaticText, _ make: @escaping @Sendable (borrowing DumpLabels.Fields) -> Derived?)
    -> Self
  { .derived(label: label, make) }
  typealias Derived = DumpLabels.Derived
  static func table(
    _ name: StaticText, _ label: StaticText, _ rows: DumpLabels.Rows, from verbosity: Int, always: Bool = false
  ) -> Self { .table(name: name, label: label, rows, verbosity: verbosity, always: always) }
  /// A table under the label that mp4dump usually prints.
  static func table(_ name: StaticText, _ rows: DumpLabels.Rows, from verbosity: Int, always: Bool = false) -> Self {
    .table(name, "entries", rows, from: verbosity, always: always)
  }
}

/// Numbers that mp4dump prints as names.
enum DumpNames {
  case avcProfiles, hevcProfiles, dolbyVisionProfiles

  func name(of number: Int64) -> StaticText? {
    switch (self, number) {
    case (.avcProfiles, 66): "Baseline"
    case (.avcProfiles, 77): "Main"
    case (.avcProfiles, 88): "Extended"
    case (.avcProfiles, 100): "High"
    case (.avcProfiles, 110): "High 10"
    case (.avcProfiles, 122): "High 4:2:2"
    case (.avcProfiles, 144): "High 4:4:4"
    case (.hevcProfiles, 1): "Main"
    case (.hevcProfiles, 2): "Main 10"
    case (.hevcProfiles, 3): "Main Still Picture"
    case (.hevcProfiles, 4): "Rext"
    case (.dolbyVisionProfiles, 0): "dvav.per"
    case (.dolbyVisionProfiles, 1): "dvav.pen"
    case (.dolbyVisionProfiles, 2): "dvhe.der"
    case (.dolbyVisionProfiles, 3): "dvhe.den"
    case (.dolbyVisionProfiles, 4): "dvhe.dtr"
    case (.dolbyVisionProfiles, 5): "dvhe.stn"
    case (.dolbyVisionProfiles, 6): "dvhe.dth"
    // mp4dump uses these letters.
    case (.dolbyVisionProfiles, 7): "dvhr.dtb"
    case (.dolbyVisionProfiles, 8): "dvhe.st"
    case (.dolbyVisionProfiles, 9): "dvav.se"
    default: nil
    }
  }
}

/// How mp4dump prints descriptors of ISO/IEC 14496-1.
extension DumpLabels {
  /// The descriptors inside `esds` and `iods`: their names and labels. Without a name, a descriptor is named by its
  /// tag. With an empty name, its fields are printed among those of its parent.
  static func ofDescriptor(_ tag: UInt8) -> (name: StaticText?, labels: DumpLabels) {
    switch tag {
    case 0x02, 0x10: ("InitialObjectDescriptor", initialObject)
    case 0x03: ("ESDescriptor", elementaryStream)
    case 0x04: ("DecoderConfig", decoderConfig)
    case 0x05: ("", decoderSpecificInfo)
    case 0x0e: ("ES_ID_Inc", trackReference)
    default: (nil, otherDescriptor)
    }
  }
  private static let elementaryStream = plain(
    .field("ES_ID", "es_id"), .field("streamPriority", "stream_priority"))
  private static let decoderConfig = plain(
    .field("streamType", "stream_type"), .field("objectTypeIndication", "object_type"),
    .field("upStream", "up_stream"), .field("bufferSizeDB", "buffer_size"), .field("maxBitrate", "max_bitrate"),
    .field("avgBitrate", "avg_bitrate"))
  private static let decoderSpecificInfo = plain(.field("specific_info", "DecoderSpecificInfo", .spacedBytes))
  private static let trackReference = plain(.field("Track_ID", "track_id"))
  private static let otherDescriptor = plain()
  private static let initialObject = plain(
    .field("ObjectDescriptorID", "id"),
    .field("includeInlineProfileLevelFlag", "include inline profile level flag"),
    .field("ODProfileLevelIndication", "OD profile level", .hex),
    .field("sceneProfileLevelIndication", "scene profile level", .hex),
    .field("audioProfileLevelIndication", "audio profile level", .hex),
    .field("visualProfileLevelIndication", "visual profile level", .hex),
    .field("graphicsProfileLevelIndication", "graphics profile level", .hex))
}

/// How mp4dump prints metadata.
extension DumpLabels {
  /// Boxes whose types mean something else outside an item with a name.
  static let namedItems: [FourCC: DumpLabels] = ["mean": plain(.field("value")), "name": plain(.field("value"))]

  /// Of the values, mp4dump shows only text and signed numbers; other values have fields with other names.
  static let metadata: [FourCC: DumpLabels] = [
    "data": plain(
      .derived("type") { fields in
        let set = UInt64(bitPattern: fields.number("type_set"))
        return .value(
          fields["type"].flatMap { set == 0 ? $0 : nil }
            ?? .unsigned(set << 24 | UInt64(bitPattern: fields.number("type"))))
      },
      .derived("lang") { .number($0.number("country") << 16 | $0.number("language")) }, .field("value")),
    "titl": assetText, "dscp": assetText, "perf": assetText, "auth": assetText, "gnre": assetText,
    "icnu": uri, "infu": uri, "cvru": uri, "lrcu": uri,
  ]
  private static let assetText = full(.field("language"), .field("value"))
  private static let uri = full(.field("uri", "value"))
}

extension TextOptions {
  /// The standard's name of a field under its label in text output, such as `entries[1].edit_duration` for
  /// `entries[1].segment duration` of `elst`; `nil` for other names, and for labels of values that are printed in
  /// another form. In labels, underscores are spaces, and the case does not matter.
  package static func standardName(of label: String, in type: FourCC) -> String? {
    guard let lines = DumpLabels.byType(type)?.lines else { return nil }
    let dot = label.utf8.lastIndex(of: UInt8(ascii: "."))
    let table = dot.map { String(label[..<$0].prefix { $0 != "[" }) }
    let word = folded(dot.map { String(label[label.utf8.index(after: $0)...]) } ?? label)
    for line in lines {
      switch line {
      case .field(let name, let own, .plain, _), .field(let name, let own, .sixDigits, _):
        if table == nil, folded("\(own)") == word { return "\(name)" }
      case .table(let name, _, let rows, _, _):
        guard let dot, table == "\(name)", let column = rows.columns.first(where: { folded("\($0.label)") == word })
        else { continue }
        return "\(label[...dot])\(column.name)"
      case .field, .derived: continue
      }
    }
    return nil
  }

  /// The part of a label after its last slash, without spaces.
  private static func folded(_ label: String) -> String {
    let word = label.split(separator: "/").last ?? ""
    return word.filter { $0 != " " && $0 != "_" && $0 != ":" }.lowercased()
  }
}

/// How mp4dump prints boxes of text and hint tracks.
extension DumpLabels {
  static let texts: [FourCC: DumpLabels] = [
    "stpp": plain(
      .field("data_reference_index"), .field("namespace"), .field("schema_location"),
      .field("auxiliary_mime_types", "image_mime_type")),
    "rtp ": packets, "srtp": packets, "rrtp": packets, "rsrp": packets, "prtp": packets,
  ]

  private static let packets = plain(
    .field("data_reference_index"), .field("hinttrackversion", "hint_track_version"),
    .field("highestcompatibleversion", "highest_compatible_version"), .field("maxpacketsize", "max_packet_size"))

  static let hints: [FourCC: DumpLabels] = [
    "tims": plain(.field("timescale", "time_scale")),
    "sdp ": plain(.field("sdptext", "sdp_text")),
    "rtp ": plain(.field("descriptionformat", "description_format"), .field("sdptext", "sdp_text")),
    "pdin": full(.table("entries", "", .repeated(Column("rate"), Column("initial_delay")), from: 0)),
    "ainf": full(.field("profile_version", .hex), .field("APID")),
    "cprt": full(.field("language"), .field("notice", "value")),
  ]
}
