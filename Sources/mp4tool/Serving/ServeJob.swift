import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Platform
import MP4Serving

/// Runs a web server, for `serve` and for commands with `--serve`.
struct ServeJob {
  static let port = Option.integer(
    "port", short: "p", placeholder: "PORT", in: 0...65535, default: 8080,
    help: "The port; 0 chooses a free one, which is printed on the first line.")
  static let bind = Option.parsed(
    "bind", placeholder: "ADDRESS", as: BindAddress.self,
    help:
      "The address of this machine to listen on, such as `192.168.1.5`, `::1`, or `0.0.0.0` for all. The default is "
      + "`127.0.0.1` (this machine only).")
  static let host = Option.repeated(
    "host", placeholder: "NAME", as: HostName.self,
    help:
      "A host name of this server, such as `media.example.com`. Requests for other names get status 421. This "
      + "machine's own names and numeric addresses are always accepted; with `--cors`, all names are. Can be repeated.")
  static let cors = Option.flag(
    "cors", help: "Allow web pages from other sites to read the content (CORS headers).")
  static let logFormat = Option.choice(
    "log-format", placeholder: "FORMAT", default: .text,
    help: "The format of the access log: `text` is the Common Log Format; `json` is one object per line.",
    OutputFormat.formats)
  static let options: [any DeclaredOption] = [port, bind, host, cors, logFormat]

  let arguments: ParsedArguments
  let context: CommandContext

  /// Opens the port and prints the address. From now on, other threads handle requests.
  func start(_ answer: @escaping @Sendable (Server.Request) -> Server.Response) throws -> Server {
    let port = UInt16(clamping: arguments[Self.port])
    let address = arguments[Self.bind]?.address(port: port) ?? .loopback(port: port)
    var options = Server.Options()
    options.allowsOrigins = arguments[Self.cors]
    if !arguments[GeneralOptions.quiet] {
      let log = AccessLog(format: arguments[Self.logFormat])
      options.onAccess = { log.write($0) }
    }
    // A page of another site can point its own host name to this server (DNS rebinding), and could then read
    // everything.
    let isOpen = options.allowsOrigins
    var names = Set(arguments[Self.host].map(\.name))
    if !address.isLoopback {
      names.formUnion(SocketAddress.namesOfThisMachine)
      for own in SocketAddress.ofThisMachine(port: port) + [address] {
        names.insert(own.hostText.contains(":") ? "[\(own.hostText)]" : own.hostText)
      }
    }
    let server = try Server(address, options) { [names] request in
      if !isOpen, !request.isFor(names) {
        return Server.Response(421, "unknown host name; --host NAME adds one")
      }
      return answer(request)
    }
    if !address.isLoopback { warn(server.address) }
    try tell(server.address)
    try server.start()
    return server
  }

  /// Serves until a signal ends the program: SIGINT, SIGTERM or SIGHUP. Current responses are completed, unless a
  /// second signal arrives.
  ///
  /// - Parameters:
  ///   - makeAnswer: Prepares and returns the request handler; it can check whether a signal has arrived.
  ///   - end: Cancels everything that responses may wait for.
  func run(
    _ makeAnswer: (_ isStopped: @escaping () -> Bool) throws -> @Sendable (Server.Request) -> Server.Response,
    ending end: () -> Void = {}
  ) throws -> ExitCode {
    try Signals.holdingStops { isWaiting in
      let server = try start(makeAnswer(isWaiting))
      Signals.waitForStop()
      let isOver = Monitor(false)
      let stop: @Sendable () -> Void = {
        server.stop()
        isOver { $0 = true }
      }
      if !Thread.start(stop) { stop() }
      while !isOver({ $0 }), !isWaiting() { SystemClock.sleep(milliseconds: 20) }
      // After a second signal, pending requests are cancelled.
      end()
    }
    return .done
  }

  private func warn(_ address: SocketAddress) {
    let known = address.isWildcard ? SocketAddress.ofThisMachine(port: address.port) : [address]
    let places = known.isEmpty ? "" : ", at " + known.map { "http://\($0)/" }.joined(separator: " and ")
    context.diagnostics.note("other machines can read the content\(places)")
  }

  /// Prints the address immediately, because a script may wait for it.
  private func tell(_ address: SocketAddress) throws {
    let own = address.isWildcard ? SocketAddress.loopback(port: address.port) : address
    if arguments[Self.logFormat] == .json {
      var json = JSONWriter(context.console)
      json.beginObject()
      json.key("url")
      json.value("http://\(own)/")
      json.key("port")
      json.value(Int(own.port))
      json.endObject()
      json.finish()
    } else {
      try context.console.write("http://\(own)/\n")
    }
    try context.console.flush()
  }
}

/// The name of a host, without a port.
struct HostName: OptionValue {
  static let expectation = "the name of a host without a port, such as media.example.com"
  /// In lower case.
  let name: String

  init?(_ word: Argument) {
    let text = word.text.lowercased()
    let isName = text.utf8.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
    }
    guard isName, let first = text.utf8.first, first != UInt8(ascii: ".") else { return nil }
    name = text.utf8.last == UInt8(ascii: ".") ? String(text.dropLast()) : text
  }
}

/// A numeric address.
struct BindAddress: TextOptionValue {
  static let expectation = "a numeric address of this machine, such as 127.0.0.1, ::1 or 0.0.0.0"
  private let word: String

  init?(_ word: String) {
    guard SocketAddress(word, port: 0) != nil else { return nil }
    self.word = word
  }

  func address(port: UInt16) -> SocketAddress? { SocketAddress(word, port: port) }
}
