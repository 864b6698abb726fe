import MP4
import MP4Bytes

/// The decoded payload of an event message.
struct EventPayload {
  let kind: TimelineEvent.Kind
  let summary: String
  let details: [TimelineEvent.Detail]
  /// Whether it was decoded completely.
  let isComplete: Bool
  /// A problem with splice information, in words; `nil` if there is none, or for other payloads.
  let problem: String?

  /// Decodes `data`. For unknown schemes, the first bytes determine the format.
  init(_ data: ArraySlice<UInt8>, scheme: String) {
    let isSplice = scheme.hasPrefix("urn:scte:scte35:")
    let elements = isSplice ? SpliceXML.section(in: data) : nil
    if let section = SpliceInformation(elements?[...] ?? (isSplice ? Self.section(in: data) : data)),
      isSplice || section.hasRightChecksum
    {
      (kind, summary) = (.scte35, section.summary)
      // XML has no checksum.
      details = section.details.filter { elements == nil || $0.name != "CRC_32" }
      isComplete = section.isComplete
      // XML has neither a checksum nor a length.
      problem = elements == nil ? section.problem : nil
      return
    }
    problem = isSplice ? "it is not a splice information section" : nil
    let (tags, rest) = ID3Tag.tags(in: data)
    if !tags.isEmpty {
      (kind, summary) = (.id3, tags.map(\.summary).joined(separator: "; "))
      details = tags.flatMap(\.details)
      isComplete = rest.isEmpty && tags.allSatisfy(\.isComplete)
      return
    }
    (kind, isComplete) = (.event, data.isEmpty)
    let text = plainText(data)
    details = text.map { [TimelineEvent.Detail("text", $0)] } ?? []
    summary = text.map { "\"\($0)\"" } ?? (data.isEmpty ? "no payload" : counted(data.count, "unknown byte"))
  }

  /// The section in a payload, which can be binary, base64, or XML with base64 in an element `Binary`: ANSI/SCTE 35 and
  /// SCTE 214-1. `SpliceXML` parses XML with the fields as elements.
  private static func section(in data: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard data.first != SpliceInformation.tableID else { return data }
    var text = data
    if let name = index(of: "Binary", in: data), let start = data[name...].firstIndex(of: UInt8(ascii: ">")) {
      text = data[(start + 1)...].prefix { $0 != UInt8(ascii: "<") }
    }
    return base64Bytes(text)?[...] ?? data
  }

  /// The index of `name` after the start or the prefix of a tag.
  private static func index(of name: StaticString, in data: ArraySlice<UInt8>) -> Int? {
    let letters = Array(name.description.utf8)
    return data.indices.first { index in
      index > data.startIndex && [UInt8(ascii: "<"), UInt8(ascii: ":")].contains(data[index - 1])
        && data[index...].starts(with: letters)
    }
  }
}
