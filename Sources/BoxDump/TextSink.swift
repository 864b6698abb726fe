public import Bytes
package import ISOBMFF

/// Prints boxes as Bento4's mp4dump does: a tree of header lines, with the fields that it knows under its labels.
///
/// Boxes that mp4dump does not decode show their fields by the standard's names. The verbosity is mp4dump's: 0 for
/// fields without long tables, 1 and 2 for more tables; 3 adds every further field and table. Damage is a line that
/// starts with `!!`, after what could be read; one with `??` says what is not known of a box, such as its version; and
/// one that starts with `=>` is not in the box, but follows from it.
public final class TextSink: BoxSink {
  // All state is in one value, so that access to it is checked once for each field and not for each part of it.
  private var printer: TextPrinter
  /// At verbosity 3, and where times are asked for. It is asked for every box and does not change.
  package let wantsDerivedValues: Bool

  /// A sink that writes to `output`.
  public convenience init(_ output: any ByteSink, verbosity: Int = 0) {
    self.init(output, TextOptions(verbosity: verbosity))
  }
  /// A sink that writes to `output`, the way that `options` say.
  public init(_ output: any ByteSink, _ options: TextOptions) {
    printer = TextPrinter(output, options)
    wantsDerivedValues = options.verbosity >= 3 || options.showsTimes
  }
  /// The error of the output.
  public var failure: IOError? { printer.out.failure }
  /// Writes out what is left.
  public func finish() { printer.out.drain() }
  /// Writes out what is complete.
  package func flush() { printer.out.drain() }

  /// Remembers the box; its header line waits for version and flags.
  package func beginBox(_ node: BoxNode, path: () -> BoxPath) { printer.beginBox(node) }
  /// Prints what is left of the fields; the bytes come after them.
  package func beginBytes() { printer.beginBytes() }
  /// Prints lines of 16 bytes each.
  package func bytes(_ bytes: ArraySlice<UInt8>, at offset: Int) { printer.bytes(bytes, at: offset) }
  /// Says how many bytes are not shown, if any.
  package func endBytes(omitted: Int) { printer.endBytes(omitted: omitted) }
  /// Prints what is left of the fields, and what is wrong.
  package func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {
    printer.endFields(rest: rest, problem: problem)
  }
  /// A tree needs no line for the end of a box.
  package func endBox() {}

  /// Keeps version and flags for the header line.
  package func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) {
    printer.fields.header = header
    printer.flagNames = flags
  }
  /// Keeps a field of the box until its line comes, or prints one of a row.
  package func field(_ name: StaticText, _ value: FieldValue) { printer.field(name, value) }

  /// Keeps it like a field of the box; it is printed where all is, and times where they are asked for.
  package func derived(_ name: StaticText, _ value: FieldValue) {
    printer.fields.append(name, value, isDerived: true)
  }

  /// Prints the line that opens a table, when its verbosity is reached.
  package func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool {
    printer.beginTable(name, count: count)
  }
  /// Prints the number of the row.
  package func beginRow(_ index: Int) { printer.beginRow(index) }
  /// Ends the line of the row.
  package func endRow() { printer.endRow() }
  /// Prints the row; access to the state is checked once for all of it.
  package func row(_ index: Int, _ fields: [(name: StaticText, value: FieldValue)]) { printer.row(index, fields) }
  /// Ends the table.
  package func endTable() { printer.endTable() }

  /// Prints a header line like that of a box.
  package func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {
    printer.beginDescriptor(tag, name, headerSize: headerSize, size: size)
  }
  /// Prints what is left of the fields of the descriptor.
  package func endDescriptor() { printer.endDescriptor() }
}
