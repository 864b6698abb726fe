package import Bytes
import ISOBMFF

/// Layouts for programs.
extension BoxLayout {
  /// Writes an object: `type`, perhaps `user_type`, `name`, `clause`, `containers`, perhaps the names of what it
  /// `replaces`, `holds_boxes`, and with `withFields` the array `fields`, unless nothing is known of them.
  package func write(to json: inout JSONWriter, withFields: Bool) {
    json.element(onNewLine: true)
    json.beginObject()
    json.key("type")
    json.value(info.type.description)
    if let userType = info.userType {
      json.key("user_type")
      json.value(userType.description)
    }
    json.key("name")
    json.value(info.name.description)
    json.key("clause")
    json.value(info.clause.description)
    json.key("containers")
    json.beginArray()
    for container in info.containers {
      json.element()
      json.value(container.description)
    }
    json.endArray()
    if !replaced.isEmpty {
      json.key("replaces")
      json.beginArray()
      for old in replaced {
        json.element()
        json.value(old.name.description)
      }
      json.endArray()
    }
    json.key("holds_boxes")
    json.value(holdsBoxes)
    if withFields, hasFields {
      json.key("fields")
      json.beginArray()
      for field in fields { field.write(to: &json) }
      json.endArray()
    }
    json.endObject()
  }
}

extension BoxLayout.Field {
  /// Writes an object: `name`, `type`, `bits` where the width is fixed or `width`, from which other fields it follows,
  /// the `style` of numbers, what they `must_be`, the `condition` of other fields, the `values` that have a name, and
  /// what the field depends on: the `versions` that have it, the `flags` of which any brings it, those `unless_flags`
  /// take it away, and under `other_bits` the versions that give it another width, and under `with_flags` the `flags`
  /// under a `mask` that do.
  fileprivate func write(to json: inout JSONWriter) {
    json.element()
    json.beginObject()
    json.key("name")
    json.value(description.name)
    json.key("type")
    json.value(description.type)
    if let bits = description.bits {
      json.key("bits")
      json.value(bits)
    }
    if let width = description.width {
      json.key("width")
      json.value(width)
    }
    if let style = description.style {
      json.key("style")
      json.value(style)
    }
    if let possible = description.possible {
      json.key("must_be")
      json.value(possible)
    }
    if let condition = description.condition {
      json.key("condition")
      json.value(condition)
    }
    if let names = description.names {
      json.key("values")
      json.beginArray()
      for entry in names.entries {
        json.element()
        json.beginObject()
        json.key("value")
        json.value(entry.value)
        json.key("name")
        json.value(entry.name)
        json.endObject()
      }
      json.endArray()
    }
    if let versions { Self.write("versions", versions.map(Int.init), to: &json) }
    if let flags { Self.write("flags", flags.map(Int.init), to: &json) }
    if !missingWithFlags.isEmpty { Self.write("unless_flags", missingWithFlags.map(Int.init), to: &json) }
    Self.write("other_bits", others, to: &json) { other, json in
      json.key("version")
      json.value(Int(other.version))
      return other.description.bits
    }
    Self.write("with_flags", variants, to: &json) { variant, json in
      json.key("mask")
      json.value(Int(variant.mask))
      json.key("flags")
      json.value(Int(variant.flags))
      return variant.description.bits
    }
    json.endObject()
  }

  /// Writes an array of objects, unless there are none: when a field has another width, which `writeWhen` writes, and
  /// the bits that it returns.
  private static func write<Width>(
    _ name: StaticText, _ widths: [Width], to json: inout JSONWriter, _ writeWhen: (Width, inout JSONWriter) -> Int?
  ) {
    if widths.isEmpty { return }
    json.key(name)
    json.beginArray()
    for width in widths {
      json.element()
      json.beginObject()
      if let bits = writeWhen(width, &json) {
        json.key("bits")
        json.value(bits)
      }
      json.endObject()
    }
    json.endArray()
  }

  private static func write(_ name: StaticText, _ numbers: [Int], to json: inout JSONWriter) {
    json.key(name)
    json.beginArray()
    for number in numbers {
      json.element()
      json.value(number)
    }
    json.endArray()
  }
}
