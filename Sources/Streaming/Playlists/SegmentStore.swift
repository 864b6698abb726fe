import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Platform
package import MP4Presentations

/// Provides the bytes of segments: opens files, and fetches remote ones.
package final class SegmentStore {
  let downloads: Downloads
  private let opener: PresentationOpener
  private let keep: Pathname?
  private let scratch: ScratchSpace
  private var transfers: [ObjectIdentifier: Transfer] = [:]
  /// The files that are used repeatedly, and init segments.
  private var opened: [String: FileSource] = [:]
  private var sections: [Section: Piece] = [:]
  /// The keys that were read, and the uses that wait for the others.
  private var keys: [SegmentKey: Result<LoadedKey, KeyProblem>] = [:]
  private var waiting: [SegmentKey: [WaitingUse]] = [:]
  /// Files that are fetched whole because their server does not support ranges, and the requests that wait for them.
  private var wholes: [PlaylistLocation: [Request]] = [:]

  /// Identifies an init segment.
  private struct Section: Hashable {
    let place: PlaylistLocation
    let range: Range<Int>?
    let encryption: SegmentEncryption?
  }

  /// A use that waits for its key. A struct, because arrays of functions with typed throws require macOS 15.
  private struct WaitingUse {
    let use: KeyUse
  }

  /// Called when a key was read.
  typealias KeyUse = (Result<LoadedKey, KeyProblem>) throws(PresentationError) -> Void

  /// A download, and the function to call when it has ended.
  private struct Transfer {
    let download: Download
    let end: (Result<FetchResponse, FetchError>) throws(PresentationError) -> Void
  }

  /// A piece of a file, and the function to call when the file has arrived.
  private struct Request {
    let piece: Piece
    let end: (FetchError?) throws(PresentationError) -> Void
  }

  /// - Parameters:
  ///   - opener: Reads local keys.
  ///   - keep: The folder in which fetched files are kept.
  ///   - scratch: The folder for temporary files.
  ///   - fetching: How to fetch.
  init(_ opener: PresentationOpener, _ fetching: FetchOptions, keep: Pathname?, scratch: Pathname?) {
    self.opener = opener
    downloads = Downloads(fetching)
    self.keep = keep
    self.scratch = ScratchSpace(in: scratch)
  }

  /// Fetches a playlist, before the transfers that are waiting.
  func load(
    _ address: WebAddress,
    then end: @escaping (Result<([UInt8], FetchResponse), FetchError>) throws(PresentationError) -> Void
  ) {
    let target = MemoryTarget(limit: PresentationOpener.playlistLimit)
    let download = Download(address, isCompressed: true, to: target)
    downloads.add(download, isFirst: true)
    transfers[ObjectIdentifier(download)] = Transfer(download: download) { (result) throws(PresentationError) in
      try end(result.map { (target.bytes, $0) })
    }
  }

  /// Gets the bytes of a piece, decrypted if it is encrypted as a whole. Calls `end` when they have arrived or are
  /// known to be missing.
  func get(_ piece: Piece, then end: @escaping (PlaylistDiagnostic.Reason?) throws(PresentationError) -> Void)
    throws(PresentationError)
  {
    piece.canGrow = false
    if piece.isMap {
      let section = Section(
        place: piece.item.place, range: piece.item.byteRange, encryption: piece.item.encryption)
      if let same = sections[section], let source = same.source {
        piece.source = source
        return try end(nil)
      }
      sections[section] = piece
    }
    guard let encryption = piece.item.encryption else {
      return try getBytes(piece) { (error) throws(PresentationError) in try end(error.map { .fetch($0) }) }
    }
    try key(encryption.key) { [self] (key) throws(PresentationError) in
      switch key {
      case .failure(let problem): try end(.key(line: encryption.key.line, problem))
      case .success(let key):
        try getBytes(piece) { (error) throws(PresentationError) in
          if let error { return try end(.fetch(error)) }
          guard let source = piece.source else { return try end(nil) }
          piece.source = nil
          do throws(KeyProblem) { piece.source = try DecryptedSegment(source, encryption, key) } catch {
            return try end(.key(line: encryption.key.line, error))
          }
          try end(nil)
        }
      }
    }
  }

  /// Reads a key once, before the transfers that are waiting.
  func key(_ key: SegmentKey, then use: @escaping KeyUse) throws(PresentationError) {
    if let known = keys[key] { return try use(known) }
    guard let address = WebAddress(key.place.reference) else {
      let loaded = Result { () throws(KeyProblem) in try opener.key(key) }
      keys[key] = loaded
      return try use(loaded)
    }
    waiting[key, default: []].append(WaitingUse(use: use))
    guard waiting[key]?.count == 1 else { return }
    let target = MemoryTarget(limit: LoadedKey.limit)
    let download = Download(address, to: target)
    downloads.add(download, isFirst: true)
    transfers[ObjectIdentifier(download)] = Transfer(download: download) { [self] (result) throws(PresentationError) in
      let loaded = Result { () throws(KeyProblem) in
        if case .failure(let error) = result {
          if case .tooLarge = error.problem { throw .size(LoadedKey.limit) }
          throw .fetch(error)
        }
        return try LoadedKey(target.bytes)
      }
      keys[key] = loaded
      for waiting in waiting.removeValue(forKey: key) ?? [] { try waiting.use(loaded) }
    }
  }

  /// A key that was read; `nil` if it cannot be used.
  func loadedKey(_ key: SegmentKey) -> LoadedKey? { try? keys[key]?.get() }

  private func getBytes(_ piece: Piece, then end: @escaping (FetchError?) throws(PresentationError) -> Void)
    throws(PresentationError)
  {
    guard let address = WebAddress(piece.item.place.reference) else {
      piece.source = try file(piece)
      return try end(nil)
    }
    if let kept = kept(piece), FileIdentity(of: kept) != nil {
      piece.source = try open(kept)
      return try end(nil)
    }
    if wholes[piece.item.place] != nil {
      wholes[piece.item.place]?.append(Request(piece: piece, end: end))
      return
    }
    try fetch(piece, from: address) { (error) throws(PresentationError) in
      if error?.problem == .noRanges { return try self.fetchWhole(piece, from: address, then: end) }
      try end(error)
    }
  }

  private func fetch(
    _ piece: Piece, from address: WebAddress, then end: @escaping (FetchError?) throws(PresentationError) -> Void
  ) throws(PresentationError) {
    let path = kept(piece)
    let target: any FetchTarget = path.map { FileTarget($0) } ?? ScratchTarget(scratch, name: piece.name)
    let download = Download(address, range: piece.item.byteRange, to: target)
    downloads.add(download)
    transfers[ObjectIdentifier(download)] = Transfer(download: download) { [self] (result) throws(PresentationError) in
      switch result {
      case .success:
        if let path { piece.source = try open(path) } else { piece.source = (target as? ScratchTarget)?.source }
        try end(nil)
      case .failure(let error): try end(error)
      }
    }
  }

  /// Takes the ranges from the whole resource, which is fetched only once.
  private func fetchWhole(
    _ piece: Piece, from address: WebAddress, then end: @escaping (FetchError?) throws(PresentationError) -> Void
  ) throws(PresentationError) {
    let place = piece.item.place
    if let source = opened[place.name] {
      piece.source = source.part(piece.item.byteRange ?? 0..<source.size, name: piece.name)
      return try end(nil)
    }
    wholes[place, default: []].append(Request(piece: piece, end: end))
    guard wholes[place]?.count == 1 else { return }
    let whole = Piece(piece.item, discontinuity: 0, isMap: false)
    whole.item.byteRange = nil
    try fetch(whole, from: address) { (error) throws(PresentationError) in
      let waiting = self.wholes.removeValue(forKey: place) ?? []
      let source = whole.source as? FileSource
      self.opened[place.name] = source
      for request in waiting {
        let piece = request.piece
        piece.source = source?.part(piece.item.byteRange ?? 0..<(source?.size ?? 0), name: piece.name)
        try request.end(error)
      }
    }
  }

  private func file(_ piece: Piece) throws(PresentationError) -> any ByteSource {
    let place = piece.item.place
    let whole: FileSource
    if let known = opened[place.name] { whole = known } else { whole = try place.open() }
    opened[place.name] = whole
    return piece.item.byteRange.map { whole.part($0, name: piece.name) } ?? whole
  }

  private func open(_ path: Pathname) throws(PresentationError) -> FileSource {
    do throws(IOError) { return try FileSource(path) } catch { throw .io(error) }
  }

  /// The file in which a piece is kept, named after its name and a hash of its URL and range, so that it is found
  /// again.
  private func kept(_ piece: Piece) -> Pathname? {
    guard let keep else { return nil }
    let range = piece.item.byteRange.map { "\($0.lowerBound)-\($0.upperBound)" } ?? ""
    let hash = (piece.item.place.reference.description + " " + range).utf8.fingerprint
    let last = piece.item.place.reference.path.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
    let plain = last.suffix(80).map { byte -> UInt8 in
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2E || byte == 0x2D
      return isPlain ? byte : UInt8(ascii: "_")
    }
    let name = String(hash, radix: 16) + "-" + String(decoding: plain, as: UTF8.self)
    return Pathname(name).map { keep.appending($0) }
  }

  /// Cancels all pending transfers.
  func stop() {
    downloads.stop()
    (transfers, wholes, waiting) = ([:], [:], [:])
  }

  /// Waits at most this number of milliseconds for data to arrive.
  package func wait(milliseconds: Int) throws(PresentationError) {
    // Without a download, there is nothing to wait for.
    if downloads.isEmpty { return SystemClock.sleep(milliseconds: milliseconds) }
    for download in downloads.wait(milliseconds: milliseconds) {
      let transfer = transfers.removeValue(forKey: ObjectIdentifier(download))
      if let transfer, let result = download.result { try transfer.end(result) }
    }
  }
}
