public import Bytes

/// Access to fields by their names in the standard, as `mp4tool explain` prints them.
extension BoxPayload {
  /// The value of the field called `name`, such as `timescale`, `entries[1].sample_count` or
  /// `ES_Descriptor.DecoderConfigDescriptor.avgBitrate`; `nil` where the box does not have it. Rows count from 1,
  /// `context` is what other boxes say about this one, and `registry` has the kinds of sample groups.
  public subscript(
    name: String, context context: BoxContext = BoxContext(), registry registry: BoxRegistry = .core
  ) -> FieldValue? {
    let access = FieldAccess(name)
    _ = looked(for: access, context, registry)
    return access.found
  }

  /// A copy whose field called `name` is `value`. Text is what a person writes for a value of the field: a number, the
  /// meaning of one, a language, a date, bytes in hexadecimal digits. What counts or measures other fields follows from
  /// them and cannot be set; the version and flags follow where they must.
  public func setting(
    _ name: String, to value: FieldValue, context: BoxContext = BoxContext(), registry: BoxRegistry = .core
  ) throws(FieldError) -> Self {
    let access = FieldAccess(name, value)
    let changed = looked(for: access, context, registry)
    if let problem = access.problem { throw FieldError(problem, name) }
    guard let old = access.found, let new = access.given else { throw FieldError(.unknown(fieldNames), name) }
    let kept = changed[name, context: context, registry: registry]
    guard let kept, kept.isStored(as: new) else { throw FieldError(kept == old ? .derived : .doesNotFit, name) }
    // A version or flag that other values require would be set again when the box is written.
    if name == "version" || name == "flags" { try changed.checkHeader(name, context) }
    return changed
  }

  /// Makes the field called `name` `value`, as `setting` does.
  public mutating func set(
    _ name: String, to value: FieldValue, context: BoxContext = BoxContext(), registry: BoxRegistry = .core
  ) throws(FieldError) {
    self = try setting(name, to: value, context: context, registry: registry)
  }

  /// The fields that the box has with its version and flags; those of rows have the name of their table before them.
  public var fieldNames: [String] {
    var (copy, coder) = (blank, FieldCoder(.describe))
    coder.header = fullHeader
    // The description ends at a field that depends on a value.
    do throws(BoxError) { try copy.fields(&coder) } catch {}
    return coder.described.filter { !["bits", "boxes", "derived"].contains($0.type) }.map(\.name)
  }

  /// A copy after `access` was applied, in which one field may be different.
  func looked(for access: FieldAccess, _ context: BoxContext, _ registry: BoxRegistry) -> Self {
    var (copy, coder) = (self, FieldCoder(access, context: context))
    coder.registry = registry
    // Problems with the box are reported when it is written.
    do throws(BoxError) { try copy.fields(&coder) } catch {}
    return copy
  }

  private func checkHeader(_ name: String, _ context: BoxContext) throws(FieldError) {
    let bytes: [UInt8]
    var read = blank
    do throws(BoxError) {
      bytes = try encoded(context: context)
      _ = try read.decode(bytes[...], context: context)
    } catch { throw FieldError(.unwritable(error), name) }
    if read.fullHeader != fullHeader { throw FieldError(.needed, name) }
  }
}

/// Why a field cannot be set.
public struct FieldError: Error, Hashable, Sendable {
  /// The kinds of reasons.
  public enum Problem: Hashable, Sendable {
    /// The box does not have the field, and these it has.
    case unknown([String])
    /// The table has only so many rows.
    case noRow(count: Int)
    /// The value is of another kind; the text says what the field can be.
    case unsuitable(StaticText)
    /// The field has too few bits, or bytes, for the value.
    case doesNotFit
    /// The value follows from other fields.
    case derived
    /// Other values of the box need the version or the flags that it has.
    case needed
    /// The box could not be written.
    case unwritable(BoxError)
  }
  /// What is wrong.
  public var problem: Problem
  /// The field, as it was named.
  public var field: String

  /// A problem of the field called `field`.
  public init(_ problem: Problem, _ field: String) { (self.problem, self.field) = (problem, field) }
}

extension FieldError: CustomStringConvertible {
  /// Such as `entry_count follows from other fields`.
  public var description: String {
    switch problem {
    case .unknown([]): "\(field) cannot be found: the fields of this box are not known"
    case .unknown(let names): "\(field) is not a field of this box, which has \(names.joined(separator: ", "))"
    case .noRow(let count): "\(field) does not exist: the table has \(count == 1 ? "1 row" : "\(count) rows")"
    case .unsuitable(let kind): "\(field) must be \(kind)"
    case .doesNotFit: "\(field) has too few bits for this value"
    case .derived: "\(field) follows from other fields and cannot be set"
    case .needed: "\(field) cannot have this value: other fields of the box need the current one"
    case .unwritable(let error): "\(field) cannot have this value: \(error)"
    }
  }
}
