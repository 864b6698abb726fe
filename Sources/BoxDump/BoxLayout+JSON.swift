import ISOBMFF
package import MP4Bytes

/// Layouts as JSON.
extension BoxLayout {
  /// Writes an object: `type`, `user_type` if there is one, `name`, `clause`, `containers`, `replaces` (the names of
  /// the replaced layouts) if there are any, and `holds_boxes`. With `withFields`, the array `fields` follows, unless
  /// the fields are unknown.
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
  /// Writes an object: `name` and `type`, `bits` for a fixed width or `width` (the fields that determine it), the
  /// `style` of numbers, the value that it `must_be`, the `condition` on other fields, and the named `values`. The rest
  /// says when the field is present and how wide it is: the `versions` that have it, the `flags` of which any adds it,
  /// the `unless_flags` that remove it, `other_bits` with the versions that give it another width, and `with_flags`
  /// with the `flags` under a `mask` that do.
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

  /// Writes an array of objects, unless it is empty. Each says when a field has another width, which `writeWhen`
  /// writes, and then the bits, which it returns.
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
