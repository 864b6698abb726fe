/// A number of bytes, such as `500M`.
struct ByteSize: TextOptionValue {
  static let expectation =
    "a positive number of bytes, optionally followed by K, M, G or T (powers of 1024), such as 500M"
  let byteCount: Int

  init?(_ word: String) {
    var digits = word.utf8[...]
    var factor = 1
    if let last = digits.last, let power = Array("KMGT".utf8).firstIndex(of: last & 0xDF) {
      digits = digits.dropLast()
      factor = 1 << (10 * (power + 1))
    }
    // `Int` would also accept a sign.
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(String(Substring(digits))) else {
      return nil
    }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, product > 0 else { return nil }
    byteCount = product
  }
}
