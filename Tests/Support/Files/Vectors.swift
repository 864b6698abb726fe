/// A single box of `TestVectors/boxes`.
public struct Vector: Sendable, CustomStringConvertible {
  /// The name of its file without `.hex`: the type of the box and its layout, `tfdt-v1`.
  public let name: String
  /// The complete box with its header.
  public let bytes: [UInt8]

  /// The four letters of the box.
  public var type: String { String(decoding: bytes[4..<8], as: UTF8.self) }
  /// The name.
  public var description: String { name }
}

/// The root of the repository.
public let repository: String = {
  // This file is Tests/Support/Files/Vectors.swift.
  var path = #filePath.split(separator: "/", omittingEmptySubsequences: false)
  path.removeLast(4)
  return path.joined(separator: "/")
}()

/// The path of a file in `TestVectors`, such as `files/fragmented.mp4`.
public func vectorPath(_ name: String) -> String { repository + "/TestVectors/" + name }

/// The single boxes, sorted by name.
public func vectors() -> [Vector] { all }

private let all = namesInFolder(vectorPath("boxes")).filter { $0.hasSuffix(".hex") }.map { name in
  guard let bytes = try? readFile(vectorPath("boxes/" + name)) else { fatalError("cannot read \(name)") }
  return Vector(name: String(name.dropLast(4)), bytes: hexBytes(bytes, name))
}

/// The single box with this name.
public func vector(_ name: String) -> [UInt8] {
  guard let found = vectors().first(where: { $0.name == name }) else { fatalError("no vector \(name)") }
  return found.bytes
}

/// Decodes hexadecimal digits; `#` starts a comment that ends with the line.
public func hexBytes(_ text: [UInt8], _ name: String = "hex") -> [UInt8] {
  var digits: [UInt8] = []
  for line in text.split(separator: UInt8(ascii: "\n")) {
    for character in line.prefix(while: { $0 != UInt8(ascii: "#") }) where character != 32 && character != 9 {
      guard let digit = Character(UnicodeScalar(character)).hexDigitValue else {
        fatalError("\(name): \(UnicodeScalar(character)) is not a hexadecimal digit")
      }
      digits.append(UInt8(digit))
    }
  }
  precondition(digits.count.isMultiple(of: 2), "\(name): an odd number of digits")
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// The folder of real files that tests use if it exists: the environment variable `MP4TOOL_CORPUS`.
public let corpusFolder: String? = environment("MP4TOOL_CORPUS").flatMap { $0.isEmpty ? nil : $0 }

/// All files of the corpus, sorted; empty if there is none, so that `.enabled(if: !corpus().isEmpty)` reports the test
/// as skipped.
public func corpus() -> [String] { corpusFolder.map(filesBelow) ?? [] }
