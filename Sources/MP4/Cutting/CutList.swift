import MP4Bytes

/// A list of the parts of a movie: an edit decision list (CMX 3600), or lines with a start, an end and a name.
///
/// Of an edit decision list, the source times of all events count, which are timecodes of the movie; the end is
/// exclusive. Transitions are not supported, because nothing is transcoded.
public struct CutList: Sendable {
  /// A part of the movie.
  public struct Part: Sendable, Hashable {
    /// `nil` for the start of the movie.
    public var start: CutTime?
    /// `nil` for the end of the movie; exclusive.
    public var end: CutTime?
    /// The name of the part or clip.
    public var name: String?
    /// The reel of an edit decision list.
    public var reel: String?
    /// The number of its line, starting at 1.
    public var line: Int
  }
  /// The parts, in the order of the list.
  public private(set) var parts: [Part] = []
  /// Its name in messages.
  public let name: String

  /// The number of characters of a line that are quoted.
  private static let quoteLimit = 40

  /// The largest list that is read.
  package static let limit = 1 << 24

  /// Reads a list. Text that starts with the title or an event of an edit decision list is one; other text has a part
  /// in each line: start, end and name, separated by commas, semicolons or tabs.
  ///
  /// - Parameters:
  ///   - text: The list, in UTF-8.
  ///   - name: Its name in messages.
  /// - Throws: `MovieError` with the line that cannot be read.
  public init(_ text: [UInt8], name: String) throws(MovieError) {
    self.name = name
    let bytes = text.starts(with: [0xef, 0xbb, 0xbf]) ? text[3...] : text[...]
    let lines = bytes.split(omittingEmptySubsequences: false) { $0 == 10 }.map {
      String(decoding: $0.last == 13 ? $0.dropLast() : $0, as: UTF8.self)
    }
    let first = lines.first { !$0.isBlank } ?? ""
    do throws(Problem) {
      let isEvents = first.hasPrefix("TITLE:") || first.hasPrefix("FCM:") || Event(first) != nil
      if isEvents { try readEvents(lines) } else { try readRows(lines) }
      if parts.isEmpty { throw Problem(0, "it has no part") }
    } catch {
      let place = error.line > 0 ? "line \(error.line): " : ""
      throw .impossible(file: name, Obstacle("cut_list", place + error.text, ["line": .integer(error.line)]))
    }
  }

  private struct Problem: Error {
    let line: Int
    let text: String
    init(_ line: Int, _ text: String) { (self.line, self.text) = (line, text) }
  }

  // MARK: Edit decision lists

  /// The words of an event: `001  AX  V  C  01:00:00:00 01:00:05:00 00:00:00:00 00:00:05:00`.
  private struct Event {
    let words: [Substring]

    init?(_ line: String) {
      words = line.split { $0 == " " || $0 == "\t" }
      guard words.count >= 8, words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    }
    var reel: String { String(words[1]) }
    /// Whether it has no video.
    var isSound: Bool { words[2].hasPrefix("A") }
    var transition: String { String(words[3]) }
    /// The source times; a transition has its duration before them.
    var times: (Substring, Substring) { (words[words.count - 4], words[words.count - 3]) }
    /// The times in the program.
    var recordTimes: [Substring] { words.suffix(2) }
  }

  private mutating func readEvents(_ lines: [String]) throws(Problem) {
    // Sound belongs to the video of its file, even if its cuts differ.
    let ignoresSound = lines.contains { Event($0)?.isSound == false }
    var latest: [Substring] = []
    for (index, line) in lines.enumerated() {
      let number = index + 1
      if line.hasPrefix("*") {
        let words = line.split(separator: ":", maxSplits: 1)
        guard words.count == 2, words[0].hasSuffix("FROM CLIP NAME"), !parts.isEmpty else { continue }
        parts[parts.count - 1].name = String(words[1].drop { $0 == " " })
        continue
      }
      // Speeds and sources that are split between events.
      if line.hasPrefix("M2") { throw Problem(number, "a speed (M2) is not supported, because nothing is transcoded") }
      guard let event = Event(line) else { continue }
      if event.transition != "C" {
        let kind = event.transition.hasPrefix("D") ? "a dissolve" : event.transition.hasPrefix("W") ? "a wipe" : "a key"
        throw Problem(number, "\(kind) (\(event.transition)) is not supported, because nothing is transcoded")
      }
      let (start, end) = (CutTime(String(event.times.0)), CutTime(String(event.times.1)))
      guard let start, let end, case .timecode = start.value, case .timecode = end.value else {
        throw Problem(number, "'\(event.times.0)' and '\(event.times.1)' are no timecodes")
      }
      // Black has no source.
      if ["BL", "BLK", "BLACK"].contains(event.reel.uppercased()) { continue }
      if event.isSound, ignoresSound { continue }
      // Several tracks of the same times are often separate events.
      if let last = parts.last, (last.start, last.end, last.reel) == (start, end, event.reel),
        latest == event.recordTimes
      {
        continue
      }
      latest = event.recordTimes
      parts.append(Part(start: start, end: end, reel: event.reel, line: number))
    }
  }

