import ISOBMFF
import MP4Bytes
package import MP4Records

/// A chapter: a title from a time on.
public struct Chapter: Hashable, Sendable {
  /// When it starts, in presentation time.
  public var time: MediaTime
  /// Its title.
  public var title: String

  /// A chapter that starts at `time`.
  public init(time: MediaTime, title: String) {
    self.time = time
    self.title = title
  }
}

extension Chapter: Record {
  package static let summary = "A chapter."
  package static let members: [RecordMember<Self>] = [
    RecordMember("seconds", "its start time") { $0.time },
    RecordMember("title", "its title") { $0.title },
  ]
}

/// Chapters of a movie in time order.
public struct ChapterList: Equatable, Sendable {
  /// The chapters, sorted by time.
  public let chapters: [Chapter]
  /// The maximum number of chapters in a file: their count has one byte.
  public static let limit = 255
  /// The maximum number of bytes of a title.
  private static let titleLimit = 255

  /// Sorts chapters by time.
  public init(_ chapters: [Chapter]) {
    let order = chapters.indices.sorted { (chapters[$0].time, $0) < (chapters[$1].time, $1) }
    self.chapters = order.map { chapters[$0] }
  }

  /// Nero's chapter list (`chpl`), with times in units of 100 ns. Titles that are too long are truncated at a character
  /// boundary.
  func box() -> Box {
    var writer = ByteWriter()
    // Version 1, no flags, and a field that is always 0.
    writer.integer(UInt32(0x0100_0000))
    writer.integer(UInt32(0))
    writer.integer(UInt8(clamping: chapters.count))
    for chapter in chapters.prefix(Self.limit) {
      writer.integer(UInt64(max(0, chapter.time.converted(to: 10_000_000).value)))
      let title = Array(Self.shortened(chapter.title, to: Self.titleLimit).utf8)
      writer.integer(UInt8(clamping: title.count))
      for byte in title { writer.integer(byte) }
    }
    return Box("chpl", bytes: writer.bytes)
  }

  /// The numbers of the chapters whose titles are too long, counted from 1.
  var shortenedTitles: [Int] {
    chapters.indices.filter { chapters[$0].title.utf8.count > Self.titleLimit }.map { $0 + 1 }
  }

  /// A title, truncated at a character boundary.
  static func shortened(_ title: String, to limit: Int) -> String {
    var (result, count) = ("", 0)
    for character in title {
      count += character.utf8.count
      if count > limit { break }
      result.append(character)
    }
    return result
  }
}

extension Movie {
  /// More chapters of a track are not read.
  private static let chapterLimit = 10_000

  /// The chapters: those of the track that another one refers to, or else of Nero's list.
  ///
  /// - Throws: `MovieError.io` if the titles cannot be read.
  public func chapters() throws(MovieError) -> [Chapter] {
    for track in tracks where track.isChapters == true {
      var chapters: [Chapter] = []
      let isQuickTime = track.decoderConfigurations.contains { $0.codedFormat == "text" }
      try track.forEachTimedSample(limit: 1 << 16) { sample in
        let title = TextSample(sample.bytes, isQuickTime: isQuickTime)?.text ?? ""
        chapters.append(Chapter(time: sample.start, title: title))
        return chapters.count < Self.chapterLimit
      }
      // A track of pictures can also be referenced as chapters.
      if !chapters.isEmpty, track.handler != "vide" { return chapters }
    }
    return movieBoxes.lazy.map(Self.nero).first { !$0.isEmpty } ?? []
  }

  /// The list in `chpl`.
  private static func nero(_ movie: MovieBox) -> [Chapter] {
    guard let range = movie.box.first("udta", "chpl")?.header?.payload, range.count <= 1 << 20 else { return [] }
    var window = ByteWindow(movie.source, readAhead: 0)
    let bytes = try? window.slice(at: range.lowerBound, count: range.count)
    return bytes.flatMap { ChapterList(nero: Array($0)) }?.chapters ?? []
  }
}

