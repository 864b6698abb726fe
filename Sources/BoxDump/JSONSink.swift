public import Bytes
package import ISOBMFF

/// Prints boxes as JSON: an array of the boxes of the file in their order, one object for each.
///
/// A box has these members in this order:
/// - `type`: the four-character code as text, its bytes read as Latin-1; `null` for bytes that are not a box, such as
///   those after the last box of a container.
/// - `user_type`: for a `uuid` box, its 16 bytes in the usual groups of lower-case digits.
/// - `path`: the way to it, such as `moof[3]/traf/trun`; the first of a type in its container has no number. Bytes that
///   are not a box have the path of what they are in. A type that is a number, as items of metadata have, is `#3`.
/// - `offset`: where the box starts in the file.
/// - `header_size`: the bytes of its header, without version and flags; bytes that are not a box have none.
/// - `size`: the bytes of it that are there, with its header.
/// - `version`, `flags`: those of a full box, and `flag_names`: what flags that are set stand for.
/// - `fields`: an object of the fields by the standard's names, in the order of the file. There is none for a box
///   without fields or of a type that is not known.
/// - `derived`: an object of what the box does not hold itself, but follows from it and from others, such as times in
///   seconds where the timescale is known, and of a sample entry `codecs`, by which playlists name how its samples are
///   coded, and more about its pictures or sound, and of an item of metadata the `key` that its number stands for.
/// - `bytes`: where they are asked for, the bytes of its header and fields, and `omitted_bytes` of them that are not
///   shown.
/// - `rest`: bytes after the fields that the standard does not know.
/// - `error`: where the box is damaged, the `field`, the `offset` in the file, and a `message`. The fields before the
///   damage are there, tables up to the row that is damaged.
/// - `note`: the same of what is not known, such as a version of the box whose layout is not: its fields are in `rest`.
/// - `boxes`: the boxes in it. There is none when it has none.
///
/// The values of fields:
/// - Numbers are numbers. Those of 64 bits are written in full, and a reader that makes them floating-point numbers
///   loses digits beyond 2 to the power of 53. Fixed-point numbers are exact decimals, such as `0.70709228515625`.
/// - What a number stands for is in a member beside it: `colour_primaries_name` for one of several things,
///   `sample_flags_names` with an array for bits, and `creation_time_date` for a time since 1904, as ISO 8601 has it.
/// - Four-character codes are text like `type`. Languages are three letters; QuickTime's numbers are text of digits,
///   with `language_name` beside it, and its number for no language is `und`.
/// - Text has what is not UTF-8 replaced by U+FFFD, and control characters escaped.
/// - Bytes are a string of two lower-case hexadecimal digits each, without spaces. Of more than 1024 bytes there is
///   an object instead, with the first 64 as `start` and the number of all as `length`, unless all are asked for.
/// - Times in seconds have six digits after the point.
/// - A table or list is an array: of objects, or of values where a row is a single one. There is an empty array for
///   rows that take no bytes.
/// - Descriptors of ISO/IEC 14496-1 are in an array `descriptors` beside the fields; each has its `tag`, `name`,
///   `header_size` and `size` (without the header), and its fields.
///
/// Where a file cannot be read, an object whose only member is an `error` with a `message` takes the place of a box.
///
/// No object has a member twice. The array is valid whatever the file holds, and is written as the file is read. Boxes
/// inside 64 others or more, which only files made to do harm have, stand beside each other in the array of the 64th,
/// in the order of the file: readers of JSON take only so many levels. Offsets and sizes tell what is in what.
public final class JSONSink: BoxSink {
  // All state is in one value, so that access to it is checked once for each field and not for each part of it.
  private var printer: JSONPrinter

  /// A sink that writes to `output`. With the name of a file it writes an object instead, whose members are `file`, the
  /// name, and `boxes`, the array.
  public init(_ output: any ByteSink, file: String? = nil) {
    printer = JSONPrinter(output, JSONOptions(file: file))
  }
  /// A sink that writes to `output`, the way that `options` say.
  public init(_ output: any ByteSink, _ options: JSONOptions) { printer = JSONPrinter(output, options) }
  /// Always.
  package var wantsDerivedValues: Bool { true }
  /// The error of the output.
  public var failure: IOError? { printer.failure }
  /// Says why there are no boxes, or no more of them, in place of the next one; boxes that are open are ended before.
  package func fail(_ message: String) { printer.fail(message) }
  /// Ends the array and writes out what is left.
  public func finish() { printer.finish() }
  /// Writes out what there is so far.
  package func flush() { printer.flush() }

  /// Opens an object in the array of the file or of the enclosing box.
  package func beginBox(_ node: BoxNode, path: () -> BoxPath) { printer.beginBox(node, path()) }
  /// A member of the box.
  package func beginBytes() { printer.beginBytes() }
  /// More of its digits.
  package func bytes(_ bytes: ArraySlice<UInt8>, at offset: Int) { printer.bytes(bytes) }
  /// Another member, where not all bytes are shown.
  package func endBytes(omitted: Int) { printer.endBytes(omitted: omitted) }
  /// Closes the object of fields, and whatever damage left open in it.
  package func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {
    printer.endFields(rest: rest, problem: problem)
  }
  /// Closes the object of the box.
  package func endBox() { printer.endBox() }

  /// Two members of the box.
  package func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) { printer.fullBoxHeader(header, flags) }
  /// A member of the fields or of a row, or an element of a plain table.
  package func field(_ name: StaticText, _ value: FieldValue) { printer.field(name, value) }
  /// Keeps it until the fields are closed.
  package func derived(_ name: StaticText, _ value: FieldValue) { printer.derived.append((name, value)) }
  /// Opens an array.
  package func beginTable(_ name: StaticText, count: Int, plain: Bool) -> Bool {
    printer.beginTable(name, plain: plain)
    return true
  }
  /// Opens an object, unless the rows are plain values.
  package func beginRow(_ index: Int) { printer.beginRow() }
  /// Closes the object of the row.
  package func endRow() { printer.endRow() }
  /// The whole object or value; access to the state is checked once for all of it.
  package func row(_ index: Int, _ fields: [(name: StaticText, value: FieldValue)]) { printer.row(fields) }
  /// Closes the array.
  package func endTable() { printer.close() }
  /// Opens an element of the array `descriptors`.
  package func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {
    printer.beginDescriptor(tag, name, headerSize: headerSize, size: size)
  }
  /// Closes the descriptor, and the array of those in it.
  package func endDescriptor() { printer.endDescriptor() }
}
