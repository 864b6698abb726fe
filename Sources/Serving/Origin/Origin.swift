public import Fetching
public import HLS
import Platform

/// A server far away, or one that knows no ranges, whose resources are answered from a cache: ranges and conditions of
/// any form, for many clients, over one download of each resource.
///
/// ```swift
/// let origin = Origin(try BlockCache(nil, byteLimit: 1 << 30))
/// let server = try Server(address) { request in
///   WebAddress("https://example.com" + request.path).map(origin.response) ?? .notFound
/// }
/// ```
///
/// A request waits only for its own bytes, while the download goes on to the end, even when clients leave. The origin is asked
/// for every request whether its resource is still the same, at most once in a second; when it cannot be asked, the
/// answer is 502 or 504 even where bytes are in the cache, since it is not known whether they are still right. Content
/// that turns out to be of an older state while it is sent is cut off: bytes of two states never come together.
///
/// What is larger than the cache is not kept: the origin is asked for it for every request. Where the origin does not say
/// how long something is, it is fetched as far as the cache has room before a client gets an answer; if it is larger still,
/// clients get it in chunks and without ranges.
public final class Origin: Sendable {
  /// What one may want otherwise.
  public struct Options: Sendable {
    /// How the origin is asked; its retries are for breaks in the middle of a download.
    public var fetch = FetchOptions()
    /// How long an answer of the origin counts without asking again.
    public var freshness = Duration.seconds(1)
    /// How long a download waits for readers, where the cache has no room for all that they have not read yet.
    public var patience = Duration.seconds(30)
    /// Called with what an administrator should know, such as that the disk is full; in any thread.
    public var onNotice: (@Sendable (String) -> Void)?

    /// A second, and the patience of half a minute.
    public init() {}
  }

  private let cache: BlockCache
  private let options: Options
  /// How many threads bring something at the moment.
  private let threads = Monitor(0)
  let table = Monitor(Table())

  /// The resources that clients want, and some that they wanted.
  struct Table {
    var resources: [WebAddress: OriginResource] = [:]
    var isStopped = false

    /// Forgets the resources that no client and no thread uses.
    mutating func removeIdle() {
      // A copy, so that the resources are in one dictionary only.
      for address in Array(resources.keys) where isKnownUniquelyReferenced(&resources[address]) {
        resources[address] = nil
      }
    }
  }
  /// How many resources are kept in mind that no client wants.
  static let idleLimit = 256

  /// The resources of a server, kept in `cache`, which is for this origin alone.
  public init(_ cache: BlockCache, _ options: Options = Options()) {
    self.cache = cache
    self.options = options
  }

  /// The answer to a request for `address`: its content, or why it cannot be had. It may take its time.
  public func response(for address: WebAddress) -> Server.Response {
    do throws(FetchError) {
      let resource = try resource(address)
      let state = try resource.presentState()
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
      if let coding = state.coding { response.fields.append((name: "Content-Encoding", value: coding)) }
      return response
    } catch {
      return Server.Response(error)
    }
  }

  /// The whole of something small, such as a playlist, `limit` bytes at most.
  public func bytes(of address: WebAddress, limit: Int) throws(FetchError) -> [UInt8] {
    try bytesAndLocation(of: address, limit: limit).bytes
  }

  /// The whole of something small, and where it was in the end, after all redirections.
  public func bytesAndLocation(of address: WebAddress, limit: Int) throws(FetchError) -> (
    bytes: [UInt8], location: WebAddress
  ) {
    let resource = try resource(address)
    // When it changes meanwhile, there is another one.
    for _ in 0..<4 {
      do throws(FetchError) {
        let state = try resource.presentState()
        return (try resource.bytes(of: state, limit: limit), state.location ?? address)
      } catch {
        guard error.problem == .changed else { throw error }
      }
    }
    throw FetchError(.changed, address)
  }

  /// Ends all downloads and all who wait for them, returns when they are gone, and closes the cache; what is asked for
  /// afterwards is answered with 503. `Server.stop` waits for those who wait here: after it they have their answers, and
  /// before it they are cut off.
  public func stop() {
    let resources = table { table in
      table.isStopped = true
      return table.resources.values
    }
    for resource in resources { resource.stop() }
    threads.wait { $0 == 0 ? () : nil }
    cache.close()
  }

  /// Whether nothing is brought at the moment.
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
  /// Why something cannot be had from another server, without telling where it is.
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
