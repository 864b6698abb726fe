import Bytes
import Fetching
import FileIO
import HLS
import Platform

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
