import Bytes

/// Finds a field by its path, and optionally sets its value.
final class FieldAccess {
  private let path: [UInt8]
  /// The position in the path where the name of the next field starts.
  private var at = 0
  private let new: FieldValue?
  /// The current value of the field.
  private(set) var found: FieldValue?
  /// The new value of the field, converted to its kind.
  private(set) var given: FieldValue?
  /// The problem with the path or the new value.
  private(set) var problem: FieldError.Problem?

  init(_ path: String, _ new: FieldValue? = nil) { (self.path, self.new) = (Array(path.utf8), new) }

  /// Whether the path refers to the field `name`.
  func isAt(_ name: StaticText) -> Bool { found == nil && hasNext(name) && at + name.count == path.count }
  /// Whether the field `name` has no value yet and is given one.
  func adds(_ name: StaticText) -> Bool { new != nil && isAt(name) }

  /// The new value of the field `name`, whose value is `value`; `nil` if the path refers to another field, or the value
  /// does not change.
  func value(_ name: StaticText, _ value: FieldValue) -> FieldValue? {
    guard isAt(name) else { return nil }
    found = value
    guard let new else { return nil }
    given = value.replaced(by: new)
    if given == nil { problem = .unsuitable(value.kind) }
    return given?.isStored(as: value) == true ? nil : given
  }

  /// Enters a row of the table `name` if the field is in it. Row numbers in a path start at 1.
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
  /// Enters the structure `name`, which is number `index` of those with that name, if the field is in it.
  func enter(_ name: StaticText, _ index: Int = 1) -> Bool {
    guard found == nil, hasNext(name) else { return false }
    var (wanted, next) = (1, at + name.count)
    if let number = number(from: next) { (wanted, next) = number }
    guard wanted == index, next < path.count, path[next] == UInt8(ascii: ".") else { return false }
    at = next + 1
    return true
  }
  /// The position in the path, which is restored after a row.
  var place: Int {
    get { at }
    set { at = newValue }
  }

  private func hasNext(_ name: StaticText) -> Bool {
    guard path.count - at >= name.count else { return false }
    return (0..<name.count).allSatisfy { path[at + $0] == name[$0] }
  }

  /// A number in brackets, and the position in the path after it.
  private func number(from start: Int) -> (Int, next: Int)? {
    guard start < path.count, path[start] == UInt8(ascii: "[") else { return nil }
    guard let end = path[start...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
    guard let number = Int(String(decoding: path[(start + 1)..<end], as: UTF8.self)) else { return nil }
    return (number, end + 1)
  }
}

extension FieldCoder {
  /// A coder that accesses a field.
  @_lifetime(immortal)
  init(_ access: FieldAccess, context: BoxContext) {
    self.init(.access, context: context)
    self.access = access
  }

  /// The new bits of a number if it is the field that is accessed, otherwise `bits`.
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