extension ChapterList {
  /// Parses chapters from UTF-8 text: lines such as `00:01:30.000 Title`, `CHAPTER01=00:01:30.000` and
  /// `CHAPTER01NAME=Title` (OGM), or FFmpeg metadata (`;FFMETADATA1`). `name` is the name of the text in messages.
  ///
  /// - Throws: `MovieError` if there are no chapters, or if a line cannot be parsed.
  public init(text: [UInt8], name: String) throws(MovieError) {
    do throws(Obstacle) {
      let lines = try Self.lines(text)
      let first = lines.first { !$0.text.isEmpty }?.text ?? ""
      let chapters =
        if first.hasPrefix(";FFMETADATA") { try Self.metadata(lines) }
        // A line with a time starts with a digit.
        else if first.uppercased().hasPrefix("CHAPTER") { try Self.pairs(lines) } else { try Self.plain(lines) }
      guard !chapters.isEmpty else { throw Obstacle("no_chapters", "it has no chapters") }
      self.init(chapters)
    } catch { throw .impossible(file: name, error) }
  }

  /// The chapters as lines `HH:MM:SS.mmm Title`, which `init(text:name:)` reads. Times are rounded down to
  /// milliseconds; line breaks and other control characters in titles become spaces.
  public var text: String {
    chapters.map { chapter in
      let milliseconds = max(0, chapter.time.flooredValue(in: 1000))
      func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
      }
      let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
      let clock = [digits(seconds / 3600, 2), digits(seconds / 60 % 60, 2), digits(seconds % 60, 2)]
      let isControl: (Unicode.Scalar) -> Bool = { $0.properties.generalCategory == .control }
      let title = String(String.UnicodeScalarView(chapter.title.unicodeScalars.map { isControl($0) ? " " : $0 }))
      return clock.joined(separator: ":") + ".\(digits(rest, 3)) \(Self.trimmed(title[...]))\n"
    }.joined()
  }

  private struct Line {
    var number: Int
    var text: Substring
  }

  private static func lines(_ bytes: [UInt8]) throws(Obstacle) -> [Line] {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let content = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    var lines: [Line] = []
    for line in content.split(separator: 10, omittingEmptySubsequences: false) {
      let line = line.last == 13 ? line.dropLast() : line
      let text = String(decoding: line, as: UTF8.self)
      guard text.utf8.elementsEqual(line), !line.contains(0) else {
        throw Obstacle("not_utf8", "line \(lines.count + 1) is not UTF-8; convert the file with a tool such as iconv")
      }
      lines.append(Line(number: lines.count + 1, text: trimmed(text[...])))
    }
    return lines
  }

  /// Compares scalars, because a title can start with a combining mark.
  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.unicodeScalars.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return Substring(text)
  }

  /// The text before and after the first separator.
  private static func parts(_ text: Substring, at separators: Set<Unicode.Scalar>) -> (Substring, Substring?) {
    let scalars = text.unicodeScalars
    guard let place = scalars.firstIndex(where: separators.contains) else { return (text, nil) }
    return (Substring(scalars[..<place]), Substring(scalars[place...].dropFirst()))
  }

  /// Parses a time such as `01:30` or `00:01:30.500`, with at most nine decimals.
  private static func time(_ text: Substring) -> MediaTime? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let last = parts.last else { return nil }
    let seconds = last.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    let decimals = seconds.count > 1 ? seconds[1] : ""
    var value: Int64 = 0
    for (index, part) in (parts.dropLast() + seconds.prefix(1)).enumerated() {
      guard let number = number(part), index == 0 || number < 60, let sum = units(value, per: 60, number) else {
        return nil
      }
      value = sum
    }
    if decimals.isEmpty { return seconds.count > 1 ? nil : MediaTime(value, 1) }
    guard decimals.utf8.count <= 9, let fraction = number(decimals) else { return nil }
    let timescale = decimals.utf8.reduce(UInt32(1)) { scale, _ in scale * 10 }
    return units(value, per: Int64(timescale), fraction).map { MediaTime($0, timescale) }
  }

  /// `count * size + rest`; `nil` on overflow.
  private static func units(_ count: Int64, per size: Int64, _ rest: Int64) -> Int64? {
    let (product, isTooLarge) = count.multipliedReportingOverflow(by: size)
    let (sum, hasNoRoom) = product.addingReportingOverflow(rest)
    return isTooLarge || hasNoRoom ? nil : sum
  }

  /// A number that consists of digits only.
  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }

  // MARK: Formats

  private static func syntax(_ line: Int, _ expected: String) -> Obstacle {
    Obstacle("chapter_syntax", "line \(line) must be \(expected)", ["line": .integer(line)])
  }

  static func tooMany(_ count: Int) -> Obstacle {
    Obstacle("too_many_chapters", "there are \(count) chapters; a chapter list has at most \(limit)")
  }

  private static func plain(_ lines: [Line]) throws(Obstacle) -> [Chapter] {
    var chapters: [Chapter] = []
    for line in lines where !line.text.isEmpty && !line.text.hasPrefix("#") {
      let (word, title) = parts(line.text, at: [" ", "\t"])
      guard let time = time(word) else {
        throw Self.syntax(line.number, "a time and a title, such as '00:01:30.000 Title'")
      }
      chapters.append(Chapter(time: time, title: String(trimmed(title ?? ""))))
    }
    return chapters
  }

  private static func pairs(_ lines: [Line]) throws(Obstacle) -> [Chapter] {
    var chapters: [Chapter] = []
    var places: [Int64: Int] = [:]
    for line in lines where !line.text.isEmpty && !line.text.hasPrefix("#") {
      let (key, text) = parts(line.text, at: ["="])
      let value = trimmed(text ?? "")
      var rest = key.dropFirst("CHAPTER".count)
      let digits = rest.prefix { "0"..."9" ~= $0 }
      rest = rest.dropFirst(digits.count)
      guard text != nil, key.uppercased().hasPrefix("CHAPTER"), !digits.isEmpty,
        let number = number(digits), rest.isEmpty || rest.uppercased() == "NAME"
      else {
        throw Self.syntax(line.number, "a line such as 'CHAPTER01=00:01:30.000' or 'CHAPTER01NAME=Title'")
      }
      if rest.isEmpty {
        guard let time = time(value), places[number] == nil else {
          throw Self.syntax(line.number, "the time of another chapter, such as 'CHAPTER01=00:01:30.000'")
        }
        places[number] = chapters.count
        chapters.append(Chapter(time: time, title: ""))
      } else {
        guard let place = places[number] else {
          throw Self.syntax(line.number, "after the line with the time of chapter \(number)")
        }
        chapters[place].title = String(value)
      }
    }
    return chapters
  }

  /// The `[CHAPTER]` sections. Times are in units of `TIMEBASE`, by default 1 ns.
  private static func metadata(_ lines: [Line]) throws(Obstacle) -> [Chapter] {
    var chapters: [Chapter] = []
    var isInChapter = false
    var section = (line: 0, base: (units: Int64(1), timescale: UInt32(1_000_000_000)), start: Int64?.none, title: "")
    func finish() throws(Obstacle) {
      guard isInChapter else { return }
      guard let start = section.start else { throw Self.syntax(section.line, "a chapter with a START") }
      let (value, overflow) = start.multipliedReportingOverflow(by: section.base.units)
      guard !overflow else { throw Self.syntax(section.line, "a chapter with a smaller START") }
      chapters.append(Chapter(time: MediaTime(value, section.base.timescale), title: section.title))
    }
    var index = 0
    while index < lines.count {
      let line = lines[index]
      var text = line.text
      index += 1
      // A line break after a backslash is part of the value.
      while endsWithEscape(text), index < lines.count {
        text = text.dropLast() + "\n" + lines[index].text
        index += 1
      }
      guard let first = text.first, first != ";", first != "#" else { continue }
      if first == "[" {
        try finish()
        isInChapter = text == "[CHAPTER]"
        section = (line.number, (1, 1_000_000_000), nil, "")
        continue
      }
      guard isInChapter else { continue }
      let (key, value) = assignment(text)
      switch key {
      case "TIMEBASE":
        let parts = value.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let units = number(parts[0]), units > 0, let scale = UInt32(parts[1]), scale > 0 else {
          throw Self.syntax(line.number, "a time base such as 'TIMEBASE=1/1000'")
        }
        section.base = (units, scale)
      case "START":
        guard let start = number(value[...]) else {
          throw Self.syntax(line.number, "a time that is not negative, such as 'START=90000'")
        }
        section.start = start
      case "title": section.title = value
      default: break
      }
    }
    try finish()
    return chapters
  }

  private static func endsWithEscape(_ text: Substring) -> Bool {
    !text.reversed().prefix { $0 == "\\" }.count.isMultiple(of: 2)
  }

  /// The text before and after the first unescaped `=`, both unescaped.
  private static func assignment(_ text: Substring) -> (key: String, value: String) {
    var (words, isEscaped) = ([""], false)
    for character in text {
      if !isEscaped, character == "\\" {
        isEscaped = true
        continue
      }
      if !isEscaped, character == "=", words.count == 1 {
        words.append("")
      } else {
        words[words.count - 1].append(character)
      }
      isEscaped = false
    }
    return (words[0], words.count > 1 ? words[1] : "")
  }
}
