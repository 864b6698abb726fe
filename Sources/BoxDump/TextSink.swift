package import ISOBMFF
public import MP4Bytes

/// Prints boxes as Bento4's mp4dump does: a tree of header lines, with the fields that mp4dump knows under its labels.
///
/// Boxes that mp4dump does not decode show their fields under the standard's names. The verbosity is mp4dump's: 0
/// prints fields and short tables, 1 and 2 print more tables, and 3 adds all other fields and tables. A line that
/// starts with `!!` reports damage, after the data that could be read. A line with `??` reports what is unknown about a
/// box, such as its version. A line that starts with `=>` shows a value that is not in the box but follows from it.
public final class TextSink: BoxSink {
  // All state is in one value, so that exclusive access is checked once for each field and not for each part of it.
  private var printer: TextPrinter
  /// True at verbosity 3 and when times are requested. It is read for every box and does not change.
  package let wantsDerivedValues: Bool

  /// A sink that writes to `output`.
  public convenience init(_ output: any ByteSink, verbosity: Int = 0) {
    self.init(output, TextOptions(verbosity: verbosity))
  }
  /// A sink that writes to `output` as `options` specify.
  public init(_ output: any ByteSink, _ options: TextOptions) {
    printer = TextPrinter(output, options)
    wantsDerivedValues = options.verbosity >= 3 || options.showsTimes
  }
  /// The error of the output.
  public var failure: IOError? { printer.out.failure }
  /// Flushes the output.
  public func finish() { printer.out.drain() }
  /// Flushes the complete lines.
  package func flush() { printer.out.drain() }

  /// Stores the box; its header line is printed once version and flags are known.
  package func beginBox(_ node: BoxNode, path: () -> BoxPath) { printer.beginBox(node) }
  /// Prints the remaining fields; the bytes come after them.
  package func beginBytes() { printer.beginBytes() }
  /// Prints lines of 16 bytes each.
  package func bytes(_ bytes: ArraySlice<UInt8>, at offset: Int) { printer.bytes(bytes, at: offset) }
  /// Reports how many bytes are not shown, if any.
  package func endBytes(omitted: Int) { printer.endBytes(omitted: omitted) }
  /// Prints the remaining fields and the problem.
  package func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {
    printer.endFields(rest: rest, problem: problem)
  }
  /// Does nothing: a tree needs no line for the end of a box.
  package func endBox() {}

  /// Keeps version and flags for the header line.
  package func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) {
    printer.fields.header = header
    printer.flagNames = flags
  }
  /// Keeps a field of the box until its line is printed, or prints a field of a row.
  package func field(_ name: StaticText, _ value: FieldValue) { printer.field(name, value) }

  /// Keeps the value like a field of the box. It is printed when everything is printed; times are also printed on
  /// request.
  package func derived(_ name: StaticText, _ value: FieldValue) {
    printer.fields.append(name, value, isDerived: true)
  }

  /// Prints the line that opens a table, if the verbosity is high enough.
  package func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool {
    printer.beginTable(name, count: count)
  }
  /// Prints the number of the row.
  package func beginRow(_ index: Int) { printer.beginRow(index) }
  /// Ends the line of the row.
  package func endRow() { printer.endRow() }
  /// Prints the row; exclusive access to the state is checked once for all of it.
  package func row(_ index: Int, _ fields: [(name: StaticText, value: FieldValue)]) { printer.row(index, fields) }
  /// Ends the table.
  package func endTable() { printer.endTable() }

  /// Prints a header line like that of a box.
  package func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {
    printer.beginDescriptor(tag, name, headerSize: headerSize, size: size)
  }
  /// Prints the remaining fields of the descriptor.
  package func endDescriptor() { printer.endDescriptor() }
}
