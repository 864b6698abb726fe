import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging

/// The options of `hls` for ad breaks, interstitials, dates and data of the presentation.
enum HLSMarkers {
  static let adBreak = Option.repeated(
    "ad-break", placeholder: "A..B", as: BreakRange.self,
    help:
      "Mark a break for advertisements from time A to B with EXT-X-DATERANGE (SCTE35-OUT, SCTE35-IN) and, with "
      + "`--dash`, events in the manifest. Segments start at the first sync samples at or after both times. Can be "
      + "repeated.")
  static let interstitial = Option.repeated(
    "interstitial", placeholder: "TIME=URL", as: InterstitialWord.self,
    help:
      "Present the playlist at URL at this time (an interstitial of HLS). URL may be followed by settings: "
      + "`,duration=SECONDS`, its duration; `,resume=SECONDS`, how much of the presentation it replaces (0: nothing); "
      + "`,restrict=skip+jump`, what users cannot do; `,once`; `,list`, if URL is a list of assets in JSON. Can be "
      + "repeated.")
  static let date = Option.parsed(
    "date", placeholder: "DATE", as: DateWord.self,
    help:
      "The date and time of the start, such as `2026-01-31T20:15:00Z`, written as EXT-X-PROGRAM-DATE-TIME. "
      + "Presentations with EXT-X-DATERANGE need one; without this option, it is the start of 1970.")
  static let noSplices = Option.flag(
    "no-splices",
    help:
      "Write no EXT-X-DATERANGE for splice messages (SCTE 35 in `emsg`) of the INPUTs, and start no segments there.")
  static let start = Option.parsed(
    "start", placeholder: "SECONDS", as: StartWord.self,
    help:
      "Where players start (EXT-X-START): the time from the start or, if negative, from the end. `,precise` after it "
      + "hides what is before it in its segment. ffmpeg 9.0 does not read playlists with this tag.")
  static let sessionData = Option.repeated(
    "session-data", placeholder: "ID=VALUE", as: SessionDataWord.self,
    help:
      "Data for players (EXT-X-SESSION-DATA), such as `com.example.title=My film`; ID can be followed by `,LANG`. Can "
      + "be repeated.")
  static let steering = Option.parsed(
    "steering", placeholder: "URL", as: SteeringWord.self,
    help:
      "The server that selects pathways (EXT-X-CONTENT-STEERING). The variants have the pathway `.`, or the name after "
      + "a comma: `https://steer.example.com/s.json,CDN-A`.")

  static let all: [any DeclaredOption] = [adBreak, interstitial, date, noSplices, start, sessionData, steering]

  /// Sets the options of the packager.
  static func set(_ options: inout Packager.Options, _ arguments: ParsedArguments) throws(UsageError) {
    options.markers.adBreaks = arguments[adBreak].map(\.range)
    let ranges = options.markers.adBreaks.sorted { $0.lowerBound < $1.lowerBound }
    for (range, next) in zip(ranges, ranges.dropFirst()) where range.overlaps(next) {
      throw UsageError("the breaks at \(range.lowerBound) and \(next.lowerBound) overlap")
    }
    options.markers.interstitials = arguments[interstitial].map(\.interstitial)
    options.markers.date = arguments[date]?.date
    options.markers.usesSplices = !arguments[noSplices]
    options.startPoint = arguments[start]?.point
    options.sessionData = arguments[sessionData].map(\.data)
    options.steering = arguments[steering]?.steering
    for data in options.sessionData where options.sessionData.count(where: { $0.isSame(as: data) }) > 1 {
      throw UsageError("'--\(sessionData.declaration.name)' has \(data.id) twice in one language")
    }
  }
}

extension SessionData {
  fileprivate func isSame(as other: SessionData) -> Bool { self.id == other.id && self.language == other.language }
}

/// Text that can be the value of an attribute.
private func isAttribute(_ text: some StringProtocol) -> Bool {
  !text.isEmpty && !text.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x7f }
}

/// A range of times, such as `60..90`.
struct BreakRange: TextOptionValue {
  static let expectation = "two times such as 60..90 or 1:00..1:30"
  let range: Range<MediaTime>

  init?(_ word: String) {
    let (first, last) = ClockRange.halves(word)
    guard let last, let start = MediaTime(clock: first), let end = MediaTime(clock: last), start < end else {
      return nil
    }
    range = start..<end
  }
}

