import Bytes

/// A field that is looked for by its name, and the value that it gets, if any.
final class FieldAccess {
  private let path: [UInt8]
  /// Where in the path the name of the next field starts.
  private var at = 0
  private let new: FieldValue?
  /// The value that the field has.
  private(set) var found: FieldValue?
  /// The value that it got, in the form of its own.
  private(set) var given: FieldValue?
  /// What is wrong with the path or with the new value.
  private(set) var problem: FieldError.Problem?

  init(_ path: String, _ new: FieldValue? = nil) { (self.path, self.new) = (Array(path.utf8), new) }

  /// Whether the field called `name` is the one.
  func isAt(_ name: StaticText) -> Bool { found == nil && hasNext(name) && at + name.count == path.count }
  /// Whether the field called `name` is there without a value, since it is given one.
  func adds(_ name: StaticText) -> Bool { new != nil && isAt(name) }

  /// What the field called `name`, which is `value`, becomes; `nil` where it is not the one that is looked for, or
  /// stays what it is.
  func value(_ name: StaticText, _ value: FieldValue) -> FieldValue? {
    guard isAt(name) else { return nil }
    found = value
    guard let new else { return nil }
    given = value.replaced(by: new)
    if given == nil { problem = .unsuitable(value.kind) }
    return given?.isStored(as: value) == true ? nil : given
  }

  /// Goes into a row of the table called `name`, if the field is in it; the rows of a path count from 1.
  func enterRow(of name: StaticText, count: Int) -> Int? {
    guard found == nil, problem == nil, hasNext(name) else { return nil }
    guard let (index, next) = number(from: at + name.count) else { return nil }
    guard next == path.count || path[next] == UInt8(ascii: ".") else { return nil }
    guard (1...max(1, count)).contains(index), count > 0 else {
      problem = .noRow(count: count)
      return nil
    }
    at = next == path.count ? next : next + 1
    return index - 1
  }
  /// Goes into the structure called `name`, the `index`th of that name where there are several, if the field is in it.
  func enter(_ name: StaticText, _ index: Int = 1) -> Bool {
    guard found == nil, hasNext(name) else { return false }
    var (wanted, next) = (1, at + name.count)
    if let number = number(from: next) { (wanted, next) = number }
    guard wanted == index, next < path.count, path[next] == UInt8(ascii: ".") else { return false }
    at = next + 1
    return true
  }
  /// The start of the path that is left, to go back to after a row.
  var place: Int {
    get { at }
    set { at = newValue }
  }

  private func hasNext(_ name: StaticText) -> Bool {
    guard path.count - at >= name.count else { return false }
    return (0..<name.count).allSatisfy { path[at + $0] == name[$0] }
  }

  /// A number in brackets, and where the path goes on after it.
  private func number(from start: Int) -> (Int, next: Int)? {
    guard start < path.count, path[start] == UInt8(ascii: "[") else { return nil }
    guard let end = path[start...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
    guard let number = Int(String(decoding: path[(start + 1)..<end], as: UTF8.self)) else { return nil }
    return (number, end + 1)
  }
}

extension FieldCoder {
  /// A coder that looks for a field.
  @_lifetime(immortal)
  init(_ access: FieldAccess, context: BoxContext) {
    self.init(.access, context: context)
    self.access = access
  }

  /// The bits of a number that is looked for; `bits` as they are in any other.
  func accessed(_ name: StaticText, _ value: FieldValue, _ bits: UInt64) -> UInt64 {
    access?.value(name, value)?.bits ?? bits
  }
  func accessed(_ name: StaticText, _ value: inout [UInt8]) {
    if case .bytes(let bytes)? = access?.value(name, .bytes(value[...])) { value = Array(bytes) }
  }
  func accessed(_ name: StaticText, _ value: inout BoxString) {
    if case .text(let text)? = access?.value(name, .text(value)) { value = text }
  }
}
