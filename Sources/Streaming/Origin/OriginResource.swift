import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Platform
import MP4Serving

/// One resource of the origin: its state, its downloads, and the clients that wait for its bytes.
final class OriginResource: Sendable {
  let address: WebAddress
  let cache: BlockCache
  let options: Origin.Options
  /// The number of threads that work for the origin.
  private let threads: Monitor<Int>
  let status: Monitor<Status>

  /// The current knowledge about the resource.
  struct Status {
    var state: OriginState?
    /// When the request that confirmed the state was sent, in `SystemClock.milliseconds`.
    var confirmed: Int?
    /// When the origin last failed to respond, in `SystemClock.milliseconds`; `nil` after a response.
    var failed: Int?
    /// The download that asks the origin for the state.
    var question: OriginDownload?
    var downloads: [OriginDownload] = []
    /// The number of downloads started so far.
    var count = 0
    /// The position of each reader.
    var readers: [Int: Int] = [:]
    var isStopped = false
    /// Whether content codings are decoded, as readers of playlists need it.
    var decodes = false
    /// Whether the resource, whose length the origin does not declare, was last found to be larger than the cache.
    var isUnbounded = false
  }

  init(_ address: WebAddress, _ cache: BlockCache, _ options: Origin.Options, _ threads: Monitor<Int>) {
    (self.address, self.cache, self.options, self.threads) = (address, cache, options, threads)
    var status = Status(state: cache.state(of: address.description))
    status.decodes = MediaType.isPlaylist(MediaType.named(address.reference.path.utf8))
    self.status = Monitor(status)
  }

  /// Ends all downloads and wakes all waiting clients.
  func stop() { status.change { $0.isStopped = true } }

  /// The state that the origin currently reports. Its length is known, unless the resource is larger than the cache.
  func currentState() throws(FetchError) -> OriginState {
    // A question asked before this request may be answered with an outdated state.
    let earlier = status { $0.question }
    var asked: OriginDownload?
    return try status.wait { status -> Result<OriginState, FetchError>? in
      if status.isStopped { return .failure(FetchError(.stopped, address)) }
      if let asked {
        if let answer = asked.answer { return .success(answer) }
        if asked.isEnded { return .failure(asked.failure ?? FetchError(.changed, address)) }
      } else if let state = status.state, state.length != nil || state.isUnbounded, isFresh(state, status) {
        return .success(state)
      } else if status.question == nil {
        let question = begin(at: 0, of: nil, &status)
        if let failure = question.failure { return .failure(failure) }
        (asked, status.question) = (question, question)
      } else if let question = status.question, question !== earlier || isRecent(question.began) {
        // Concurrent requests share the answer.
        asked = question
      }
      return nil
    }.get()
  }

  /// The state that the origin currently reports or, if it cannot be reached, the last one, as long as it may be served
  /// stale; and how old that is, in seconds.
  func usableState() throws(FetchError) -> (state: OriginState, staleAge: Int?) {
    let known = status { status -> (OriginState, Int)? in
      // The origin was down before: clients do not wait until it is found out whether it still is.
      guard let failed = status.failed, let stale = staleState(status) else { return nil }
      if status.question == nil, !isRecent(failed) {
        status.failed = SystemClock.milliseconds
        let question = begin(at: 0, of: nil, &status)
        if question.failure == nil { status.question = question }
      }
      return stale
    }
    if let known { return known }
    do throws(FetchError) { return (try currentState(), nil) } catch {
      guard error.isOutage, let stale = status({ staleState($0) }) else { throw error }
      return stale
    }
  }

  /// The last known state and its age in seconds, if it may be served stale.
  private func staleState(_ status: Status) -> (OriginState, Int)? {
    guard !status.isStopped, let state = status.state, state.length != nil, !passes(state) else { return nil }
    let age = SystemClock.nanoseconds - state.confirmed
    let limit = options.freshness + options.staleIfError
    guard options.staleIfError > .zero, age < Int(clamping: limit.components.seconds) * 1_000_000_000 else {
      return nil
    }
    return (state, max(0, age / 1_000_000_000))
  }

