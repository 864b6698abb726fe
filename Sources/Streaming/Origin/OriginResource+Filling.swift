import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Platform
import MP4Serving

/// The work of a download thread: it requests the resource and updates the state from the responses.
extension OriginResource {
  /// A request to the origin.
  private struct UpstreamRequest {
    /// The offset of the first requested byte; the request extends to the end.
    var offset = 0
    /// The validator of the state whose part is requested.
    var validator: String?
    /// The validator of the known state, which does not have to be sent again.
    var known: String?
    /// Whether a content coding is decoded.
    var isDecoded = false
  }

  func run(_ download: OriginDownload) {
    var failure: FetchError?
    do throws(FetchError) { try fill(download) } catch { failure = error }
    if case .io(let error) = failure?.problem { options.onDiagnostic?("\(address): it cannot be cached: \(error)") }
    status.change { status in
      status.downloads.removeAll { $0 === download }
      if status.question === download { status.question = nil }
      download.isEnded = true
      if failure == nil || isOver(download, status) { return }
      download.failure = failure
      if failure?.isOutage == true, download.state == nil { status.failed = SystemClock.milliseconds }
      // A resource that was removed, or whose length is unknown, is of no use.
      let isGone = failure?.problem == .status(404) || failure?.problem == .status(410)
      if isGone || status.state?.length == nil { forgetState(&status) }
    }
  }

  private func fill(_ download: OriginDownload) throws(FetchError) {
    var attempts = FetchAttempts(options.fetch)
    while let question = status({ firstRequest(of: download, $0) }) {
      do throws(FetchError) {
        try fetch(question, download)
      } catch {
        let (canGoOn, received) = status { status in
          (currentState(of: download, status)?.mayHaveRanges == true, download.received)
        }
        guard let wait = attempts.wait(after: error, received: received), canGoOn else { throw error }
        _ = status.wait(milliseconds: wait) { isOver(download, $0) ? () : nil }
      }
    }
  }

  /// The state that is being downloaded, if it is still current.
  func currentState(of download: OriginDownload, _ status: Status) -> OriginState? {
    status.state?.identifier == download.state ? status.state : nil
  }

  /// Whether no client needs the download anymore.
  func isOver(_ download: OriginDownload, _ status: Status) -> Bool {
    status.isStopped || download.isEnding || download.state != nil && currentState(of: download, status) == nil
  }

  /// The next request; `nil` if everything is present or other downloads provide it.
  private func firstRequest(of download: OriginDownload, _ status: Status) -> UpstreamRequest? {
    guard !isOver(download, status), let question = nextRequest(of: download, status) else {
      // No client waits for this download anymore.
      download.isEnding = true
      return nil
    }
    return question
  }

  private func nextRequest(of download: OriginDownload, _ status: Status) -> UpstreamRequest? {
    if download.answer != nil && download.state == nil { return nil }
    guard let state = currentState(of: download, status) else {
      let known = status.state.flatMap { $0.length == nil && !$0.isUnbounded ? nil : $0.validator }
      return UpstreamRequest(known: known, isDecoded: status.decodes)
    }
    if download.count == 0 {
      guard let missing = cache.firstMissing(from: download.position / state.blockSize, of: state) else { return nil }
      let start = missing * state.blockSize
      if willDeliver(start, after: download, status) { return nil }
      download.move(to: state.mayHaveRanges ? start : 0)
    }
    let validator = download.end > 0 ? state.validator : nil
    return UpstreamRequest(offset: download.end, validator: validator, isDecoded: status.decodes)
  }

  /// Whether a download with a later start offset than this one will provide the byte at `position`.
  func willDeliver(_ position: Int, after download: OriginDownload, _ status: Status) -> Bool {
    status.downloads.contains { $0.state == download.state && $0.start > download.start && $0.reaches(position) }
  }

