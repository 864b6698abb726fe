import ISOBMFF
import MP4Bytes

/// Scans media data once and finds samples by a pattern.
struct RecoveryScan {
  private let source: any ByteSource
  let pattern: RecoveryPattern
  /// The syntax of each track; parameter sets in samples update it.
  private(set) var syntaxes: [RecoverySyntax]
  var window: ByteWindow
  var scanWindow: ByteWindow
  let end: Int
  private(set) var tracks: [RecoveredTrack]
  private(set) var copies = CopyPlan()
  /// The byte ranges that could not be assigned to a track.
  private(set) var unknown: [Range<Int>] = []
  /// The number of bytes in padding and in zeros, which may be reserved for samples.
  var paddingByteCount = 0
  private let sourceIndex: Int

  /// The last recognized track, and the number of its consecutive samples.
  private(set) var latest: Int?
  private var runCount = 0
  /// The latest leads of tracks at the ends of their runs.
  var recentLeads: [Int: [Int]] = [:]
  /// Whether the data after the last recognized track has already been assigned.
  var isAfterGroup = false
  /// The track of the last sample in the output.
  private var lastWritten: Int?

  /// The latest pictures of tracks.
  private(set) var latestPictures: [Int: PictureSyntax.Picture] = [:]
  /// Data in which no unit of a picture starts.
  var unitless = 0..<0
  /// The end of the data in which no run of fixed-size samples was found.
  var searchedEnd = 0

  let recognizable: [Int]
  /// Whether a sample can start with a byte value.
  private(set) var canStart = [Bool](repeating: false, count: 256)
  /// Whether no sample consists of zeros only.
  private(set) var canSkipZeros = true

  struct Found {
    var track: Int
    var byteCount: Int
    /// `nil` for samples of other formats.
    var picture: PictureSyntax.Picture?
    /// Whether it can directly follow the latest sample of its track.
    var continues = true
  }

  /// With the result of an earlier scan, what was learned from it is used.
  init(_ source: any ByteSource, index: Int, end: Int, _ pattern: RecoveryPattern, after earlier: RecoveryScan? = nil) {
    (self.source, self.pattern, self.end, sourceIndex) = (source, pattern, end, index)
    syntaxes = zip(pattern.tracks.indices, pattern.tracks).map { index, track in
      if case .packets = track.syntax, let earlier { earlier.syntaxes[index] } else { track.syntax }
    }
    window = ByteWindow(source)
    scanWindow = ByteWindow(source, readAhead: 1 << 16)
    tracks = pattern.tracks.map(RecoveredTrack.init)
    let known = pattern.tracks.indices.filter { pattern.tracks[$0].syntax.isRecognizable }
    // NAL unit headers are more distinctive than those of audio.
    recognizable =
      known.filter { pattern.tracks[$0].syntax.isPictures }
      + known.filter {
        !pattern.tracks[$0].syntax.isPictures
      }
    for track in recognizable {
      switch syntaxes[track] {
      case .pictures(let syntax):
        let limit = syntax.lengthSize < 4 ? 255 : min(255, syntax.unitLimit >> 24)
        for byte in 0...limit { canStart[byte] = true }
      case .aac(let syntax):
        for byte in 0...255 where syntax.firstBytes.contains(UInt8(byte) & 0xfe) { canStart[byte] = true }
      case .frames(.mpeg): canStart[0xff] = true
      case .jpeg: canStart[0xff] = true
      case .frames(.proRes): canStart = canStart.map { _ in true }
      case .frames(.ac3), .frames(.eac3): canStart[0x0b] = true
      case .sized: canStart[0x44] = true
      default:
        canSkipZeros = false
        for byte in 0...255 { canStart[byte] = true }
      }
    }
  }

  /// Scans from `start` on. `onProgress` is called with offsets, and returns whether to continue.
  mutating func run(from start: Int, onProgress: (Int) -> Bool) throws(IOError) -> Bool {
    var (at, reported) = (start, start)
    defer { for index in tracks.indices { tracks[index].finish() } }
    if recognizable.isEmpty { return try replay(from: start, onProgress: onProgress) }
    while at < end {
      if at - reported >= 1 << 22 {
        reported = at
        guard onProgress(at) else { return false }
      }
      at = try step(at, onProgress)
      if at < 0 { return false }
    }
    return true
  }