  /// The list without parts of other reels. Names are compared without case; a name of eight letters can be the start
  /// of a longer one, because CMX 3600 has room for eight.
  ///
  /// - Throws: `MovieError` with the reels, if none of them is one of these.
  public func keeping(reels: [String]) throws(MovieError) -> CutList {
    let wanted = reels.map { $0.uppercased() }
    func isWanted(_ reel: String) -> Bool {
      let reel = reel.uppercased()
      return wanted.contains { name in
        name == reel || min(name.count, reel.count) == 8 && (name.hasPrefix(reel) || reel.hasPrefix(name))
      }
    }
    // `AX` stands for any file.
    let known = Set(parts.compactMap(\.reel)).filter { $0 != "AX" }
    var result = self
    result.parts = parts.filter { part in part.reel.map { $0 == "AX" || isWanted($0) } ?? true }
    guard result.parts.isEmpty, !parts.isEmpty else { return result }
    let list = known.sorted().prefix(8).joined(separator: ", ")
    let text = "its events are of other reels: \(list)"
    throw .impossible(file: name, Obstacle("other_reel", text, ["reels": .list(known.sorted().map { .text($0) })]))
  }

  // MARK: Lines with fields

  private mutating func readRows(_ lines: [String]) throws(Problem) {
    for (index, line) in lines.enumerated() where !line.isBlank && !line.hasPrefix("#") {
      let separator: UInt8 = [0x09, 0x2c, 0x3b].first { line.utf8.contains($0) } ?? 0x2c
      let fields = Self.fields(line, Character(UnicodeScalar(separator)))
      guard fields.count >= 2 else {
        throw Problem(index + 1, "'\(line.prefix(Self.quoteLimit))' has no start and end")
      }
      let (start, end) = (fields[0].isEmpty ? nil : CutTime(fields[0]), fields[1].isEmpty ? nil : CutTime(fields[1]))
      let isTime = (fields[0].isEmpty || start != nil) && (fields[1].isEmpty || end != nil)
      guard isTime else {
        // A header has no digits.
        if parts.isEmpty, !line.utf8.contains(where: { (0x30...0x39).contains($0) }) { continue }
        let wrong = fields[0].isEmpty || start != nil ? fields[1] : fields[0]
        throw Problem(
          index + 1, "'\(wrong.prefix(Self.quoteLimit))' is no time such as 62.5, 1:02.5, 250f or 01:00:10:00")
      }
      let name = fields.count > 2 && !fields[2].isEmpty ? fields[2] : nil
      parts.append(Part(start: start, end: end, name: name, line: index + 1))
    }
  }

  /// The fields of a line without spaces around them; quotes can be around a field with separators: RFC 4180.
  private static func fields(_ line: String, _ separator: Character) -> [String] {
    var (fields, field, isQuoted) = ([String](), "", false)
    for character in line {
      if character == "\"" {
        // Two quotes in a quoted field are one.
        if !isQuoted, !field.isEmpty { field.append(character) }
        isQuoted.toggle()
      } else if character == separator, !isQuoted {
        fields.append(field)
        field = ""
      } else {
        field.append(character)
      }
    }
    return (fields + [field]).map { field in
      let start = field.drop { $0 == " " }
      return String(start.reversed().drop { $0 == " " }.reversed())
    }
  }
}

