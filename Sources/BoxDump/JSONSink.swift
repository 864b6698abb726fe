public import Bytes
package import ISOBMFF

/// Prints boxes as JSON: an array of the boxes of the file in their order, one object for each.
///
/// A box has these members in this order:
/// - `type`: the four-character code as text, its bytes read as Latin-1; `null` for bytes that are not a box, such as
///   those after the last box of a container.
/// - `user_type`: for a `uuid` box, its 16 bytes in the usual groups of lowercase digits.
/// - `path`: its path, such as `moof[3]/traf/trun`; the first box of a type in its container has no number. Bytes that
///   are not a box have the path of their container. A numeric type, as metadata items have, is written as `#3`.
/// - `offset`: where the box starts in the file.
/// - `header_size`: the size of its header, without version and flags; absent for bytes that are not a box.
/// - `size`: the number of its bytes that are present, including the header.
/// - `version`, `flags`: those of a full box, and `flag_names`: the meanings of the flags that are set.
/// - `fields`: an object of the fields under the standard's names, in file order. It is absent for a box without fields
///   or of an unknown type.
/// - `derived`: an object of values that are not in the box but follow from it and other boxes: times in seconds where
///   the timescale is known; for a sample entry, `codecs`, which names its coding in playlists, and properties of its
///   video or audio; for a metadata item, the `key` that its number refers to.
/// - `bytes`: if requested, the bytes of its header and fields, and `omitted_bytes`, the number of those not shown.
/// - `rest`: bytes after the fields that the standard defines.
/// - `error`: for a damaged box, the `field`, the `offset` in the file, and a `message`. The fields before the damage
///   are present, and tables up to the damaged row.
/// - `note`: the same for something unknown, such as a version whose layout is not known: its fields are in `rest`.
/// - `boxes`: the boxes inside it; absent if there are none.
///
/// The values of fields:
/// - Numbers are numbers. 64-bit numbers are written in full; a reader that converts them to floating point loses
///   digits beyond 2 to the power of 53. Fixed-point numbers are exact decimals, such as `0.70709228515625`.
/// - The meaning of a number is in a member next to it: `colour_primaries_name` for an enumerated value,
///   `sample_flags_names` with an array for bits, and `creation_time_date` in ISO 8601 for a time since 1904.
/// - Four-character codes are text like `type`. Languages are three letters; QuickTime's language codes are text of
///   digits, with `language_name` next to it, and its code for no language is `und`.
/// - In text, invalid UTF-8 is replaced by U+FFFD, and control characters are escaped.
/// - Bytes are a string of two lowercase hexadecimal digits each, without spaces. Values of more than 1024 bytes are
///   an object with the first 64 as `start` and the number of all as `length`, unless all bytes are requested.
/// - Times in seconds have six decimal places.
/// - A table or list is an array of objects, or of values if a row is a single value. It is empty if the rows take no
///   bytes.
/// - Descriptors of ISO/IEC 14496-1 are in an array `descriptors` next to the fields; each has its `tag`, `name`,
///   `header_size` and `size` (without the header), and its fields.
///
/// If a file cannot be read, an object whose only member is an `error` with a `message` takes the place of a box.
///
/// No object has the same member twice. The array is valid whatever the file contains, and is written as the file is
/// read. Boxes nested in 64 or more others, which occur only in malicious files, are siblings in the array of the 64th,
/// in file order, because JSON readers limit the nesting. Their offsets and sizes show which box contains which.
public final class JSONSink: BoxSink {
  // All state is in one value, so that exclusive access is checked once for each field and not for each part of it.
  private var printer: JSONPrinter

  /// A sink that writes to `output`. If a file name is given, it writes an object with the members `file` (the name)
  /// and `boxes` (the array).
  public init(_ output: any ByteSink, file: String? = nil) {
    printer = JSONPrinter(output, JSONOptions(file: file))
  }
  /// A sink that writes to `output` as `options` specify.
  public init(_ output: any ByteSink, _ options: JSONOptions) { printer = JSONPrinter(output, options) }
  /// Always `true`.
  package var wantsDerivedValues: Bool { true }
  /// The error of the output.
  public var failure: IOError? { printer.failure }
  /// Reports in place of the next box why there are no boxes, or no more of them. Open boxes are closed first.
  package func fail(_ message: String) { printer.fail(message) }
  /// Ends the array and flushes the output.
  public func finish() { printer.finish() }
  /// Flushes what was written so far.
  package func flush() { printer.flush() }

  /// Opens an object in the array of the file or of the enclosing box.
  package func beginBox(_ node: BoxNode, path: () -> BoxPath) { printer.beginBox(node, path()) }
  /// Begins a member of the box.
  package func beginBytes() { printer.beginBytes() }
  /// Adds hexadecimal digits to the member.
  package func bytes(_ bytes: ArraySlice<UInt8>, at offset: Int) { printer.bytes(bytes) }
  /// Ends the member; a second member counts the omitted bytes, if any.
  package func endBytes(omitted: Int) { printer.endBytes(omitted: omitted) }
  /// Closes the object of fields, and anything that damage left open in it.
  package func endFields(rest: ArraySlice<UInt8>, problem: BoxError?) {
    printer.endFields(rest: rest, problem: problem)
  }
  /// Closes the object of the box.
  package func endBox() { printer.endBox() }

  /// Prints two members of the box.
  package func fullBoxHeader(_ header: FullBoxHeader, flags: ValueNames) { printer.fullBoxHeader(header, flags) }
  /// Prints a member of the fields or of a row, or an element of a plain table.
  package func field(_ name: StaticText, _ value: FieldValue) { printer.field(name, value) }
  /// Keeps the value until the fields are closed.
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
  /// Prints the whole object or value; exclusive access to the state is checked once for all of it.
  package func row(_ index: Int, _ fields: [(name: StaticText, value: FieldValue)]) { printer.row(fields) }
  /// Closes the array.
  package func endTable() { printer.close() }
  /// Opens an element of the array `descriptors`.
  package func beginDescriptor(_ tag: UInt8, _ name: StaticText, headerSize: Int, size: Int) {
    printer.beginDescriptor(tag, name, headerSize: headerSize, size: size)
  }
  /// Closes the descriptor and the array of the descriptors in it.
  package func endDescriptor() { printer.endDescriptor() }
}
