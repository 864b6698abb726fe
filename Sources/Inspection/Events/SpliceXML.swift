import MP4
import MP4Bytes
import MP4HLS

/// Converts a splice information section from XML (ANSI/SCTE 35 2023, 11) to binary, so that only one parser is needed.
enum SpliceXML {
  /// The section in a document with an element `SpliceInfoSection`; `nil` if there is none, or if it has a command or
  /// descriptor without a binary form.
  static func section(in document: ArraySlice<UInt8>) -> [UInt8]? {
    guard let root = (try? XMLElement(document: document))?.descendant("SpliceInfoSection"),
      let command = command(of: root)
    else { return nil }
    var descriptors: [UInt8] = []
    for child in root.children where child.name.hasSuffix("Descriptor") {
      guard let descriptor = descriptor(child) else { return nil }
      descriptors += descriptor
    }
    var body = BitList()
    body.add(root.number("protocolVersion"), 8)
    body.add(0, 7)
    body.add(root.number("ptsAdjustment"), 33)
    body.add(0, 8)
    body.add(root.number("tier", default: 0xfff), 12)
    body.add(UInt64(command.bytes.count), 12)
    body.add(UInt64(command.type), 8)
    body.bytes += command.bytes
    body.add(UInt64(descriptors.count), 16)
    body.bytes += descriptors
    guard body.bytes.count + 4 < 4094, command.bytes.count < 0xfff else { return nil }
    var section = BitList()
    section.add(UInt64(SpliceInformation.tableID), 8)
    section.add(0, 2)
    section.add(root.number("sapType", default: 3), 2)
    section.add(UInt64(body.bytes.count + 4), 12)
    section.bytes += body.bytes
    let sum = SpliceInformation.checksum(section.bytes[...])
    section.add(UInt64(sum), 32)
    return section.bytes
  }

  private static func command(of root: XMLElement) -> (type: UInt8, bytes: [UInt8])? {
    var list = BitList()
    for child in root.children {
      switch child.name {
      case "SpliceNull": return (0, [])
      case "SpliceSchedule":
        let events = child.children.filter { $0.name == "Event" }
        list.add(UInt64(events.count), 8)
        for event in events.prefix(255) { list.add(event, isScheduled: true) }
        return (4, list.bytes)
      case "SpliceInsert":
        list.add(child, isScheduled: false)
        return (5, list.bytes)
      case "TimeSignal":
        list.addTime(child.first("SpliceTime"))
        return (6, list.bytes)
      case "BandwidthReservation": return (7, [])
      case "PrivateCommand":
        list.add(child.number("identifier"), 32)
        return (255, list.bytes + (hexBytes(child.first("PrivateBytes")?.text ?? child.text) ?? []))
      default: continue
      }
    }
    return nil
  }

  private static func descriptor(_ element: XMLElement) -> [UInt8]? {
    var list = BitList()
    list.bytes += Array("CUEI".utf8)
    let tag: UInt8
    switch element.name {
    case "AvailDescriptor":
      tag = 0
      list.add(element.number("providerAvailId"), 32)
    case "DTMFDescriptor":
      tag = 1
      let tones = Array((element["chars"] ?? "").utf8.prefix(7))
      list.add(element.number("preroll"), 8)
      list.add(UInt64(tones.count) << 5 | 0x1f, 8)
      list.bytes += tones
    case "SegmentationDescriptor":
      tag = 2
      guard list.addSegmentation(element) else { return nil }
    case "TimeDescriptor":
      tag = 3
      list.add(element.number("taiSeconds"), 48)
      list.add(element.number("taiNs"), 32)
      list.add(element.number("utcOffset"), 16)
    default: return nil
    }
    return list.bytes.count < 256 ? [tag, UInt8(list.bytes.count)] + list.bytes : nil
  }