extension String {
  fileprivate var isBlank: Bool { utf8.allSatisfy { $0 == 0x20 || $0 == 9 } }
}

extension MovieCutter {
  /// The times of the parts of a list. Unlike other parts, they can overlap and be in any order.
  ///
  /// - Throws: `MovieError` with the line of a time that does not exist, or of a part that ends before it starts.
  public func ranges(of list: CutList, atKeyframes: Bool = false) throws(MovieError) -> [Range<MediaTime>] {
    var ranges: [Range<MediaTime>] = []
    for part in list.parts {
      do throws(MovieError) {
        let start = try part.start?.time(in: self)
        let span = PresentationSpan(from: start, to: try part.end?.time(in: self))
        ranges.append(try parts(.keeping([span]), atKeyframes: atKeyframes)[0].range)
      } catch {
        guard case .impossible(_, let obstacle) = error else { throw error }
        throw .impossible(file: list.name, Obstacle(obstacle.code, "line \(part.line): \(obstacle.description)"))
      }
    }
    return ranges
  }

  /// The times at which parts of this duration start, after the first one.
  public func times(every length: MediaTime) -> [MediaTime] {
    var times: [MediaTime] = []
    guard length > MediaTime(0, 1) else { return times }
    var next = length
    while next < duration, times.count < 100_000 {
      times.append(frameStart(near: next))
      next = next + length
    }
    return times
  }

  /// The times at which parts start, after the first one, so that the file of each part has at most this number of
  /// bytes: times of keyframes or, without video, of other samples.
  ///
  /// - Throws: `MovieError` also if the file of a part between two of these times would be larger.
  public func times(everyBytes limit: Int) throws(MovieError) -> [MediaTime] {
    let borders = keyframeTimes + [duration]
    var (times, start, next, usual) = ([MediaTime](), MediaTime(0, 1), 0, 1)
    while true {
      // Parts have a similar number of keyframes, so that few and small plans are made.
      var (fitting, tooLarge, step) = (next - 1, borders.count, usual)
      while tooLarge - fitting > 1 {
        let probe = tooLarge < borders.count ? (fitting + tooLarge) / 2 : min(fitting + step, borders.count - 1)
        let size = try planPart([start..<borders[probe]]).byteCount
        if size <= limit {
          (fitting, step) = (probe, step * 2)
          if probe == borders.count - 1 { return times }
        } else {
          tooLarge = probe
          guard probe > next else {
            let text = "the part from \(start) to the next keyframe needs a file of \(size) bytes"
            throw .impossible(file: name, Obstacle("large_part", text))
          }
        }
      }
      usual = max(1, fitting + 1 - next)
      start = borders[fitting]
      times.append(start)
      next = fitting + 1
    }
  }

  /// The presentation times of sync samples after the start of the presentation, in order.
  private var keyframeTimes: [MediaTime] {
    guard let index = video ?? tracks.indices.first(where: { tracks[$0].list.count > 0 }) else { return [] }
    let track = tracks[index]
    var times: [MediaTime] = []
    var walk = SampleWalk(track.list)
    while walk.sample < track.list.count {
      if track.list.isSync(walk.sample),
        let shown = track.presentation.presentations(
          of: walk.compositionTime, lasting: max(1, track.list.duration(walk.sample))
        ).first?.lowerBound, shown > MediaTime(0, 1), shown < duration
      {
        times.append(shown)
      }
      walk.advance()
    }
    times.sort()
    return times.indices.filter { $0 == 0 || times[$0] > times[$0 - 1] }.map { times[$0] }
  }

  /// The timecode of the first timecode track at a time, such as `01:00:10:00`; `nil` if there is none.
  public func timecode(at time: MediaTime) throws(MovieError) -> String? {
    for (index, track) in tracks.enumerated() where isTimecode(index) && track.list.count > 0 {
      guard let media = track.presentation.compositionTime(at: time), let sample = track.list.index(atTime: media),
        sample < track.list.count, let format = track.timecodeFormat(of: sample),
        let value = try track.timecodeValue(sample)
      else { continue }
      let offset = MediaTime(media &- track.list.columns.time(sample), track.timescale)
      let frames = offset.converted(to: format.timescale).value / Int64(format.frameDuration)
      return format.text(format.wrapped(value &+ frames))
    }
    return nil
  }
}
