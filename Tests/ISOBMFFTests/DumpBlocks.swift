/// A box in a dump: its header line and the lines of its fields.
struct DumpBlock {
  var header: String
  var fields: [String]

  /// The four-character code of the box, or the name of a descriptor.
  var type: String { String(header.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }) }

  /// The blocks of a dump. The bytes are read as Latin-1, so that any bytes can be compared.
  static func all(of dump: [UInt8]) -> [DumpBlock] {
    var blocks: [DumpBlock] = []
    for line in dump.split(separator: UInt8(ascii: "\n")) {
      var text = ""
      for byte in line { text.unicodeScalars.append(Unicode.Scalar(byte)) }
      if isHeader(line) {
        blocks.append(DumpBlock(header: text, fields: []))
      } else if !blocks.isEmpty {
        blocks[blocks.count - 1].fields.append(text)
      }
    }
    return blocks
  }

  private static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
    let rest = line.drop { $0 == UInt8(ascii: " ") }
    guard rest.first == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
    return rest[end...].starts(with: "] size=".utf8)
  }
}

/// Converts a block of mp4dump to the expected one of our dump: unchanged, except for a closed list of clear errors in
/// mp4dump. The manual of `dump` has the same list in prose.
enum Deviations {
  static func corrected(_ block: DumpBlock) -> [String] {
    switch block.type {
    case "tkhd": block.fields.map(trackHeader)
    case "ctts": block.fields.map { signed($0, after: ", offset = ", bits: 32) }
    case "vmhd": block.fields.map(colour)
    // The count of rows without bytes cannot be checked: a small file can declare four billion.
    case "trun": block.fields.filter { !$0.hasSuffix(") ") }
    case "senc":
      if block.fields.contains(where: { $0.hasSuffix("IV Size (inferred) = 0") }),
        !block.fields.contains(where: { $0.hasSuffix("sub entries:") })
      {
        block.fields.filter { !$0.hasSuffix(") ") && !$0.hasSuffix(" info = []") }
      } else {
        block.fields
      }
    default: block.fields
    }
  }

  /// The last matrix number has 30 fraction bits, but mp4dump divides it as if it had 16. The layer and the group are
  /// signed.
  private static func trackHeader(_ line: String) -> String {
    if line.hasSuffix("matrix_8 = 16384.000000") { return line.dropLast(12) + "1.000000" }
    return signed(signed(line, after: "layer = ", bits: 16), after: "alternate_group = ", bits: 16)
  }

  /// mp4dump prints the color with the bytes of each number swapped.
  private static func colour(_ line: String) -> String {
    guard let start = line.range(of: "op_color = ") else { return line }
    let numbers = line[start...].split(separator: ",").map { $0.suffix(2) + $0.prefix(2) }
    return line[..<start] + numbers.joined(separator: ",")
  }

  /// A line that ends with a signed number of this many bits, which mp4dump prints as unsigned.
  private static func signed(_ line: String, after label: String, bits: Int) -> String {
    guard let start = line.range(of: label), let number = Int(line[start...]), number >> (bits - 1) == 1 else {
      return line
    }
    return line[..<start] + String(number - 1 << bits)
  }
}

extension String {
  /// The range up to the end of `label`.
  fileprivate func range(of label: String) -> String.Index? {
    var rest = self[...]
    while !rest.isEmpty {
      if rest.hasPrefix(label) { return rest.dropFirst(label.count).startIndex }
      rest = rest.dropFirst()
    }
    return nil
  }
}
