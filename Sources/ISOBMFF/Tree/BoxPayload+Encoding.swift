import Bytes

/// Writing, which never changes a value: what is written is read back as what it was.
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
    let latest = (Self.self as? any FullBoxPayload.Type)?.versions ?? (self as? any DefinedPayload)?.versions
    guard let latest else { throw problem }
    return try encodedRaised(after: problem, to: latest.upperBound, context, rest)
  }

  /// How many bytes the fields take with the version and flags that there are.
  package var measuredSize: Int {
    var (copy, coder) = (self, FieldCoder(.measure))
    // Only bytes that are there can be read wrongly.
    try? copy.fields(&coder)
    return coder.measured
  }

  /// The bytes with the version and flags that there are.
  fileprivate func encodedUnchanged(_ context: BoxContext, _ rest: [UInt8]) throws(BoxError) -> [UInt8] {
    var coder = FieldCoder(.write, context: context)
    var copy = self
    try copy.fields(&coder)
    let bytes = coder.writer.bytes
    // Boxes may follow that nothing is known of here.
    let box: [UInt8] = [0, 0, 0, 8] + "free".utf8
    if holdsBoxes, rest.isEmpty, (try? check(bytes + box, context)) != nil { return bytes }
    try check(rest.isEmpty ? bytes : bytes + rest, context)
    return bytes
  }

  /// Fails when what was written is not read as what it was.
  private func check(_ bytes: [UInt8], _ context: BoxContext) throws(BoxError) {
    var read = blank
    do throws(BoxError) { _ = try read.decode(bytes[...], context: context) } catch {
      // A reader of the box has what it needs of other boxes.
      if case .needs = error.problem { return }
      throw error
    }
    // What is not equal to itself has a number that is none.
    guard read != self, read == read else { return }
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
  /// The version and flags of a full box, which this is.
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

  /// The bytes with more flags, or a later version up to `latest`, since with those that there are `problem` is in the
  /// way.
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
        // The problem of the first version is reported, unless it was only a flag.
        if case .missingFlag = error.problem { problem = error }
      }
    } while true
  }
}
