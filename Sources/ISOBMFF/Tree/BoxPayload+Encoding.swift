import Bytes

/// Encoding never changes a value: decoding the bytes gives the same value.
extension BoxPayload {
  /// The bytes of the fields, without a box header.
  ///
  /// The version and flags stay what they are if they can express the values. Otherwise the version becomes the next
  /// one of the type that can, and flags are set that rows of a table need.
  ///
  /// - Parameters:
  ///   - context: what other boxes say about this one.
  ///   - rest: the bytes that follow the fields, which decide how some boxes are read.
  /// - Throws: what of the values cannot be written: a number that is too large for its field in every version, a table
  ///   with more rows than can be counted, bytes of a wrong length, or a property that nothing has a place for in a box
  ///   with these other values.
  public func encoded(context: BoxContext = BoxContext(), rest: [UInt8] = []) throws(BoxError) -> [UInt8] {
    let problem: BoxError
    do throws(BoxError) { return try encodedUnchanged(context, rest) } catch { problem = error }
    guard let latest = knownVersions?.upperBound else { throw problem }
    return try encodedRaised(after: problem, to: latest, context, rest)
  }

  /// The versions with a known layout; `nil` if the box has no version.
  package var knownVersions: ClosedRange<UInt8>? {
    (Self.self as? any FullBoxPayload.Type)?.versions ?? (self as? any DefinedPayload)?.versions
  }

  /// The size of the fields in bytes with the current version and flags.
  package var measuredSize: Int {
    var (copy, coder) = (self, FieldCoder(.measure))
    // Measuring does not read bytes and cannot fail.
    try? copy.fields(&coder)
    return coder.measured
  }

  /// The bytes with the current version and flags.
  fileprivate func encodedUnchanged(_ context: BoxContext, _ rest: [UInt8]) throws(BoxError) -> [UInt8] {
    var coder = FieldCoder(.write, context: context)
    var copy = self
    try copy.fields(&coder)
    let bytes = coder.writer.bytes
    // Unknown boxes may follow.
    let box: [UInt8] = [0, 0, 0, 8] + "free".utf8
    if holdsBoxes, rest.isEmpty, (try? check(bytes + box, context)) != nil { return bytes }
    try check(rest.isEmpty ? bytes : bytes + rest, context)
    return bytes
  }

  /// Throws if reading the bytes does not give the same value.
  private func check(_ bytes: [UInt8], _ context: BoxContext) throws(BoxError) {
    var read = blank
    do throws(BoxError) { _ = try read.decode(bytes[...], context: context) } catch {
      // When the box is read, the information from other boxes is available.
      if case .needs = error.problem { return }
      throw error
    }
    // A value that does not equal itself contains a NaN.
    guard read != self, read == read else { return }
    if self is any DefinedPayload {
      throw BoxError(.notKept(fieldNames.filter { self[$0] != read[$0] }), field: "fields", offset: 0)
    }
    let names = zip(Mirror(reflecting: self).children, Mirror(reflecting: read).children).compactMap { mine, other in
      (mine.value as? any Equatable)?.isEqual(to: other.value) == true ? nil : mine.label
    }
    throw BoxError(.notKept(names), field: "fields", offset: 0)
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

extension BoxPayload {
  /// The version and flags of a full box.
  var fullHeader: FullBoxHeader {
    get { (self as? any FullBoxPayload)?.header ?? (self as? any DefinedPayload)?.header ?? FullBoxHeader() }
    set {
      if var full = self as? any FullBoxPayload {
        full.header = newValue
        if let changed = full as? Self { self = changed }
      } else if var defined = self as? any DefinedPayload {
        defined.header = newValue
        if let changed = defined as? Self { self = changed }
      }
    }
  }

  /// The bytes with additional flags, or a later version up to `latest`, because the current ones cause `problem`.
  fileprivate func encodedRaised(
    after problem: BoxError, to latest: UInt8, _ context: BoxContext, _ rest: [UInt8]
  ) throws(BoxError) -> [UInt8] {
    var (copy, problem) = (self, problem)
    repeat {
      while case .missingFlag(let flag) = problem.problem, !copy.fullHeader[flag] {
        copy.fullHeader[flag] = true
        do throws(BoxError) { return try copy.encodedUnchanged(context, rest) } catch { problem = error }
      }
      guard copy.fullHeader.version < latest else { throw problem }
      copy.fullHeader.version += 1
      do throws(BoxError) { return try copy.encodedUnchanged(context, rest) } catch {
        // The problem of the first version is reported, unless it was only a missing flag.
        if case .missingFlag = error.problem { problem = error }
      }
    } while true
  }
}
