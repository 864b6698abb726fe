/// A count with a noun that agrees with it: `1 byte`, `2 bytes`. `many` is needed if the plural does not just add an s,
/// as in `1 box is` and `2 boxes are`.
package func counted(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
  "\(number) \(number == 1 ? one : many ?? one + "s")"
}
