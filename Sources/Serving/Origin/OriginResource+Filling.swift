import Fetching
import FileIO
import ISOBMFF

/// What the thread of a download does.
extension OriginResource {
  /// What is asked of the origin.
  private struct Question {
    /// The first byte that is wanted; all from there on are.
    var offset = 0
    /// The state of which a part is wanted.
    var validator: String?
    /// The state that need not be sent once more.
    var known: String?
  }

  func run(_ download: OriginDownload) {
    var failure: FetchError?
    do throws(FetchError) { try fill(download) } catch { failure = error }
    if case .io(let error) = failure?.problem { options.onNotice?("\(address): it cannot be cached: \(error)") }
    status.change { status in
      status.downloads.removeAll { $0 === download }
      if status.question === download { status.question = nil }
      download.isEnded = true
      if failure == nil || isOver(download, status) { return }
      download.failure = failure
      // What is gone, and what nobody knows the length of, is of no use.
      let isGone = failure?.problem == .status(404) || failure?.problem == .status(410)
      if isGone || status.state?.length == nil { forgetState(&status) }
    }
  }

  private func fill(_ download: OriginDownload) throws(FetchError) {
    var failures = 0
    while let question = status({ beginQuestion(of: download, $0) }) {
      let received = status { _ in download.received }
      do throws(FetchError) {
        try fetch(question, download)
      } catch {
        let (canGoOn, isFarther) = status { status in
          (presentState(of: download, status)?.hasRanges == true, download.received > received)
        }
        failures = isFarther ? 1 : failures + 1
        guard error.isPassing, canGoOn, failures <= options.fetch.retries else { throw error }
        let wait = min(options.fetch.retryWait << min(failures - 1, 16), 30_000)
        _ = status.wait(milliseconds: wait) { isOver(download, $0) ? () : nil }
      }
    }
  }

  /// The state that the download brings, as long as it is the present one.
  private func presentState(of download: OriginDownload, _ status: Status) -> OriginState? {
    status.state?.identifier == download.state ? status.state : nil
  }

  /// Whether nobody needs the download any more.
  private func isOver(_ download: OriginDownload, _ status: Status) -> Bool {
    status.isStopped || download.isEnding || download.state != nil && presentState(of: download, status) == nil
  }

  /// What is to be asked next; `nil` when all is there, or others bring it.
  private func beginQuestion(of download: OriginDownload, _ status: Status) -> Question? {
    guard !isOver(download, status), let question = nextQuestion(of: download, status) else {
      // Nobody waits for it any more.
      download.isEnding = true
      return nil
    }
    return question
  }

  private func nextQuestion(of download: OriginDownload, _ status: Status) -> Question? {
    if download.answer != nil && download.state == nil { return nil }
    guard let state = presentState(of: download, status) else {
      return Question(known: status.state.flatMap { $0.length == nil ? nil : $0.validator })
    }
    if download.count == 0 {
      guard let missing = cache.firstMissing(from: download.position / state.blockSize, of: state) else { return nil }
      let start = missing * state.blockSize
      let isBrought = status.downloads.contains { $0 !== download && $0.state == state.identifier && $0.reaches(start) }
      if isBrought && start > download.start { return nil }
      download.restart(at: state.hasRanges ? start : 0)
    }
    return Question(offset: download.end, validator: download.end > 0 ? state.validator : nil)
  }

  private func fetch(_ question: Question, _ download: OriginDownload) throws(FetchError) {
    let began = Clock.milliseconds
    let isOver = { self.status { self.isOver(download, $0) } }
    let stream = try Fetcher(options.fetch).stream(
      address, range: question.offset > 0 ? question.offset..<Int.max : nil, validator: question.validator,
      known: question.known, isStopped: isOver)
    defer { stream.stop() }
    let answer = status.change { take(stream.response, to: question, began, download, &$0) }
    guard try answer.get() else { return }
    while let bytes = try stream.next(isStopped: isOver) {
      guard try take(bytes, download), waitForReaders(download) else { return }
    }
    try finish(download)
  }

  // MARK: The head of an answer

