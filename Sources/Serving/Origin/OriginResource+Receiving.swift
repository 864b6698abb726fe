import Bytes
import Fetching
import FileIO
import HLS
import Platform

/// How the bytes of an answer become blocks.
extension OriginResource {
  /// What follows from some bytes.
  private enum Step {
    /// More are needed.
    case more
    /// A block is complete; `nil` when it was in the cache already.
    case block(Int, [UInt8]?, OriginState)
    /// No more bytes of this answer are needed.
    case end
  }

  /// Takes bytes; returns whether more of this answer are wanted.
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
    if download.count == 0, state.hasRanges, isBrought(download.position, behind: download, status) { return .end }
    if download.count == 0, cache.has(number, of: state) {
      // What is missing after it is asked for on its own.
      if state.hasRanges { return .end }
      if number >= download.nextMissing {
        guard let missing = cache.firstMissing(from: number, of: state) else { return .end }
        download.nextMissing = missing
      }
      download.isPassing = true
    }
    let blockEnd = state.range(ofBlock: number).upperBound
    if state.length == nil, download.end + rest.count > cache.byteLimit {
      // The cache cannot hold it. No client has an answer yet; each gets it from the origin.
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
    // A thread that found another state meanwhile has dropped the blocks that were there before.
    if status({ $0.state?.identifier }) != state.identifier { cache.drop(state) }
  }

  /// The answer has ended.
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
      guard presentState(of: download, status) != nil else { return }
      status.state = state
      answer(state, download, &status)
      download.move(to: end)
    }
  }
}

// MARK: - Pausing

extension OriginResource {
  /// Waits while the cache would have to give up what was not read yet for what comes; returns whether to continue,
  /// which is not so when no client has read for long.
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
