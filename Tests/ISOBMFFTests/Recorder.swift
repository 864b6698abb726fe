import BoxDump
import ISOBMFF
import MP4Bytes

/// Records the fields of a box, one line each, with rows and descriptors indented.
final class Recorder: FieldSink {
  private(set) var lines: [String] = []
  private var depth = 0

  func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) {
    field("version", .unsigned(UInt64(header.version)))
    field("flags", .hexadecimal(UInt64(header.flags)))
  }
  func derived(_ name: StaticText, _ value: FieldValue) { field(name, value) }
  func field(_ name: StaticText, _ value: FieldValue) {
    add(!name.isEmpty ? "\(name) = \(Self.text(value))" : Self.text(value))
  }
  func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool {
    add("\(name):")
    depth += 1
    return true
  }
  func beginRow(_ index: Int) { add("- \(index)") }
  func endRow() {}
  func endTable() { depth -= 1 }
  func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {
    add("\(name) \(tag) \(headerSize)+\(size)")
    depth += 1
  }
  func endDescriptor() { depth -= 1 }

  private func add(_ line: String) { lines.append(String(repeating: "  ", count: depth) + line) }
  private static func text(_ value: FieldValue) -> String {
    switch value {
    case .unsigned(let number), .explained(let number, _), .date(let number): "\(number)"
    case .named(let number, _): "\(Int64(bitPattern: number))"
    case .signed(let number): "\(number)"
    case .hexadecimal(let number), .flags(let number, _): "0x" + String(number, radix: 16)
    case .fixed(let raw, let bits): "\(raw)/2^\(bits)"
    case .float(let number): "\(number)"
    case .seconds(let value, let timescale): "\(value)/\(timescale) s"
    case .code(let code): "\(code)"
    case .language(let language): "language \(language)"
    case .text(let text): "\"\(text)\""
    case .bytes(let bytes): bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
  }
}

/// Discards all boxes and fields.
final class DevNull: BoxSink {
  var failure: IOError? { nil }
  var wantsDerivedValues: Bool { true }
  func flush() {}
  func beginBox(_ node: BoxNode, path: () -> BoxPath) {}
  func beginBytes() {}
  func bytes(_ bytes: ArraySlice<UInt8>, at offset: Int) {}
  func endBytes(omitted: Int) {}
  func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {}
  func endBox() {}
  func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) {}
  func field(_ name: StaticText, _ value: FieldValue) {}
  func derived(_ name: StaticText, _ value: FieldValue) {}
  func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool { true }
  func beginRow(_ index: Int) {}
  func endRow() {}
  func endTable() {}
  func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {}
  func endDescriptor() {}
}