  private func fetch(_ question: UpstreamRequest, _ download: OriginDownload) throws(FetchError) {
    let began = SystemClock.milliseconds
    let isOver = { self.status { self.isOver(download, $0) } }
    let stream = try Fetcher(options.fetch).stream(
      address, range: question.offset > 0 ? question.offset..<Int.max : nil, validator: question.validator,
      known: question.known, unpacks: question.isDecoded, isStopped: isOver)
    defer { stream.stop() }
    let answer = status.change { take(stream.response, to: question, began, download, &$0) }
    guard try answer.get() else { return }
    while let bytes = try stream.next(isStopped: isOver) {
      guard try take(bytes, download), waitForReaders(download) else { return }
    }
    try finish(download)
  }

  /// Updates the state from a response; returns whether the bytes that follow are needed.
  private func take(
    _ response: FetchResponse, to question: UpstreamRequest, _ began: Int, _ download: OriginDownload,
    _ status: inout Status
  ) -> Result<Bool, FetchError> {
    if isOver(download, status) { return .success(false) }
    if response.contentCoding != nil, !question.isDecoded,
      MediaType.isPlaylist(OriginState(response, of: address, blockSize: 1).mediaType)
    {
      // The type was not evident from the address, so the resource is requested again, decoded.
      status.decodes = true
      return .success(false)
    }
    switch response.status {
    case 200:
      if let length = response.contentLength, length > OriginState.lengthLimit {
        return .failure(FetchError(.tooLarge(limit: OriginState.lengthLimit), address))
      }
      if response.contentLength != nil { status.isUnbounded = false }
      if let state = status.state, state.isWhole(of: response), state.isUnbounded == status.isUnbounded {
        if question.offset > 0 {
          // A server that answers a range request with the whole resource does not support ranges.
          status.state?.ranges = .none
          let isBrought = status.downloads.contains {
            $0 !== download && $0.state == state.identifier && $0.reaches(question.offset)
          }
          if isBrought {
            download.isEnding = true
            return .success(false)
          }
        }
      } else {
        forgetState(&status)
        status.state = OriginState(
          response, of: address, blockSize: cache.blockSize, isDecoded: question.isDecoded)
        status.state?.isUnbounded = status.isUnbounded
      }
      download.move(to: 0)
    case 206 where question.offset > 0:
      do throws(FetchError) { _ = try response.start(wanting: question.offset, of: address) } catch {
        return .failure(error)
      }
      guard status.state?.isPart(of: response) == true else { return changed(&status) }
      status.state?.ranges = .known
    case 304 where question.known != nil && status.state?.validator == question.known:
      confirm(began, response, &status)
      answer(status.state, download, &status)
      return .success(false)
    default: return .failure(FetchError(.status(response.status), address))
    }
    confirm(began, response, &status)
    download.state = status.state?.identifier
    if status.state?.length != nil || status.isUnbounded { answer(status.state, download, &status) }
    if let state = status.state, passes(state) {
      // Each client fetches the resource from the origin.
      download.isEnding = true
      return .success(false)
    }
    return .success(true)
  }

  /// Records that a request that was sent at `began` confirmed the state.
  private func confirm(_ began: Int, _ response: FetchResponse, _ status: inout Status) {
    (status.confirmed, status.failed) = (began, nil)
    status.state?.location = response.address
    status.state?.confirmed = SystemClock.nanoseconds - (SystemClock.milliseconds - began) * 1_000_000
    if let state = status.state { cache.confirm(state) }
  }

  /// Wakes the clients that wait for the state.
  func answer(_ state: OriginState?, _ download: OriginDownload, _ status: inout Status) {
    download.answer = state
    if status.question === download { status.question = nil }
  }

  private func changed(_ status: inout Status) -> Result<Bool, FetchError> {
    forgetState(&status)
    return .failure(FetchError(.changed, address))
  }

  /// Drops this state after the origin has reported a different one.
  func forget(_ state: OriginState) {
    status.change { if $0.state?.identifier == state.identifier { forgetState(&$0) } }
  }

  private func forgetState(_ status: inout Status) {
    if let state = status.state { cache.drop(state) }
    (status.state, status.confirmed) = (nil, nil)
  }
}
