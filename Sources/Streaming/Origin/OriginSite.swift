public import MP4
import MP4Bytes
public import MP4Fetching
import MP4HLS
public import MP4Packaging
import MP4Platform
public import MP4Presentations
public import MP4Serving

/// Serves the files of another server under the same paths, and a player page.
///
/// ```swift
/// let site = try OriginSite(scope, BlockCache(nil, byteLimit: 1 << 30))
/// let server = try Server(address, answering: site.response)
/// ```
public struct OriginSite: Sendable {
  /// The options of a site.
  public struct Options: Sendable {
    /// How files are fetched from the origin.
    public var fetching = FetchOptions()
    /// How long cached files are served if the origin cannot be reached; see ``Origin/Options/staleIfError``.
    public var staleIfError = Duration.zero
    /// Subtitles that are added to the multivariant playlist, and served beside it.
    public var subtitles: [Subtitles] = []
    /// The start time of the media of that playlist, if the caller knows it.
    public var mediaStart: MediaTime?
    /// The response to requests outside the folder of the address.
    public var outside = Server.Response(403, "this path is outside the served folder")
    /// Called with messages for the administrator, on any thread.
    public var onDiagnostic: (@Sendable (String) -> Void)?

    public init() {}
  }

  private let origin: ScopedOrigin
  private let outside: Server.Response
  private let master: SubtitledMaster?

  /// Serves the files in `scope`.
  ///
  /// - Parameters:
  ///   - scope: What is served. With subtitles, it must be a multivariant playlist.
  ///   - cache: The cache, used by this site alone.
  ///   - options: What is added, and how files are fetched.
  ///   - isStopped: Asked from time to time whether to stop slow work.
  /// - Throws: `PresentationError` if the subtitles cannot be added.
  public init(
    _ scope: OriginScope, _ cache: BlockCache, _ options: Options = Options(), isStopped: () -> Bool = { false }
  ) throws(PresentationError) {
    var own = Origin.Options()
    own.fetch = options.fetching
    own.staleIfError = options.staleIfError
    own.onDiagnostic = options.onDiagnostic
    let origin = ScopedOrigin(origin: Origin(cache, own), scope: scope)
    (self.origin, outside) = (origin, options.outside)
    guard !options.subtitles.isEmpty else {
      master = nil
      return
    }
    do throws(PresentationError) {
      master = try Self.waiting(for: scope.address, isStopped, origin.origin.stop) { () throws(PresentationError) in
        try SubtitledMaster(origin, options)
      }
    } catch {
      origin.origin.stop()
      throw error
    }
  }

  /// The result of `body` on another thread, where it may wait for the origin; `stop` makes it fail.
  private static func waiting<Value: Sendable>(
    for address: WebAddress, _ isStopped: () -> Bool, _ stop: () -> Void,
    _ body: @escaping @Sendable () throws(PresentationError) -> Value
  ) throws(PresentationError) -> Value {
    let made = Monitor<Result<Value, PresentationError>?>(nil)
    let isStarted = Thread.start {
      let result = Result { () throws(PresentationError) in try body() }
      made { $0 = result }
    }
    guard isStarted else { throw .io(IOError(.read, file: "\(address)", reason: "no thread could be created")) }
    while true {
      if let result = made({ $0 }) { return try result.get() }
      SystemClock.sleep(milliseconds: 20)
      if isStopped() { stop() }
    }
  }

  /// Messages about the subtitles and the presentation.
  public var diagnostics: [Diagnostic] { master?.diagnostics ?? [] }
  /// The segments of the presentation whose times could not be read.
  public var unknownStarts: [UnknownMediaStart] { master?.unknownStarts ?? [] }

  /// Cancels everything that responses may wait for.
  public func stop() { origin.origin.stop() }

  /// The response to a request.
  public func response(to request: Server.Request) -> Server.Response {
    guard let names = request.names, names.allSatisfy(OriginScope.leadsDown) else {
      return Server.Response(400, "invalid path")
    }
    var response = answer(names, request)
    // As for folders: clients must revalidate what they have cached.
    if !response.fields.contains(where: { $0.name.lowercased() == "cache-control" }) {
      response.fields.append((name: "Cache-Control", value: "no-cache"))
    }
    return response
  }

  private func answer(_ names: [[UInt8]], _ request: Server.Request) -> Server.Response {
    if names == [[]] || names.isEmpty { return page }
    let scope = origin.scope
    let isInside = scope.isInside(names)
    guard isInside || scope.allowsOutside else { return outside }
    var reference = scope.address.reference
    (reference.path, reference.query) = (request.path, request.query)
    guard let address = WebAddress(reference) else { return Server.Response(400, "invalid path") }
    if let master, isInside {
      if names == scope.names { return master.response(at: address) }
      if let file = master.file(names.dropFirst(scope.names.count - 1)) { return file }
    }
    return origin.response(for: address)
  }

  private var page: Server.Response {
    let (address, names) = (origin.scope.address, origin.scope.names)
    if let last = names.last, !last.isEmpty {
      // The link keeps the spelling of the address, because some servers depend on it.
      let link = "./" + address.reference.path.drop { $0 == "/" } + (address.reference.query.map { "?" + $0 } ?? "")
      let item = PlayableItem(names, link: link)
      return PlayerPage(title: String(decoding: last, as: UTF8.self), items: [item]).response
    }
    let host = "\(address)".split(separator: "/").dropFirst().first ?? ""
    return PlayerPage(
      title: String(host), items: [],
      advice: "To play a playlist or movie of the origin, append its path to the address of this page, such as "
        + "`\(address.reference.path)master.m3u8`, and open it in a player."
    ).response
  }
}