  /// Processes the data at an offset, and returns the end of what it found; -1 if the scan was stopped.
  private mutating func step(_ at: Int, _ onProgress: (Int) -> Bool) throws(IOError) -> Int {
    if let next = try boxEnd(at) {
      paddingByteCount += next - at
      return next
    }
    let hasGroups = !isAfterGroup && pattern.groups[latest] != nil
    let isGroupDue = hasGroups && latest.map { runCount >= pattern.tracks[$0].usualRun } ?? true
    if isGroupDue, try !isPicture(at, insteadOf: latest), let next = try takeGroup(at) { return next }
    if let found = try sample(at), try isLikely(found, at) {
      let next = at + found.byteCount
      if hasGroups, !isGroupDue, next < end {
        var isFollowed = try sample(next) != nil
        if !isFollowed { isFollowed = try group(after: found.track, at: next) != nil }
        if !isFollowed, let next = try takeGroup(at) { return next }
      }
      _ = try sample(at, only: found.track, isTaken: true)
      take(found, at)
      return next
    }
    if hasGroups, !isGroupDue, let next = try takeGroup(at) { return next }
    return try resume(at, onProgress)
  }

  /// Whether a picture has a usual size or is followed by other samples. Other data can start like a large picture by
  /// chance.
  private mutating func isLikely(_ found: Found, _ at: Int) throws(IOError) -> Bool {
    let track = pattern.tracks[found.track]
    guard track.syntax.isPictures, found.byteCount / 4 > track.largestSize else { return true }
    return try isFollowed(at)
  }

  /// Extends or shortens the only sample of tracks such as timecodes, which lasts as long as the recording.
  mutating func fitDurations(_ movie: Movie) {
    let media = zip(movie.tracks, tracks).filter { track, _ in ["vide", "soun"].contains(track.handler) }
    guard let longest = media.map({ MediaTime($1.columns.time($1.count), $0.timescale) }).max() else { return }
    for (index, track) in movie.tracks.enumerated() where !["vide", "soun"].contains(track.handler) {
      guard track.samples.count == 1, tracks[index].count == 1 else { continue }
      tracks[index].setDuration(UInt32(clamping: longest.converted(to: track.timescale).value))
    }
  }

  // MARK: Recognizable samples

  /// The tracks to try, in order of likelihood.
  private func order() -> [Int] {
    guard recognizable.count > 1, let latest else { return recognizable }
    let track = pattern.tracks[latest]
    let isOver = runCount >= track.usualRun || isAfterGroup
    let followers = track.followers.filter { $0 != latest && recognizable.contains($0) }
    let likely = isOver ? followers + [latest] : [latest] + followers
    let all = likely + recognizable.filter { !likely.contains($0) }
    return all.filter { pattern.tracks[$0].syntax.isPictures } + all.filter { !pattern.tracks[$0].syntax.isPictures }
  }

  mutating func sample(_ at: Int, isTaken: Bool = false) throws(IOError) -> Found? {
    for track in order() { if let found = try sample(at, only: track, isTaken: isTaken) { return found } }
    return nil
  }

  /// The sample of a track at an offset. Parameter sets in it take effect only if `isTaken`.
  mutating func sample(_ at: Int, only track: Int, isTaken: Bool) throws(IOError) -> Found? {
    let known = pattern.tracks[track]
    switch syntaxes[track] {
    case .pictures(var syntax):
      guard let picture = try syntax.picture(at: at, before: end, in: &window),
        UInt32(exactly: picture.byteCount) != nil
      else { return nil }
      let continues = latestPictures[track]?.canPrecede(picture) ?? true
      if isTaken { (syntaxes[track], latestPictures[track]) = (.pictures(syntax), picture) }
      return Found(track: track, byteCount: picture.byteCount, picture: picture, continues: continues)
    case .aac(let syntax):
      let limit = known.largestSize > 8192 ? 1 << 16 : max(2048, known.largestSize * 4)
      let bytes = try window.slice(at: at, count: min(limit, end - at))
      return syntax.byteCount(bytes).map { Found(track: track, byteCount: $0) }
    case .frames(let syntax):
      let bytes = try window.slice(at: at, count: min(4096, end - at))
      guard let size = syntax.byteCount(bytes), size > 0, size <= end - at, UInt32(exactly: size) != nil else {
        return nil
      }
      return Found(track: track, byteCount: size)
    case .jpeg(let limit):
      var count = 4096
      while true {
        let bytes = try window.slice(at: at, count: min(count, limit, end - at))
        guard let size = JPEGSyntax.byteCount(bytes) else { return nil }
        if size > 0 { return Found(track: track, byteCount: size) }
        guard bytes.count == count, count < limit else { return nil }
        count *= 8
      }
    case .sized(let syntax):
      let bytes = try window.slice(at: at, count: min(1 << 16, end - at))
      guard let size = syntax.byteCount(bytes), size > 0, size <= end - at, size <= 1 << 24 else { return nil }
      return Found(track: track, byteCount: size)
    case .fixed, .packets, .unknown: return nil
    }
  }

