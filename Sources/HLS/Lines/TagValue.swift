/// The value after the colon of a tag.
public enum TagValue: Hashable, Sendable {
  case none
  case integer(Int)
  /// The duration of a segment and its title.
  case segment(Duration, title: String)
  case byteRange(ByteRange)
  case date(DateTime)
  case word(String)
  case attributes(AttributeList)
}

extension TagValue {
  /// Parses the value of a tag according to its syntax.
  init(
    _ tag: TagName, parsing text: Substring.UTF8View, line: Int, checksAttributes: Bool = true
  ) throws(PlaylistError) {
    func read<T>(_ value: T?, _ possible: String) throws(PlaylistError) -> T {
      guard let value else {
        throw PlaylistError(.value(tag: tag.rawValue, text: text.text, possible: possible), line: line)
      }
      return value
    }
    let value = text.trimmed
    switch tag {
    case .playlistHeader, .independentSegments, .iFramesOnly, .discontinuity, .gap, .end: self = .none
    case .version, .targetDuration, .mediaSequence, .discontinuitySequence, .bitrate:
      self = .integer(try read(Int(decimal: value), AttributeForm.integer.description))
    case .segment:
      let (duration, title) = text.halves(at: ",")
      let possible = "a number of seconds and a comma, such as \"6.006,\""
      self = .segment(try read(Duration(decimal: duration.trimmed), possible), title: title?.text ?? "")
    case .byteRange: self = .byteRange(try read(ByteRange(value), "LENGTH@OFFSET or LENGTH"))
    case .programDateTime:
      self = .date(try read(DateTime(value.text), "a date such as 2024-05-01T09:30:00.000Z"))
    case .playlistType, .allowCache: self = .word(value.text)
    default:
      let list = try read(AttributeList(text), "attributes such as NAME=1,OTHER=\"text\"")
      if checksAttributes { try TagValue.check(list, of: tag, line: line) }
      self = .attributes(list)
    }
  }
  private static func check(_ list: AttributeList, of tag: TagName, line: Int) throws(PlaylistError) {
    let known = tag.attributes
    for attribute in list.attributes {
      guard let form = known.first(where: { $0.name == attribute.name })?.form, !form.isReadable(attribute) else {
        continue
      }
      throw PlaylistError(
        .attribute(tag: tag.rawValue, name: attribute.name, text: attribute.text, possible: form.description),
        line: line)
    }
  }
}

extension TagValue {
  /// The value that is read back after writing: a decimal-integer has no sign.
  var written: TagValue {
    if case .integer(let value) = self { .integer(max(0, value)) } else { self }
  }
}

extension TagValue: CustomStringConvertible {
  /// The value in its canonical spelling.
  public var description: String {
    switch self {
    case .none: ""
    case .integer(let value): String(max(0, value))
    case .segment(let duration, let title): "\(duration.decimalText(decimals: 6)),\(singleLine(title))"
    case .byteRange(let range): range.description
    case .date(let date): date.description
    case .word(let word): singleLine(word)
    case .attributes(let list): list.description
    }
  }
}