  /// Whether the resource is larger than the cache. Then clients get it from the origin, and it is not cached.
  func passes(_ state: OriginState) -> Bool {
    state.isUnbounded || state.length.map { $0 > cache.byteLimit } == true
  }

  /// Runs `body` unless too many threads are already fetching.
  func fetching(_ body: () throws(FetchError) -> Void) throws(FetchError) {
    let hasRoom = threads { count in
      count += 1
      return count <= Self.threadLimit
    }
    defer { threads.change { $0 -= 1 } }
    guard hasRoom else {
      throw FetchError(.failed("too many concurrent transfers", isPassing: true), address)
    }
    try body()
  }

  private func isRecent(_ time: Int) -> Bool { SystemClock.milliseconds - time < options.freshness.milliseconds }

  private func isFresh(_ state: OriginState, _ status: Status) -> Bool {
    if let confirmed = status.confirmed, isRecent(confirmed) { return true }
    // Without a validator, a new answer could not be compared with the state that is being downloaded.
    return state.validator == nil && status.downloads.contains { $0.state == state.identifier && !$0.isEnding }
  }

  /// More concurrent transfers would exhaust the resources of the process.
  private static let threadLimit = 200

  /// Starts a download in its own thread.
  private func begin(at start: Int, of state: UInt64?, _ status: inout Status) -> OriginDownload {
    status.count += 1
    let download = OriginDownload(status.count, start: start, of: state)
    let hasRoom = threads { count in
      count += 1
      return count <= Self.threadLimit
    }
    if hasRoom, Thread.start({ [self, number = download.number] in work(for: number) }) {
      status.downloads.append(download)
    } else {
      threads.change { $0 -= 1 }
      download.isEnded = true
      download.failure = FetchError(.failed("too many concurrent transfers", isPassing: true), address)
    }
    return download
  }

  private func work(for number: Int) {
    // The download is in the list before this thread can take the lock.
    if let download = status({ $0.downloads.first { $0.number == number } }) { run(download) }
    threads.change { $0 -= 1 }
  }
}

// MARK: - Reading

extension OriginResource {
  /// The next bytes of a resource.
  enum Piece {
    /// The block from the offset `start` on.
    case block(FileSource, start: Int)
    case bytes([UInt8])

    /// Writes the available bytes, at most `limit`; returns their number.
    func write(to sink: any ByteSink, limit: Int) throws(IOError) -> Int {
      switch self {
      case .block(let file, let start):
        let count = min(file.size - start, limit)
        try sink.copy(start..<start + count, of: file)
        return count
      case .bytes(let bytes):
        let part = bytes.count > limit ? Array(bytes[..<limit]) : bytes
        try sink.write(part)
        return part.count
      }
    }
  }

  /// Registers a client that reads from `position` on; the returned number is valid until `endReading`.
  func beginReading(at position: Int) -> Int {
    status { status in
      let number = (status.readers.keys.max() ?? 0) + 1
      status.readers[number] = position
      return number
    }
  }

  func endReading(_ reader: Int) { status { $0.readers[reader] = nil } }

  /// The bytes from `position` on that are already available.
  func pieceAtHand(at position: Int, of state: OriginState, for reader: Int) throws(FetchError) -> Piece? {
    try status { status -> Result<Piece, FetchError>? in
      status.readers[reader] = position
      return piece(at: position, of: state, status)
    }?.get()
  }

  /// The available bytes from `position` on; waits until there is at least one.
  func piece(at position: Int, of state: OriginState, for reader: Int) throws(FetchError) -> Piece {
    var awaited: OriginDownload?
    // A paused download now checks whether it is needed.
    status.change { $0.readers[reader] = position }
    return try status.wait { status -> Result<Piece, FetchError>? in
      if let piece = piece(at: position, of: state, status) { return piece }
      if let failure = awaited?.failure { return .failure(failure) }
      switch download(for: position, &status) {
      case .success(let download): awaited = download
      case .failure(let error): return .failure(error)
      }
      return awaited?.failure.map { .failure($0) }
    }.get()
  }

