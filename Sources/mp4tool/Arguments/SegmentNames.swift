import MP4
import MP4Bytes

/// A file name without a folder.
struct FileName: TextOptionValue {
  static let expectation = "a file name without slashes"
  let text: String

  init?(_ word: String) {
    guard NumberedName.fileName(word) != nil else { return nil }
    text = word
  }
}

extension NumberedName: TextOptionValue {
  static let expectation = "a file name that contains one %d or %0Nd, such as seg-%05d.m4s"
}

/// The paths of numbered outputs, such as `parts/part-%02d.mp4`.
struct OutputNames {
  private let folder: [UInt8]
  private let names: NumberedName
  private let hasExtension: Bool

  /// `nil` unless the name has one `%d` or `%0Nd` in it.
  init?(_ output: Argument) {
    let slash = output.bytes.lastIndex(of: UInt8(ascii: "/"))
    folder = Array(output.bytes[..<(slash.map { $0 + 1 } ?? 0)])
    let name = output.bytes.dropFirst(folder.count)
    guard let names = NumberedName(String(decoding: name, as: UTF8.self)) else { return nil }
    self.names = names
    hasExtension = name.contains(UInt8(ascii: "."))
  }

  /// The path with this number, with an extension if it has none.
  subscript(number: Int, usual: String? = nil) -> Argument {
    let added = hasExtension ? nil : usual.map { Array(".\($0)".utf8) }
    return Argument(bytes: folder + names[number].bytes + (added ?? []))
  }
}
