import Bytes
import Fetching
import FileIO
import HLS
import ISOBMFF
import Platform
import Serving
import Streaming

/// What another server has, under the paths that it has there, and a page that plays what was named of it.
struct OriginSite: Sendable {
  private let scope: OriginScope
  private let master: SubtitledMaster?

  /// What lies at `url` and below; what takes its time is given up when `isStopped`.
  init(_ arguments: ParsedArguments, at url: String, _ context: CommandContext, isStopped: () -> Bool) throws {
    let (address, names) = try Self.named(url)
    let files = arguments[OriginOptions.subtitles]
    try files.checkLanguages(OriginOptions.subtitles)
    for file in files { context.inputs.add(file.path) }
    if !files.isEmpty, names.last?.isEmpty != false {
      throw UsageError("option '--subtitles' needs the URL of a multivariant playlist, and '\(address)' is a folder")
    }
    for option: any DeclaredOption in [OriginOptions.mediaStart, SubtitleFile.encoding]
    where files.isEmpty && arguments.has(option) {
      throw UsageError("option '--\(option.declaration.name)' is about subtitles; add '--subtitles LANG=FILE'")
    }
    let subtitles = try files.read(arguments)
    try Fetcher().checkProgram(for: address)
    var folder: Path?
    if let word = arguments[OriginOptions.cache] {
      folder = Path(word.bytes)
      if folder == nil { throw UsageError("the name of the folder has a zero byte in it") }
    }
    let size = arguments[OriginOptions.cacheSize]?.byteCount ?? OriginOptions.defaultCacheSize
    // Other threads have something to say later on.
    let diagnostics = Monitor(context.diagnostics)
    var options = Origin.Options()
    options.fetch = context.fetching
    options.onNotice = { text in diagnostics { $0.warning(text) } }
    let origin = Origin(try Self.cache(folder, byteLimit: size, keeping: context.inputs), options)
    scope = OriginScope(
      origin: origin, address: address, names: names, allowsOutside: arguments[OriginOptions.allowOutside])
    do {
      let (scope, start) = (scope, arguments[OriginOptions.mediaStart]?.time)
      master =
        try files.isEmpty
        ? nil
        : Self.waiting(for: address, isStopped, origin.stop) {
          try SubtitledMaster(scope, address, subtitles, mediaStart: start) { text in diagnostics { $0.warning(text) }
          }
        }
    } catch {
      origin.stop()
      throw error
    }
    for notice in master?.notices ?? [] { context.diagnostics.say(notice) }
  }

  /// What `body` makes in another thread, where it may wait for what lies at the address; `stop` makes that fail.
  private static func waiting<Value: Sendable>(
    for address: WebAddress, _ isStopped: () -> Bool, _ stop: () -> Void, _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    let made = Monitor<Result<Value, any Error>?>(nil)
    let isStarted = Thread.start {
      let result = Result { try body() }
      made { $0 = result }
    }
    guard isStarted else { throw IOError(.read, file: "\(address)", reason: "the system gives no thread") }
    while true {
      if let result = made({ $0 }) { return try result.get() }
      SystemClock.sleep(milliseconds: 20)
      if isStopped() { stop() }
    }
  }

  /// Ends what answers may wait for.
  func stop() { scope.origin.stop() }

  /// The answer to a request.
  func response(to request: Request) -> Response {
    guard let names = request.names, names.allSatisfy(Self.leadsDown) else {
      return Response(400, "that path leads nowhere")
    }
    var response = answer(names, request)
    // As for folders: a client that has something asks whether it is still the same.
    if !response.fields.contains(where: { $0.name.lowercased() == "cache-control" }) {
      response.fields.append((name: "Cache-Control", value: "no-cache"))
    }
    return response
  }

  private func answer(_ names: [[UInt8]], _ request: Request) -> Response {
    if names == [[]] || names.isEmpty { return page }
    let isInside = scope.isInside(names)
    guard isInside || scope.allowsOutside else {
      return Response(
        403, "it is not in the folder of what is served; --allow-outside gives out everything of its host")
    }
    var reference = scope.address.reference
    (reference.path, reference.query) = (request.path, request.query)
    guard let address = WebAddress(reference) else { return Response(400, "that path leads nowhere") }
    if let master, isInside {
      if names == scope.names { return master.response(at: address) }
      if let file = master.file(names.dropFirst(scope.names.count - 1)) { return file }
    }
    return scope.response(for: address)
  }

  private var page: Response {
    let (address, names) = (scope.address, scope.names)
    if let last = names.last, !last.isEmpty {
      // As it was given: some servers mind how a name is spelled.
      let link = "./" + address.reference.path.drop { $0 == "/" } + (address.reference.query.map { "?" + $0 } ?? "")
      let item = PlayableItem(names, link: link)
      return PlayerPage(title: String(decoding: last, as: UTF8.self), items: [item]).response
    }
    let host = "\(address)".split(separator: "/").dropFirst().first ?? ""
    return PlayerPage(
      title: String(host), items: [],
      advice: "Put the path of a playlist or movie of the origin after the address of this page, such as "
        + "`\(address.reference.path)master.m3u8`: players open that."
    ).response
  }

  /// The address in a word, without `.` and `..`, and the names on the way there.
  private static func named(_ url: String) throws(UsageError) -> (WebAddress, [[UInt8]]) {
    guard WebAddress.isMeant(by: url), let given = WebAddress(url) else {
      throw UsageError("option '--origin' takes a URL with http:// or https:// and a host, not '\(shown(url))'")
    }
    var reference = given.reference.resolved(against: given.reference)
    if reference.path.isEmpty { reference.path = "/" }
    guard let address = WebAddress(reference), let names = Request.names(inPath: Array(reference.path.utf8)[...]),
      names.allSatisfy(leadsDown)
    else { throw UsageError("option '--origin': the path of '\(given)' leads nowhere") }
    return (address, names)
  }

  /// What is shown of what may be an address with a password.
  private static func shown(_ url: String) -> String {
    String(url.split(separator: "@", omittingEmptySubsequences: false).last ?? "")
  }

  /// Whether no server takes the name for another folder: some read a backslash as a slash, and nothing after a semicolon.
  private static func leadsDown(_ name: [UInt8]) -> Bool {
    let plain = name.prefix { $0 != UInt8(ascii: ";") }
    return !name.contains(UInt8(ascii: "\\")) && !plain.elementsEqual(".".utf8) && !plain.elementsEqual("..".utf8)
  }

  private static func cache(
    _ folder: Path?, byteLimit: Int, keeping inputs: InputRegistry
  ) throws(IOError) -> BlockCache {
    do throws(IOError) { return try BlockCache(folder, byteLimit: byteLimit, keeping: inputs) } catch {
      // It is no input, also where it is there and cannot be opened, as another program uses it.
      var error = error
      if error.operation == .open { error.operation = .change }
      throw error
    }
  }
}
