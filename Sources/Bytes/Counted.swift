/// A count and its noun as they agree: `1 byte`, `2 bytes`; `many` where that is more than an s, as in `1 box is` and
/// `2 boxes are`.
package func counted(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
  "\(number) \(number == 1 ? one : many ?? one + "s")"
}
