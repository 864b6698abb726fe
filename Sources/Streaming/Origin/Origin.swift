import MP4Bytes
public import MP4Fetching
public import MP4HLS
import MP4Platform
public import MP4Serving

/// A remote server, possibly slow or without range support, whose resources are served from a cache: with all kinds of
/// ranges and conditions, for many clients, with one download of each resource.
///
/// ```swift
/// let origin = Origin(try BlockCache(nil, byteLimit: 1 << 30))
/// let server = try Server(address) { request in
///   WebAddress("https://example.com" + request.path).map(origin.response) ?? .notFound
/// }
/// ```
///
/// A request waits only for its own bytes; the download continues to the end, even if clients disconnect. The origin is
/// asked whether a resource has changed for every request, at most once per second. If it cannot be reached, the
/// response is 502 or 504 even if bytes are in the cache, because they may be out of date, unless
/// ``Options/staleIfError`` allows it. Content
/// that turns out to be outdated while it is sent is cut off: bytes of two versions are never combined.
///
/// Resources larger than the cache are not kept: the origin is asked for them for every request. If the origin does not
/// declare a length, the resource is fetched as far as the cache has room before a client gets a response; if it is
/// larger, clients get it in chunks and without ranges.
public final class Origin: Sendable {
  /// The options of an origin.
  public struct Options: Sendable {
    /// How the origin is accessed; retries apply to interrupted downloads.
    public var fetch = FetchOptions()
    /// How long a response of the origin is valid without asking again.
    public var freshness = Duration.seconds(1)
    /// How long cached content may still be served after that if the origin cannot be reached or has status 5xx (RFC
    /// 5861, 4). Such responses have the fields `Age` and `Warning`.
    public var staleIfError = Duration.zero
    /// How long a download waits for readers if the cache has no room for unread data.
    public var patience = Duration.seconds(30)
    /// Called with messages for the administrator, such as that the disk is full; on any thread.
    public var onDiagnostic: (@Sendable (String) -> Void)?

    /// The defaults: a freshness of 1 second and a patience of 30 seconds.
    public init() {}
  }

  private let cache: BlockCache
  private let options: Options
  /// The number of threads that are downloading.
  private let threads = Monitor(0)
  let table = Monitor(Table())

  /// The resources in use, and some that were used recently.
  struct Table {
    var resources: [WebAddress: OriginResource] = [:]
    var isStopped = false

    /// Releases the resources that no client and no thread uses.
    mutating func removeIdle() {
      // Makes a copy, so that the dictionary holds the only reference to each resource.
      for address in Array(resources.keys) where isKnownUniquelyReferenced(&resources[address]) {
        resources[address] = nil
      }
    }
  }
  /// How many unused resources are remembered.
  static let idleLimit = 256

  /// The resources of a server, cached in `cache`, which only this origin may use.
  public init(_ cache: BlockCache, _ options: Options = Options()) {
    self.cache = cache
    self.options = options
  }

  /// The response to a request for `address`: its content, or an error. It may block.
  public func response(for address: WebAddress) -> Server.Response {
    do throws(FetchError) {
      let resource = try resource(address)
      let (state, staleAge) = try resource.usableState()
      let content: any Server.Content =
        if state.isUnbounded {
          UnboundedPassedContent(resource: resource, state: state)
        } else if resource.passes(state) {
          PassedContent(resource: resource, state: state)
        } else {
          OriginContent(resource: resource, state: state)
        }
      var response = Server.Response(
        Server.Resource(content, mediaType: state.mediaType, entityTag: state.entityTag, modified: state.modified))
      if let staleAge {
        response.fields.append((name: "Age", value: "\(staleAge)"))
        response.fields.append((name: "Warning", value: "110 - \"Response is Stale\""))
      }
      if let coding = state.coding { response.fields.append((name: "Content-Encoding", value: coding)) }
      return response
    } catch {
      return Server.Response(error)
    }
  }

  /// The bytes of a small resource, such as a playlist, at most `limit` bytes.
  public func bytes(of address: WebAddress, limit: Int) throws(FetchError) -> [UInt8] {
    try bytesAndLocation(of: address, limit: limit).bytes
  }

  /// The bytes of a small resource, and its address after redirects.
  public func bytesAndLocation(of address: WebAddress, limit: Int) throws(FetchError) -> (
    bytes: [UInt8], location: WebAddress
  ) {
    let resource = try resource(address)
    // If the resource changes meanwhile, the new version is read.
    for _ in 0..<4 {
      do throws(FetchError) {
        let state = try resource.usableState().state
        return (try resource.bytes(of: state, limit: limit), state.location ?? address)
      } catch {
        guard error.problem == .changed else { throw error }
      }
    }
    throw FetchError(.changed, address)
  }

  /// Cancels all downloads, returns when they have ended, and closes the cache. Later requests get status 503.
  /// `Server.stop` waits for pending requests: call it first to let them finish, or afterwards to cut them off.
  public func stop() {
    let resources = table { table in
      table.isStopped = true
      return table.resources.values
    }
    for resource in resources { resource.stop() }
    threads.wait { $0 == 0 ? () : nil }
    cache.close()
  }

  /// Whether no download is running.
  var isIdle: Bool { threads { $0 == 0 } }

  func resource(_ address: WebAddress) throws(FetchError) -> OriginResource {
    let resource = table { table -> OriginResource? in
      if table.isStopped { return nil }
      if let known = table.resources[address] { return known }
      if table.resources.count >= Self.idleLimit { table.removeIdle() }
      let resource = OriginResource(address, cache, options, threads)
      table.resources[address] = resource
      return resource
    }
    guard let resource else { throw FetchError(.stopped, address) }
    return resource
  }
}

extension Server.Response {
  /// Why a remote resource is not available, without revealing its address.
  public init(_ error: FetchError) {
    switch error.problem {
    case .status(404), .status(410): self = .notFound
    case .status(401), .status(403): self.init(403, "access denied by the origin")
    case .status(let status): self.init(502, "the origin returned status \(status)")
    case .tooLarge(let limit): self.init(502, "it has more than \(limit) bytes")
    case .stopped: self.init(503, "the server is shutting down")
    case .io: self.init(500, "the server's cache cannot be used")
    case .timedOut: self.init(504, "the origin timed out")
    case .noProgram: self.init(500, "the server has no program to fetch with")
    default: self.init(502, "the origin cannot be reached or sent an invalid response")
    }
  }
}

extension Origin: Transport {
  /// Returns the bytes of a resource or a part of it, from the cache if possible. Only
  /// ``stop()`` cancels it.
  public func fetch(
    _ address: WebAddress, range: Range<Int>?, limit: Int, isStopped: () -> Bool
  ) throws(FetchError) -> (bytes: [UInt8], address: WebAddress) {
    guard let range else {
      let (bytes, location) = try bytesAndLocation(of: address, limit: limit)
      return (bytes, location)
    }
    let response = response(for: address)
    guard response.status == 200 else { throw FetchError(.status(response.status), address) }
    let content = response.resource.content
    let part = range.clamped(to: 0..<content.byteCount)
    guard part.count <= limit else { throw FetchError(.tooLarge(limit: limit), address) }
    let sink = MemorySink(name: "\(address)")
    do throws(IOError) {
      if !part.isEmpty { try content.write(part, to: sink) }
    } catch { throw FetchError(.io(error), address) }
    return (sink.bytes, address)
  }
}