  private func piece(at position: Int, of state: OriginState, _ status: Status) -> Result<Piece, FetchError>? {
    if status.isStopped { return .failure(FetchError(.stopped, address)) }
    if status.state?.identifier != state.identifier { return .failure(FetchError(.changed, address)) }
    if let file = cache.block(position / state.blockSize, of: state) {
      return .success(.block(file, start: position % state.blockSize))
    }
    for download in status.downloads where download.state == state.identifier {
      if let bytes = download.piece(at: position) { return .success(.bytes(bytes)) }
    }
    return nil
  }

  /// The maximum number of concurrent downloads of one resource.
  private static let downloadLimit = 4
  /// A reader waits for a running download that is at most this many blocks away; otherwise another one starts.
  private static let reach = 4

  /// The download for the byte at `position`, started if necessary; `nil` if a running one has to end first.
  private func download(for position: Int, _ status: inout Status) -> Result<OriginDownload?, FetchError> {
    guard let state = status.state else { return .failure(FetchError(.changed, address)) }
    let own = status.downloads.filter { $0.state == state.identifier }
    let nearest = own.filter { $0.reaches(position) }.max { $0.end < $1.end }
    if let nearest, !state.mayHaveRanges || position - nearest.end <= Self.reach * state.blockSize {
      return .success(nearest)
    }
    guard state.validator != nil else {
      // Without a validator, a repeated download could not be recognized as the same content.
      status.state = nil
      cache.drop(state)
      return .failure(FetchError(.changed, address))
    }
    let running = own.filter { !$0.isEnding }
    if running.count >= Self.downloadLimit {
      let spare = running.first { !isFollowed($0, of: state, status) } ?? running.first { $0.isPaused }
      guard let spare else { return .success(nearest) }
      spare.isEnding = true
    }
    let start = state.mayHaveRanges ? position / state.blockSize * state.blockSize : 0
    return .success(begin(at: start, of: state.identifier, &status))
  }

  /// Whether a client reads the downloaded bytes.
  func isFollowed(_ download: OriginDownload, of state: OriginState, _ status: Status) -> Bool {
    followers(of: download, state, status).contains { _ in true }
  }

  /// The positions of the readers of this download.
  func followers(
    of download: OriginDownload, _ state: OriginState, _ status: Status
  ) -> some Sequence<Int> {
    let reach = state.hasRanges ? Self.reach * state.blockSize : .max
    return status.readers.values.lazy.filter { download.start <= $0 && $0 - download.end <= reach }
  }
}

extension OriginResource {
  /// All bytes of a state, at most `limit`.
  func bytes(of state: OriginState, limit: Int) throws(FetchError) -> [UInt8] {
    let length = state.length ?? 0
    if length > limit { throw FetchError(.tooLarge(limit: limit), address) }
    if passes(state) { return try Fetcher(options.fetch).bytes(address, limit: limit).bytes }
    let reader = beginReading(at: 0)
    defer { endReading(reader) }
    let sink = MemorySink(name: "\(address)")
    while sink.position < length {
      let piece = try piece(at: sink.position, of: state, for: reader)
      do throws(IOError) {
        _ = try piece.write(to: sink, limit: length - sink.position)
      } catch {
        throw FetchError(.io(error), address)
      }
    }
    return sink.bytes
  }
}

/// Assembles received bytes into blocks.
extension OriginResource {
  /// What to do after some bytes.
  private enum Step {
    /// Receive more bytes.
    case more
    /// Store a complete block; the bytes are `nil` if it is already in the cache.
    case block(Int, [UInt8]?, OriginState)
    /// Stop: no more bytes of this response are needed.
    case end
  }

