public import MP4Bytes

/// A file name with a number, such as `seg-00001.m4s`.
public struct NumberedName: Sendable, Equatable {
  private let before: [UInt8]
  /// The minimum number of digits.
  private let digits: Int
  private let behind: [UInt8]

  /// `segment1.m4s`, `segment2.m4s` and so on.
  init() { (before, digits, behind) = (Array("segment".utf8), 1, Array(".m4s".utf8)) }

  /// Names by a pattern: `%d` is replaced by the number; `%05d` pads it with zeros to five digits. `nil` unless the
  /// pattern is a file name without a folder that contains one `%d` or `%0Nd`.
  public init?(_ pattern: String) {
    let parts = Self.fileName(pattern)?.bytes.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    guard let parts, parts.count == 2, let letter = parts[1].firstIndex(of: UInt8(ascii: "d")) else { return nil }
    // `%d`, or `%0` and the number of digits.
    let width = String(decoding: parts[1][..<letter], as: UTF8.self)
    guard let digits = width.isEmpty ? 1 : Int(width), width.isEmpty || width.utf8.first == UInt8(ascii: "0"),
      (1...20).contains(digits)
    else { return nil }
    (before, self.digits, behind) = (Array(parts[0]), digits, Array(parts[1][(letter + 1)...]))
  }

  /// A file name without a folder.
  package static func fileName(_ word: String) -> Pathname? {
    guard !word.isEmpty, word != ".", word != "..", !word.utf8.contains(UInt8(ascii: "/")) else { return nil }
    return Pathname(word)
  }

  /// The name with this number.
  public subscript(number: Int) -> Pathname {
    let figures = String(number)
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: max(0, digits - figures.utf8.count))
    // Neither a pattern nor a number has a NUL in it.
    return Pathname(before + zeros + figures.utf8 + behind) ?? "segment"
  }

  /// Whether a positive number has this name.
  func canBe(_ name: Pathname) -> Bool {
    guard name.bytes.starts(with: before), name.bytes.count > before.count + behind.count else { return false }
    let figures = name.bytes[before.count..<(name.bytes.count - behind.count)]
    return Int(String(decoding: figures, as: UTF8.self)).map { $0 > 0 && self[$0] == name } ?? false
  }
}

/// The names of an init segment and of its media segments.
public struct SegmentNames: Sendable, Equatable {
  /// The name of the init segment.
  public let initialization: Pathname
  /// The names of the media segments, whose numbers start at 1.
  public let media: NumberedName

  /// `init.mp4`, `segment1.m4s`, `segment2.m4s` and so on.
  public init() { (initialization, media) = ("init.mp4", NumberedName()) }

  /// Names by a pattern, as in ``NumberedName``; `nil` unless both are file names without a folder, and no segment has
  /// the name of the init segment.
  public init?(_ pattern: String, initialization: String = "init.mp4") {
    guard let media = NumberedName(pattern) else { return nil }
    self.init(media, initialization: initialization)
  }

  package init?(_ media: NumberedName, initialization: String) {
    guard let name = NumberedName.fileName(initialization), !media.canBe(name) else { return nil }
    (self.initialization, self.media) = (name, media)
  }
}