/// An interstitial with its settings.
struct InterstitialWord: TextOptionValue {
  static let expectation =
    "a time and an absolute URL with optional settings (duration, resume, restrict, once, list), such as "
    + "60=https://example.com/ad.m3u8,duration=30,resume=0"
  private(set) var interstitial: Packager.Interstitial

  init?(_ word: String) {
    guard let equals = word.firstIndex(of: "="), let time = MediaTime(clock: String(word[..<equals])) else {
      return nil
    }
    interstitial = Packager.Interstitial(at: time, uri: "")
    var rest = word[equals...].dropFirst()
    // A URL can contain commas.
    while let comma = rest.lastIndex(of: ","), set(rest[comma...].dropFirst()) { rest = rest[..<comma] }
    guard isAttribute(rest), interstitial.isList || URIReference(String(rest)).isAbsolute else { return nil }
    // A wrong setting is not a part of the URL.
    if let comma = rest.lastIndex(of: ",") {
      let setting = rest[comma...].dropFirst().prefix { $0 != "=" }
      let known = ["once", "list", "duration", "resume", "restrict"]
      if known.contains(String(setting)) || !Spelling.names(like: String(setting), from: known).isEmpty { return nil }
    }
    interstitial.uri = String(rest)
  }

  private mutating func set(_ setting: Substring) -> Bool {
    let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts[0], parts.count > 1 ? String(parts[1]) : nil) {
    case ("once", nil): interstitial.isOnce = true
    case ("list", nil): interstitial.isList = true
    case ("duration", let value?):
      guard let time = MediaTime(seconds: value) else { return false }
      interstitial.duration = time
    case ("resume", let value?):
      guard let time = MediaTime(seconds: value) else { return false }
      interstitial.resumeOffset = time
    case ("restrict", let value?):
      let all = value.uppercased().split(separator: "+", omittingEmptySubsequences: false).map(String.init)
      guard all.allSatisfy({ ["SKIP", "JUMP"].contains($0) }) else { return false }
      interstitial.restrictions = all
    default: return false
    }
    return true
  }
}

/// A date and time.
struct DateWord: TextOptionValue {
  static let expectation = "a date and time such as 2026-01-31T20:15:00Z or 2026-01-31T20:15:00.5+01:00"
  private(set) var date: DateTime

  init?(_ word: String) {
    guard let date = DateTime(word) else { return nil }
    self.date = date
    if date.zone == nil { self.date.zone = 0 }
  }
}

/// Where playback starts.
struct StartWord: TextOptionValue {
  static let expectation = "a number of seconds such as 12.5 or -30, optionally followed by ,precise"
  private(set) var point: StartPoint

  init?(_ word: String) {
    let parts = word.split(separator: ",", omittingEmptySubsequences: false)
    guard let time = SignedTime(String(parts[0]))?.time, parts.count < 2 || parts[1...] == ["precise"] else {
      return nil
    }
    point = StartPoint(offset: Duration(time))
    if parts.count > 1 { point.isPrecise = true }
  }
}

/// Data with an ID.
struct SessionDataWord: TextOptionValue {
  static let expectation = "an ID and a value such as com.example.title=Film or com.example.title,de=Film"
  let data: SessionData

  init?(_ word: String) {
    guard let equals = word.firstIndex(of: "="), case let value = word[equals...].dropFirst(), isAttribute(value) else {
      return nil
    }
    let parts = word[..<equals].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2, isAttribute(parts[0]), parts.dropFirst().allSatisfy(LanguageTag.isValid) else { return nil }
    data = SessionData(id: parts[0], value: String(value), language: parts.count > 1 ? parts[1] : nil)
  }
}

/// The server of content steering.
struct SteeringWord: TextOptionValue {
  static let expectation = "a URL, optionally followed by a comma and the name of a pathway"
  let steering: ContentSteering

  init?(_ word: String) {
    let comma = word.lastIndex(of: ",")
    let pathway = comma.map { word[$0...].dropFirst() } ?? "."
    let isPathway = pathway.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || ".-_".utf8.contains(byte)
    }
    guard !pathway.isEmpty, isPathway, case let uri = word[..<(comma ?? word.endIndex)], isAttribute(uri) else {
      return nil
    }
    steering = ContentSteering(serverURI: String(uri), pathway: String(pathway))
  }
}
