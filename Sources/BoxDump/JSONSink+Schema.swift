import Bytes
import ISOBMFF

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
