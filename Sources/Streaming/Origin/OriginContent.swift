import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Platform
import MP4Serving

/// One version of a resource of the origin, whose bytes may still be arriving.
struct OriginContent: Server.Content {
  let resource: OriginResource
  let state: OriginState

  var byteCount: Int { state.length ?? 0 }

  func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
    let reader = resource.beginReading(at: range.lowerBound)
    defer { resource.endReading(reader) }
    var position = range.lowerBound
    while position < range.upperBound {
      var piece = try read(at: position, resource.pieceAtHand, reader)
      if piece == nil {
        // Available bytes are not delayed until more arrive. Before the first byte, the response can still be replaced
        // by an error.
        if position > range.lowerBound, let sink = sink as? any ClientSink { try sink.flush() }
        piece = try read(at: position, resource.piece, reader)
      }
      if let piece { position += try piece.write(to: sink, limit: range.upperBound - position) }
    }
  }

  private func read(
    at position: Int, _ read: (Int, OriginState, Int) throws(FetchError) -> OriginResource.Piece?, _ reader: Int
  ) throws(IOError) -> OriginResource.Piece? {
    do throws(FetchError) { return try read(position, state, reader) } catch { throw IOError(error, at: position) }
  }

  func response(to failure: IOError) -> Server.Response { Server.Response(ofOrigin: failure) }
}

/// A resource that is larger than the cache: it is requested again for every response.
struct PassedContent: Server.Content {
  let resource: OriginResource
  let state: OriginState

  var byteCount: Int { state.length ?? 0 }

  func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
    try resource.pass(range, of: state, to: sink)
  }

  func response(to failure: IOError) -> Server.Response { Server.Response(ofOrigin: failure) }
}

/// The same for a resource of unknown length.
struct UnboundedPassedContent: UnboundedContent {
  let resource: OriginResource
  let state: OriginState

  func write(to sink: any ByteSink) throws(IOError) { try resource.pass(nil, of: state, to: sink) }

  func response(to failure: IOError) -> Server.Response { Server.Response(ofOrigin: failure) }
}

extension OriginResource {
  /// Fetches a range, or everything to the end, and writes it to a client.
  fileprivate func pass(_ range: Range<Int>?, of state: OriginState, to sink: any ByteSink) throws(IOError) {
    var failure: IOError?
    do throws(FetchError) {
      try fetching { () throws(FetchError) in
        do throws(IOError) { try fetch(range, of: state, to: sink) } catch { failure = error }
      }
    } catch { throw IOError(error, at: range?.lowerBound ?? 0) }
    if let failure { throw failure }
  }

  private func fetch(_ range: Range<Int>?, of state: OriginState, to sink: any ByteSink) throws(IOError) {
    let isStopped = { self.status { $0.isStopped } }
    let part = range == 0..<(state.length ?? 0) ? nil : range
    let wanted = range ?? 0..<Int.max
    do throws(FetchError) {
      let stream = try Fetcher(options.fetch).stream(
        address, range: part, validator: part == nil ? nil : state.validator, unpacks: status { $0.decodes },
        isStopped: isStopped)
      defer { stream.stop() }
      var position = try start(of: stream.response, for: wanted, state)
      while position < wanted.upperBound {
        guard let bytes = try stream.next(isStopped: isStopped) else {
          if range == nil { return }
          throw FetchError(.failed("the connection ended after \(position) bytes", isPassing: true), address)
        }
        let part = bytes.dropFirst(max(0, wanted.lowerBound - position)).prefix(
          wanted.upperBound - max(position, wanted.lowerBound))
        position += bytes.count
        guard !part.isEmpty else { continue }
        do throws(IOError) {
          try sink.write(part.raw)
          if let sink = sink as? any ClientSink { try sink.flush() }
        } catch { throw FetchError(.io(error), address) }
      }
    } catch {
      // This is a failure to write to the client.
      if case .io(let own) = error.problem, own.operation == .write { throw own }
      throw IOError(error, at: wanted.lowerBound)
    }
  }

  /// The offset of the first byte of a response, which must be for the same version.
  private func start(
    of response: FetchResponse, for range: Range<Int>, _ state: OriginState
  ) throws(FetchError) -> Int {
    if response.status == 206, response.contentRange?.lowerBound == range.lowerBound, state.isPart(of: response) {
      return range.lowerBound
    }
    let isSame = state.validator == nil ? response.contentLength == state.length : state.isWhole(of: response)
    guard response.status == 200, isSame else {
      forget(state)
      throw FetchError(.changed, address)
    }
    return 0
  }
}

extension Server.Response {
  /// Why the origin did not deliver a resource.
  fileprivate init(ofOrigin failure: IOError) {
    switch failure.errno {
    case .none: self.init(502, "the origin does not serve it")
    case .timedOut: self.init(504, "the origin timed out")
    default: self.init(500, "the server's cache cannot be used")
    }
  }
}

extension IOError {
  /// Why bytes from the origin cannot be read.
  fileprivate init(_ error: FetchError, at offset: Int) {
    switch error.problem {
    case .io(let error):
      // The error must not look like a failure to write to the client.
      self.init(.read, file: error.file, code: max(error.code, 1), reason: error.description)
    case .timedOut: self.init(.read, file: error.address, offset: offset, .timedOut, reason: error.reason)
    default: self.init(.read, file: error.address, offset: offset, reason: error.reason)
    }
  }
}
