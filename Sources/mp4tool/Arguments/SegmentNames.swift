import Bytes
import FileIO

/// A file name without a folder.
struct FileName: TextOptionValue {
  static let expectation = "a file name without slashes"
  let path: Pathname

  init?(_ word: String) {
    guard !word.isEmpty, word != ".", word != "..", !word.utf8.contains(UInt8(ascii: "/")) else { return nil }
    guard let path = Pathname(word) else { return nil }
    self.path = path
  }
}

/// The names of numbered segments, such as `seg-%05d.m4s`.
struct SegmentNames: TextOptionValue {
  static let expectation = "a file name that contains one %d or %0Nd, such as seg-%05d.m4s"
  /// The default names of segments.
  static let usual = SegmentNames(before: Array("segment".utf8), digits: 1, behind: Array(".m4s".utf8))

  private let before: [UInt8]
  /// The minimum number of digits.
  private let digits: Int
  private let behind: [UInt8]

  private init(before: [UInt8], digits: Int, behind: [UInt8]) {
    (self.before, self.digits, self.behind) = (before, digits, behind)
  }

  init?(_ word: String) {
    let parts = FileName(word)?.path.bytes.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    guard let parts, parts.count == 2, let letter = parts[1].firstIndex(of: UInt8(ascii: "d")) else { return nil }
    // `%d`, or `%0` and the number of digits.
    let width = String(decoding: parts[1][..<letter], as: UTF8.self)
    guard let digits = width.isEmpty ? 1 : Int(width), width.isEmpty || width.utf8.first == UInt8(ascii: "0"),
      (1...20).contains(digits)
    else { return nil }
    self.init(before: Array(parts[0]), digits: digits, behind: Array(parts[1][(letter + 1)...]))
  }

  /// The name of the segment with this number.
  subscript(number: Int) -> Pathname {
    let figures = String(number)
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: max(0, digits - figures.utf8.count))
    // Neither a pattern nor a number has a NUL in it.
    return Pathname(before + zeros + figures.utf8 + behind) ?? "segment"
  }

  /// Whether any segment has this name.
  func canBe(_ name: Pathname) -> Bool {
    guard name.bytes.starts(with: before), name.bytes.count > before.count + behind.count else { return false }
    let figures = name.bytes[before.count..<(name.bytes.count - behind.count)]
    return Int(String(decoding: figures, as: UTF8.self)).map { $0 > 0 && self[$0] == name } ?? false
  }
}

/// The paths of numbered outputs, such as `parts/part-%02d.mp4`.
struct OutputNames {
  private let folder: [UInt8]
  private let names: SegmentNames
  private let hasExtension: Bool

  /// `nil` unless the name has one `%d` or `%0Nd` in it.
  init?(_ output: Argument) {
    let slash = output.bytes.lastIndex(of: UInt8(ascii: "/"))
    folder = Array(output.bytes[..<(slash.map { $0 + 1 } ?? 0)])
    let name = output.bytes.dropFirst(folder.count)
    guard let names = SegmentNames(String(decoding: name, as: UTF8.self)) else { return nil }
    self.names = names
    hasExtension = name.contains(UInt8(ascii: "."))
  }

  /// The path with this number, with an extension if it has none.
  subscript(number: Int, usual: String? = nil) -> Argument {
    let added = hasExtension ? nil : usual.map { Array(".\($0)".utf8) }
    return Argument(bytes: folder + names[number].bytes + (added ?? []))
  }
}