  /// Whether recognizable data starts at an offset.
  mutating func isSampleOrBox(_ at: Int) throws(IOError) -> Bool {
    if try boxEnd(at) != nil { return true }
    return try sample(at) != nil
  }

  /// Adds a packet to the output.
  mutating func write(packet size: Int, of track: Int, at offset: Int) {
    guard !tracks[track].isFull else { return addUnknown(offset..<offset + size) }
    tracks[track].appendHeld(at: offset, size: size, place: copies.byteCount, continues: lastWritten == track)
    copies.append(offset..<offset + size, of: sourceIndex)
    lastWritten = track
    isAfterGroup = true
  }

  /// Records packets whose sizes are unknown.
  mutating func omit(packets count: Int, of track: Int, at range: Range<Int>) {
    tracks[track].skip(count)
    addUnknown(range)
    isAfterGroup = true
  }

  /// Learns the second byte of a packet, or the sizes of those of a run.
  mutating func learn(second: UInt8?, sizes: [Int]?, _ track: Int) {
    guard case .packets(var syntax) = syntaxes[track] else { return }
    if let second { syntax.learn(second: second) }
    if let sizes {
      syntax.learn(sizes: sizes)
      noteLeads(of: [track])
    }
    syntaxes[track] = .packets(syntax)
  }

  private mutating func take(_ found: Found, _ at: Int) {
    if latest == found.track, !isAfterGroup { runCount += 1 } else { (latest, runCount) = (found.track, 1) }
    isAfterGroup = false
    write(found, at)
  }

  /// Adds a sample to the output.
  mutating func write(_ found: Found, _ at: Int) {
    guard !tracks[found.track].isFull else { return addUnknown(at..<at + found.byteCount) }
    tracks[found.track].append(found, at: at, place: copies.byteCount, continues: lastWritten == found.track)
    copies.append(at..<at + found.byteCount, of: sourceIndex)
    lastWritten = found.track
  }

  // MARK: Other samples, by run sizes

  mutating func group(after track: Int?, at offset: Int) throws(IOError) -> RecoveryPattern.Group? {
    guard let groups = pattern.groups[track] else { return nil }
    for group in groups where group.byteCount <= end - offset {
      let next = offset + group.byteCount
      // A size at which the file ends by chance says nothing.
      if next == end, group.runs.contains(where: { run in run.track.map { pattern.leads[$0] != nil } ?? false }) {
        continue
      }
      if try isBoundary(next), try fits(group, offset) { return group }
    }
    return nil
  }

  /// Whether the samples of a group that start with their sizes have the sizes of its runs.
  private mutating func fits(_ group: RecoveryPattern.Group, _ offset: Int) throws(IOError) -> Bool {
    var at = offset
    for run in group.runs {
      if let track = run.track, case .sized(let syntax) = syntaxes[track] {
        var bytes = try window.slice(at: at, count: min(1 << 16, run.byteCount))
        if bytes.count == run.byteCount {
          while !bytes.isEmpty, let size = syntax.byteCount(bytes), size > 0, size <= bytes.count {
            bytes = bytes.dropFirst(size)
          }
          if !bytes.isEmpty { return false }
        }
      }
      at += run.byteCount
    }
    return true
  }

  /// Whether a picture starts where the pattern has samples that start with their sizes, which say less than the syntax
  /// of a picture.
  private mutating func isPicture(_ at: Int, insteadOf track: Int?) throws(IOError) -> Bool {
    let hasSizes = pattern.groups[track]?.contains { group in
      group.runs.contains { run in
        if let track = run.track, case .sized = syntaxes[track] { true } else { false }
      }
    }
    guard hasSizes == true, let found = try sample(at) else { return false }
    return pattern.tracks[found.track].syntax.isPictures
  }

  /// Whether the file ends at an offset, or recognizable data starts there.
  mutating func isBoundary(_ offset: Int) throws(IOError) -> Bool {
    if offset == end { return true }
    if try boxEnd(offset) != nil { return true }
    return try sample(offset) != nil
  }