  /// Takes what the origin says of the state; returns whether the bytes are wanted that follow.
  private func take(
    _ response: FetchResponse, to question: Question, _ began: Int, _ download: OriginDownload, _ status: inout Status
  ) -> Result<Bool, FetchError> {
    if isOver(download, status) { return .success(false) }
    if let coding = response["Content-Encoding"]?.lowercased(), coding != "identity" {
      return .failure(FetchError(.damaged("the server sends it compressed (\(coding)), which was not asked for"), address))
    }
    switch response.status {
    case 200:
      if let length = response.contentLength, length > OriginState.lengthLimit {
        return .failure(FetchError(.tooLarge(limit: OriginState.lengthLimit), address))
      }
      if let state = status.state, state.isWhole(of: response) {
        // Who was asked for a part and gives the whole knows no parts.
        if question.offset > 0 { status.state?.hasRanges = false }
      } else {
        forgetState(&status)
        status.state = OriginState(response, of: address, blockSize: cache.blockSize)
      }
      download.restart(at: 0)
    case 206 where question.offset > 0:
      guard response.contentRange?.lowerBound == question.offset else {
        return .failure(FetchError(.damaged("the server gives other bytes than it was asked for"), address))
      }
      guard status.state?.isPart(of: response) == true else { return changed(&status) }
    case 304 where question.known != nil && status.state?.validator == question.known:
      status.confirmed = began
      answer(status.state, download, &status)
      return .success(false)
    default: return .failure(FetchError(.status(response.status), address))
    }
    status.confirmed = began
    download.state = status.state?.identifier
    if status.state?.length != nil { answer(status.state, download, &status) }
    return .success(true)
  }

  /// Lets those go on who asked for the state.
  private func answer(_ state: OriginState?, _ download: OriginDownload, _ status: inout Status) {
    download.answer = state
    if status.question === download { status.question = nil }
  }

  private func changed(_ status: inout Status) -> Result<Bool, FetchError> {
    forgetState(&status)
    return .failure(FetchError(.changed, address))
  }

  private func forgetState(_ status: inout Status) {
    if let state = status.state { cache.drop(state) }
    (status.state, status.confirmed) = (nil, nil)
  }

  // MARK: The bytes of an answer

  /// What follows from some bytes.
  private enum Step {
    /// More are needed.
    case more
    /// A block is complete; `nil` when it was in the cache already.
    case block(Int, [UInt8]?, OriginState)
    /// No more bytes of this answer are needed.
    case end
    case failure(FetchError)
  }

  /// Takes bytes; returns whether more of this answer are wanted.
  private func take(_ bytes: [UInt8], _ download: OriginDownload) throws(FetchError) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch status.change({ take(&rest, download, $0) }) {
      case .more: break
      case .block(let number, let bytes, let state):
        if let bytes { try add(bytes, number, state, download) }
        let isAtEnd = status.change { _ in
          download.restart(at: download.end)
          return download.position == state.length
        }
        if isAtEnd { return false }
      case .end: return false
      case .failure(let error): throw error
      }
    }
    return true
  }

  private func take(_ rest: inout ArraySlice<UInt8>, _ download: OriginDownload, _ status: Status) -> Step {
    guard !isOver(download, status), let state = status.state else { return .end }
    let number = download.position / state.blockSize
    if download.count == 0, cache.has(number, of: state) {
      // Others ask for what is missing behind, or this one does, once more.
      if state.hasRanges || state.length != nil && cache.firstMissing(from: number, of: state) == nil { return .end }
      download.isPassing = true
    }
    let blockEnd = state.range(ofBlock: number).upperBound
    if state.length == nil, download.end + rest.count > cache.byteLimit {
      return .failure(FetchError(.tooLarge(limit: cache.byteLimit), address))
    }
    download.take(&rest, blockEnd: blockEnd)
    if download.end < blockEnd { return .more }
    return .block(number, download.isPassing ? nil : download.bytes, state)
  }

  private func add(
    _ bytes: [UInt8], _ number: Int, _ state: OriginState, _ download: OriginDownload
  ) throws(FetchError) {
    do throws(IOError) { try cache.add(bytes, as: number, of: state) } catch { throw FetchError(.io(error), address) }
    // Whoever found another state meanwhile has dropped the blocks that were there before.
    if status({ $0.state?.identifier }) != state.identifier { cache.drop(state) }
  }

  /// The answer has ended.
  private func finish(_ download: OriginDownload) throws(FetchError) {
    let (present, end) = status { (isOver(download, $0) ? nil : $0.state, download.end) }
    guard var state = present else { return }
    if let length = state.length {
      if end >= length { return }
      throw FetchError(.failed("the connection ended after \(end) of \(length) bytes", isPassing: true), address)
    }
    state.length = end
    let rest = status { _ in download.isPassing ? [] : download.bytes }
    if !rest.isEmpty { try add(rest, download.position / state.blockSize, state, download) }
    if state.isLasting, end > 0 {
      do throws(IOError) { try cache.keep(state) } catch { throw FetchError(.io(error), address) }
    }
    status.change { status in
      guard presentState(of: download, status) != nil else { return }
      status.state = state
      answer(state, download, &status)
      download.restart(at: end)
    }
  }

  // MARK: Pausing

  /// Waits while the cache would have to give up what was not read yet for what comes; returns whether to go on, which
  /// is not so when nobody has read for long.
  private func waitForReaders(_ download: OriginDownload) -> Bool {
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
