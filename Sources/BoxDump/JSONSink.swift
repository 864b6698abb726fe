package import ISOBMFF
public import MP4Bytes

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

extension JSONSink {
  /// A JSON Schema of the output: for one file, for several files, and for each line in the format of one box per line.
  package static let schema = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "The boxes of MP4 files, as mp4tool dump prints them",
      "anyOf": [
        {"$ref": "#/$defs/boxes", "description": "--format json, one file"},
        {"type": "array", "items": {"$ref": "#/$defs/file"}, "description": "--format json, several files"},
        {"$ref": "#/$defs/box", "description": "--format jsonl, each line"},
        {"$ref": "#/$defs/failure", "description": "--format jsonl, a line instead of boxes"}
      ],
      "$defs": {
        "file": {
          "type": "object",
          "required": ["file", "boxes"],
          "properties": {"file": {"type": "string"}, "boxes": {"$ref": "#/$defs/boxes"}},
          "additionalProperties": false
        },
        "boxes": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/box"}, {"$ref": "#/$defs/failure"}]}},
        "failure": {
          "description": "the reason why there are no boxes, or no further boxes",
          "type": "object",
          "required": ["error"],
          "properties": {
            "file": {"type": "string", "description": "in lines about several files"},
            "error": {
              "type": "object",
              "required": ["message"],
              "properties": {"message": {"type": "string"}},
              "additionalProperties": false
            }
          },
          "additionalProperties": false
        },
        "box": {
          "type": "object",
          "required": ["type", "path", "offset", "size"],
          "properties": {
            "file": {"type": "string", "description": "in lines about several files"},
            "type": {"type": ["string", "null"], "minLength": 4, "maxLength": 4},
            "user_type": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
            "path": {"type": "string"},
            "offset": {"$ref": "#/$defs/count"},
            "header_size": {"enum": [8, 16, 24, 32]},
            "size": {"$ref": "#/$defs/count"},
            "version": {"type": "integer", "minimum": 0, "maximum": 255},
            "flags": {"type": "integer", "minimum": 0, "maximum": 16777215},
            "flag_names": {"type": "array", "items": {"type": "string"}},
            "fields": {"$ref": "#/$defs/fields"},
            "derived": {"$ref": "#/$defs/derived"},
            "bytes": {"$ref": "#/$defs/hex"},
            "omitted_bytes": {"$ref": "#/$defs/count"},
            "rest": {"anyOf": [{"$ref": "#/$defs/hex"}, {"$ref": "#/$defs/longBytes"}]},
            "error": {"$ref": "#/$defs/problem"},
            "note": {"$ref": "#/$defs/problem"},
            "boxes": {"$ref": "#/$defs/boxes"}
          },
          "additionalProperties": false
        },
        "problem": {
          "type": "object",
          "required": ["field", "offset", "message"],
          "properties": {
            "field": {"type": "string"}, "offset": {"$ref": "#/$defs/count"}, "message": {"type": "string"}
          },
          "additionalProperties": false
        },
        "fields": {
          "type": "object",
          "properties": {"descriptors": {"type": "array", "items": {"$ref": "#/$defs/descriptor"}}},
          "additionalProperties": {"$ref": "#/$defs/value"}
        },
        "value": {
          "anyOf": [
            {"type": ["number", "string"]},
            {"$ref": "#/$defs/longBytes"},
            {"type": "array", "items": {"$ref": "#/$defs/value"}},
            {"type": "array", "items": {"$ref": "#/$defs/fields"}}
          ]
        },
        "derived": {
          "description": "values derived from this and other boxes, such as times in seconds, or the codecs of a sample entry",
          "type": "object",
          "properties": {
            "codecs": {"type": "string", "description": "RFC 6381"},
            "supplemental_codecs": {"type": "string"},
            "picture_width": {"$ref": "#/$defs/count"},
            "picture_height": {"$ref": "#/$defs/count"},
            "video_range": {"enum": ["SDR", "HLG", "PQ"]},
            "audio_object_type": {"$ref": "#/$defs/count"},
            "audio_object_type_name": {"type": "string"},
            "channels": {"type": "string", "pattern": "^[1-9][0-9]*(/JOC)?$"},
            "sample_rate": {"$ref": "#/$defs/count"}
          },
          "additionalProperties": {"$ref": "#/$defs/value"}
        },
        "descriptor": {
          "type": "object",
          "required": ["tag", "name", "header_size", "size"],
          "properties": {
            "tag": {"type": "integer", "minimum": 0, "maximum": 255},
            "name": {"type": "string"},
            "header_size": {"type": "integer", "minimum": 2, "maximum": 5},
            "size": {"$ref": "#/$defs/count"},
            "descriptors": {"type": "array", "items": {"$ref": "#/$defs/descriptor"}}
          },
          "additionalProperties": {"$ref": "#/$defs/value"}
        },
        "longBytes": {
          "type": "object",
          "required": ["start", "length"],
          "properties": {"start": {"$ref": "#/$defs/hex"}, "length": {"$ref": "#/$defs/count"}},
          "additionalProperties": false
        },
        "hex": {"type": "string", "pattern": "^([0-9a-f]{2})*$"},
        "count": {"type": "integer", "minimum": 0}
      }
    }

    """#
}