  private mutating func takeGroup(_ at: Int) throws(IOError) -> Int? {
    guard let group = try group(after: latest, at: at) else { return nil }
    var offset = at
    for run in group.runs {
      try write(run, at: offset)
      offset += run.byteCount
    }
    isAfterGroup = true
    noteLeads(after: group)
    return offset
  }

  mutating func write(_ run: RecoveryPattern.Run, at offset: Int) throws(IOError) {
    guard let track = run.track else { return paddingByteCount += run.byteCount }
    guard case .fixed(let size) = syntaxes[track], size > 0 else {
      if run.count > 1, case .sized(let syntax) = syntaxes[track] {
        let end = offset + run.byteCount
        var at = offset
        while at < end {
          let bytes = try window.slice(at: at, count: min(1 << 16, end - at))
          guard let size = syntax.byteCount(bytes), size > 0, size <= end - at else { break }
          write(Found(track: track, byteCount: size), at)
          at += size
        }
        return at < end ? addUnknown(at..<end) : ()
      }
      // The sizes of several samples are unknown.
      guard run.count == 1, UInt32(exactly: run.byteCount) != nil else {
        return addUnknown(offset..<offset + run.byteCount)
      }
      return write(Found(track: track, byteCount: run.byteCount), offset)
    }
    let count = tracks[track].isFull ? 0 : run.byteCount / size
    if count > 0 {
      tracks[track].append(
        count, of: size, at: offset, place: copies.byteCount, continues: lastWritten == track)
      copies.append(offset..<offset + count * size, of: sourceIndex)
      lastWritten = track
    }
    if count * size < run.byteCount { addUnknown(offset + count * size..<offset + run.byteCount) }
  }

  /// Assigns the data of a file without recognizable samples, using the order in the pattern.
  private mutating func replay(from start: Int, onProgress: (Int) -> Bool) throws(IOError) -> Bool {
    let present = pattern.tracks.indices.filter { pattern.tracks[$0].runCount > 0 }
    if present.count == 1, case .fixed? = present.first.map({ syntaxes[$0] }) {
      try write(RecoveryPattern.Run(track: present[0], byteCount: end - start), at: start)
      return true
    }
    var (at, isRepeated) = (start, false)
    // The first round uses all runs; later ones use those of tracks that have several.
    while at < end {
      let begin = at
      for run in pattern.runs {
        if let track = run.track, isRepeated, pattern.tracks[track].runCount == 1 { continue }
        guard run.byteCount <= end - at else { break }
        try write(run, at: at)
        at += run.byteCount
      }
      guard at > begin, onProgress(at) else { break }
      isRepeated = true
      if pattern.runs.last.map({ $0.byteCount > end - at }) ?? true { break }
    }
    if at < end { addUnknown(at..<end) }
    return true
  }

  // MARK: Other data

  private static let headers: Set<FourCC> = ["mdat", "free", "skip", "wide", "uuid", "ftyp", "moov", "moof", "mfra"]

  /// The end of a box without samples, or of a media data header; `nil` if there is none at `offset`.
  mutating func boxEnd(_ offset: Int) throws(IOError) -> Int? {
    let bytes = try window.slice(at: offset, count: min(16, end - offset))
    guard bytes.count >= 8, bytes[bytes.startIndex + 4] >= 0x61 else { return nil }
    func number(_ range: Range<Int>) -> UInt64 {
      range.reduce(0) { $0 << 8 | UInt64(bytes[bytes.startIndex + $1]) }
    }
    guard Self.headers.contains(FourCC(rawValue: UInt32(truncatingIfNeeded: number(4..<8)))) else { return nil }
    var (size, headerSize) = (number(0..<4), 8)
    if size == 1, bytes.count == 16 { (size, headerSize) = (number(8..<16), 16) }
    if FourCC(rawValue: UInt32(truncatingIfNeeded: number(4..<8))) == "mdat" { return offset + headerSize }
    guard size >= 8, size <= UInt64(end - offset) else { return nil }
    return offset + Int(size)
  }

  /// Records that samples of any track may be missing here.
  mutating func noteHole() { for index in tracks.indices { tracks[index].noteHole() } }

  mutating func addUnknown(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    noteHole()
    if let index = unknown.indices.last, unknown[index].upperBound == range.lowerBound {
      unknown[index] = unknown[index].lowerBound..<range.upperBound
    } else {
      unknown.append(range)
    }
  }
}