  /// Decodes hexadecimal digits; `nil` if they are not valid.
  fileprivate static func hexBytes(_ text: String) -> [UInt8]? {
    let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
    guard digits.count % 2 == 0, digits.count == text.count(where: { !$0.isWhitespace }) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

extension XMLElement {
  /// The number in an attribute; `default` if there is none.
  fileprivate func number(_ name: String, default value: UInt64 = 0) -> UInt64 {
    self[name].flatMap { UInt64($0) } ?? value
  }
  fileprivate func flag(_ name: String, default value: Bool = false) -> Bool {
    self[name].map { $0 == "true" || $0 == "1" } ?? value
  }
}

/// Writes numbers of any width, most significant bit first.
private struct BitList {
  /// The bytes so far; whole bytes can only be added at a byte boundary.
  var bytes: [UInt8] = []
  private var free = 0

  /// Adds the lowest bits of a number.
  mutating func add(_ value: UInt64, _ count: Int) {
    for bit in (0..<count).reversed() {
      if free == 0 {
        bytes.append(0)
        free = 8
      }
      free -= 1
      bytes[bytes.count - 1] |= UInt8(value >> UInt64(bit) & 1) << UInt8(free)
    }
  }
  mutating func add(_ flag: Bool) { add(flag ? 1 : 0, 1) }

  /// `splice_time()`.
  mutating func addTime(_ element: XMLElement?) {
    guard let element, element["ptsTime"] != nil else { return add(0x7f, 8) }
    add(0x7f, 7)
    add(element.number("ptsTime"), 33)
  }

  /// Adds a `splice_insert()`, or an event of `splice_schedule()`.
  mutating func add(_ event: XMLElement, isScheduled: Bool) {
    add(event.number("spliceEventId"), 32)
    let isCancelled = event.flag("spliceEventCancelIndicator")
    add(isCancelled)
    add(0x7f, 7)
    if isCancelled { return }
    let components = event.children.filter { $0.name == "Component" }
    let (program, duration) = (event.first("Program"), event.first("BreakDuration"))
    let isImmediate = !isScheduled && event.flag("spliceImmediateFlag")
    let isProgram = program != nil || components.isEmpty
    add(event.flag("outOfNetworkIndicator"))
    add(isProgram)
    add(duration != nil)
    add(isScheduled ? true : isImmediate)
    add(0xf, 4)
    if isProgram {
      if isScheduled { addDate(program) } else if !isImmediate { addTime(program?.first("SpliceTime")) }
    } else {
      add(UInt64(components.count), 8)
      for component in components.prefix(255) {
        add(component.number("componentTag"), 8)
        if isScheduled { addDate(component) } else if !isImmediate { addTime(component.first("SpliceTime")) }
      }
    }
    if let duration {
      add(duration.flag("autoReturn"))
      add(0x3f, 6)
      add(duration.number("duration"), 33)
    }
    add(event.number("uniqueProgramId"), 16)
    add(event.number("availNum"), 8)
    add(event.number("availsExpected"), 8)
  }

  /// Adds `utc_splice_time`, which is a date in XML.
  private mutating func addDate(_ element: XMLElement?) {
    let date = element?["utcSpliceTime"].flatMap { DateTime($0) }
    let seconds = date.map { Int(clamping: $0.sinceEpoch.components.seconds) - SpliceScheduleEvent.epoch } ?? 0
    add(UInt64(clamping: seconds), 32)
  }

  /// Adds the contents of a `segmentation_descriptor()` after its identifier; returns `false` if an identifier is not
  /// in hexadecimal digits.
  mutating func addSegmentation(_ element: XMLElement) -> Bool {
    add(element.number("segmentationEventId"), 32)
    let isCancelled = element.flag("segmentationEventCancelIndicator")
    add(isCancelled)
    add(0x7f, 7)
    if isCancelled { return true }
    let components = element.children.filter { $0.name == "Component" }
    let restrictions = element.first("DeliveryRestrictions")
    let hasDuration = element["segmentationDuration"] != nil
    add(components.isEmpty)
    add(hasDuration)
    add(restrictions == nil)
    if let restrictions {
      add(restrictions.flag("webDeliveryAllowedFlag"))
      add(restrictions.flag("noRegionalBlackoutFlag"))
      add(restrictions.flag("archiveAllowedFlag"))
      add(restrictions.number("deviceRestrictions"), 2)
    } else {
      add(0x1f, 5)
    }
    if !components.isEmpty {
      add(UInt64(components.count), 8)
      for component in components.prefix(255) {
        add(component.number("componentTag"), 8)
        add(0x7f, 7)
        add(component.number("ptsOffset"), 33)
      }
    }
    if hasDuration { add(element.number("segmentationDuration"), 40) }
    guard addIdentifiers(element.children.filter { $0.name == "SegmentationUpid" }) else { return false }
    let type = element.number("segmentationTypeId")
    add(type, 8)
    add(element.number("segmentNum"), 8)
    add(element.number("segmentsExpected"), 8)
    if element["subSegmentNum"] != nil || element["subSegmentsExpected"] != nil {
      add(element.number("subSegmentNum"), 8)
      add(element.number("subSegmentsExpected"), 8)
    }
    return true
  }

  /// Adds the type, length and bytes of a unique program identifier; several are wrapped in one of type 13.
  private mutating func addIdentifiers(_ elements: [XMLElement]) -> Bool {
    var list: [(type: UInt8, bytes: [UInt8])] = []
    for element in elements {
      var bytes = Array(element.text.utf8)
      let format = element["segmentationUpidFormat"] ?? "hexbinary"
      if format == "hexbinary" {
        guard let found = SpliceXML.hexBytes(element.text) else { return false }
        bytes = found
      } else if format == "base-64" {
        guard let found = base64Bytes(element.text.utf8) else { return false }
        bytes = found
      }
      guard bytes.count < 254 else { return false }
      list.append((UInt8(truncatingIfNeeded: element.number("segmentationUpidType")), bytes))
    }
    if list.count > 1 {
      let inner = list.flatMap { [$0.type, UInt8($0.bytes.count)] + $0.bytes }
      guard inner.count < 256 else { return false }
      list = [(0x0d, inner)]
    }
    let (type, bytes) = list.first ?? (0, [])
    add(UInt64(type), 8)
    add(UInt64(bytes.count), 8)
    self.bytes += bytes
    return true
  }
}
