import Fetching
import FileIO
import ISOBMFF

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A resource of the origin in one state, whose bytes may still be on their way.
struct OriginContent: Content {
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
        // What is there is not kept back for what is not. Before the first byte, the answer can still be another one.
        if position > range.lowerBound, let sink = sink as? SocketSink { try sink.flush() }
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

  func response(to failure: IOError) -> Response {
    switch failure.code {
    case 0: Response(502, "the origin does not give it")
    case ETIMEDOUT: Response(504, "the origin takes too long")
    default: Response(500, "the cache of the server cannot be used")
    }
  }
}

extension IOError {
  /// Why bytes from the origin cannot be read.
  fileprivate init(_ error: FetchError, at offset: Int) {
    switch error.problem {
    case .io(let error):
      // It is not the client to whom nothing could be written.
      self.init(.read, file: error.file, code: max(error.code, 1), reason: error.description)
    case .timedOut: self.init(.read, file: error.address, offset: offset, code: ETIMEDOUT, reason: error.reason)
    default: self.init(.read, file: error.address, offset: offset, reason: error.reason)
    }
  }
}