  /// Takes bytes; returns whether more bytes of this response are needed.
  func take(_ bytes: [UInt8], _ download: OriginDownload) throws(FetchError) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch status.change({ take(&rest, download, &$0) }) {
      case .more: break
      case .block(let number, let bytes, let state):
        if let bytes { try add(bytes, number, state, download) }
        let isAtEnd = status.change { _ in
          download.move(to: download.end)
          return download.position == state.length
        }
        if isAtEnd { return false }
      case .end: return false
      }
    }
    return true
  }

  private func take(_ rest: inout ArraySlice<UInt8>, _ download: OriginDownload, _ status: inout Status) -> Step {
    guard !isOver(download, status), let state = status.state else { return .end }
    let number = download.position / state.blockSize
    if download.count == 0, state.hasRanges, willDeliver(download.position, after: download, status) { return .end }
    if download.count == 0, cache.has(number, of: state) {
      // Missing blocks after this one are requested separately.
      if state.hasRanges { return .end }
      if number >= download.nextMissing {
        guard let missing = cache.firstMissing(from: number, of: state) else { return .end }
        download.nextMissing = missing
      }
      download.isPassing = true
    }
    let blockEnd = state.range(ofBlock: number).upperBound
    if state.length == nil, download.end + rest.count > cache.byteLimit {
      // The cache cannot hold the resource. No client has a response yet; each fetches the resource from the origin.
      cache.drop(state)
      status.isUnbounded = true
      status.state?.isUnbounded = true
      answer(status.state, download, &status)
      download.isEnding = true
      return .end
    }
    download.take(&rest, blockEnd: blockEnd)
    if download.end < blockEnd { return .more }
    return .block(number, download.isPassing ? nil : download.bytes, state)
  }

  private func add(
    _ bytes: [UInt8], _ number: Int, _ state: OriginState, _ download: OriginDownload
  ) throws(FetchError) {
    do throws(IOError) { try cache.add(bytes, as: number, of: state) } catch { throw FetchError(.io(error), address) }
    // If another thread found a different state meanwhile, it dropped only the blocks that existed then.
    if status({ $0.state?.identifier }) != state.identifier { cache.drop(state) }
  }

  /// Handles the end of the response.
  func finish(_ download: OriginDownload) throws(FetchError) {
    let (present, end) = status { (isOver(download, $0) ? nil : $0.state, download.end) }
    guard var state = present else { return }
    if let length = state.length {
      if end >= length { return }
      throw FetchError(
        .failed("the connection ended after \(end) of \(counted(length, "byte"))", isPassing: true), address)
    }
    state.length = end
    let rest = status { _ in download.isPassing ? [] : download.bytes }
    if !rest.isEmpty {
      try add(rest, download.position / state.blockSize, state, download)
    } else if end > 0 {
      do throws(IOError) { try cache.keep(state) } catch { throw FetchError(.io(error), address) }
    }
    status.change { status in
      guard currentState(of: download, status) != nil else { return }
      status.state = state
      answer(state, download, &status)
      download.move(to: end)
    }
  }
}

// MARK: - Pausing

extension OriginResource {
  /// Waits while new data would replace cached data that was not read yet. Returns whether to continue; `false` if no
  /// client has read for a long time.
  func waitForReaders(_ download: OriginDownload) -> Bool {
    if status({ isWanted(download, $0) }) { return true }
    status { _ in download.isPaused = true }
    defer { status { _ in download.isPaused = false } }
    while true {
      let isOver = status.wait(milliseconds: options.patience.milliseconds) { status -> Bool? in
        if self.isOver(download, status) { return true }
        return isWanted(download, status) ? false : nil
      }
      if let isOver { return !isOver }
      let isFollowed = status { status in
        status.state.map { self.isFollowed(download, of: $0, status) } ?? false
      }
      if !isFollowed {
        status.change { _ in download.isEnding = true }
        return false
      }
    }
  }

  private func isWanted(_ download: OriginDownload, _ status: Status) -> Bool {
    guard let state = status.state, let length = state.length, length > cache.byteLimit / 2 else { return true }
    let farthest = followers(of: download, state, status).max() ?? download.start
    return download.end < max(farthest, download.start) + max(cache.byteLimit / 8, state.blockSize)
  }
}
