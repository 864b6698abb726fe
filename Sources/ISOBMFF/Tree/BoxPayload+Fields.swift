public import Bytes

/// Access to fields by their names in the standard, which `mp4tool explain` prints.
extension BoxPayload {
  /// The value of the field called `name`, such as `timescale`, `entries[1].sample_count` or
  /// `ES_Descriptor.DecoderConfigDescriptor.avgBitrate`; `nil` if the box does not have it. Rows are numbered from 1.
  /// `context` is information from other boxes, and `registry` has the kinds of sample groups.
  public subscript(
    name: String, context context: BoxContext = BoxContext(), registry registry: BoxRegistry = .core
  ) -> FieldValue? {
    let access = FieldAccess(name)
    _ = looked(for: access, context, registry)
    return access.found
  }

  /// A copy with the field called `name` set to `value`. A text is parsed: a number, the name of a value, a language, a
  /// date, or bytes in hexadecimal digits. Fields that count or measure other fields cannot be set; the version and
  /// flags are adapted if necessary.
  public func setting(
    _ name: String, to value: FieldValue, context: BoxContext = BoxContext(), registry: BoxRegistry = .core
  ) throws(FieldError) -> Self {
    let access = FieldAccess(name, value)
    let changed = looked(for: access, context, registry)
    if let problem = access.problem { throw FieldError(problem, name) }
    guard let old = access.found, let new = access.given else { throw FieldError(.unknown(fieldNames), name) }
    let kept = changed[name, context: context, registry: registry]
    guard let kept, kept.isStored(as: new) else { throw FieldError(kept == old ? .derived : .doesNotFit, name) }
    if let versions = changed.knownVersions, !versions.contains(changed.fullHeader.version) {
      throw FieldError(.otherVersion(changed.fullHeader.version, known: versions), name)
    }
    // A version or flag that other values require would be set again when the box is written.
    if name == "version" || name == "flags" { try changed.checkHeader(name, context) }
    return changed
  }

  /// Sets the field called `name` to `value`, like `setting`.
  public mutating func set(
    _ name: String, to value: FieldValue, context: BoxContext = BoxContext(), registry: BoxRegistry = .core
  ) throws(FieldError) {
    self = try setting(name, to: value, context: context, registry: registry)
  }

  /// The names of the fields of the box with its version and flags; those of rows are prefixed with the name of their
  /// table.
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
    /// The box does not have the field; the existing ones.
    case unknown([String])
    /// The table has only this number of rows.
    case noRow(count: Int)
    /// The value has the wrong type; a description of valid ones.
    case unsuitable(StaticText)
    /// The value does not fit into the field.
    case doesNotFit
    /// The layout of this version is not known.
    case otherVersion(UInt8, known: ClosedRange<UInt8>)
    /// The value follows from other fields.
    case derived
    /// Other values of the box require its current version or flags.
    case needed
    /// The box could not be written.
    case unwritable(BoxError)
  }
  /// The problem.
  public var problem: Problem
  /// The name of the field, as given.
  public var field: String

  /// A problem of the field called `field`.
  public init(_ problem: Problem, _ field: String) { (self.problem, self.field) = (problem, field) }
}

extension FieldError: CustomStringConvertible {
  /// A sentence such as `entry_count follows from other fields`.
  public var description: String {
    switch problem {
    case .unknown([]): "\(field) cannot be found: the fields of this box are not known"
    case .unknown(let names): "\(field) is not a field of this box, which has \(names.joined(separator: ", "))"
    case .noRow(let count):
      "\(field) does not exist: the table has \(count == 1 ? "1 row" : "\(count) rows"), counted from 1"
    case .unsuitable(let kind): "\(field) must be \(kind)"
    case .doesNotFit: "\(field) has too few bits for this value"
    case .otherVersion(let version, let known):
      "\(field) cannot be set: the version would be \(version), and only \(BoxError.list(known)) known"
    case .derived: "\(field) follows from other fields and cannot be set"
    case .needed: "\(field) cannot have this value: other fields of the box need the current one"
    case .unwritable(let error): "\(field) cannot have this value: \(error)"
    }
  }
}
