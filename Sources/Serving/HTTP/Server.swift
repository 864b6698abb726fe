import MP4Bytes
import MP4FileIO
import MP4Platform

/// An HTTP server for GET and HEAD, with ranges, conditional requests and persistent connections.
///
/// ```swift
/// let server = try Server(address, options) { request in
///   request.path == "/" ? Server.Response(200, "hello") : Server.Response(404, "there is nothing")
/// }
/// try server.start()
/// ```
///
/// Every connection has a thread. Waiting threads are cheap (about 30 kB) and allow responses to be written
/// synchronously.
public final class Server: Sendable {
  /// Responds to a request, in the thread of the connection; it may block.
  public typealias Handler = @Sendable (Server.Request) -> Server.Response

  /// The options of a server.
  public struct Options: Sendable {
    /// Whether pages of other sites may read what is served (CORS).
    public var allowsOrigins = false
    /// The maximum number of connections. A new one replaces the one that was idle longest, or gets
    /// status 503 if none is idle.
    public var connectionLimit = 1200
    /// The timeout of idle connections.
    public var idleTimeout = Duration.seconds(75)
    /// The timeout for receiving a header.
    public var headTimeout = Duration.seconds(20)
    /// The time in which a client must accept at least 16 KiB of a response.
    public var progressTimeout = Duration.seconds(60)
    /// Called with every response, in the thread of its connection.
    public var onAccess: (@Sendable (AccessLogEntry) -> Void)?

    /// Default limits: connections fit the usual open-file limit, and normal clients never reach the timeouts.
    public init() {}
  }

  /// The address and port; the port is never 0.
  public var address: SocketAddress { SocketAddress(listener.endpoint) }

  private let listener: Listener
  private let options: Options
  private let respond: Handler
  private let connections = Monitor(Connections())

  /// Opens the port; connections wait until `start`.
  public init(_ address: SocketAddress, _ options: Options = Options(), answering respond: @escaping Handler)
    throws(ListenError)
  {
    do throws(Errno) { listener = try Listener(address.endpoint) } catch {
      throw ListenError(address: address, error)
    }
    var options = options
    // Each connection may need one descriptor for itself and one for the file that it sends.
    options.connectionLimit = max(1, min(options.connectionLimit, OpenFileLimit.current / 2 - 16))
    self.options = options
    self.respond = respond
  }

  /// Starts to respond, in other threads.
  ///
  /// - Throws: `ListenError` if no thread could be created.
  public func start() throws(ListenError) {
    connections { $0.isAccepting = true }
    let isStarted = Thread.start { [self] in
      acceptAll()
      connections.change { $0.isAccepting = false }
    }
    if isStarted { return }
    connections { $0.isAccepting = false }
    throw ListenError(address: address, .wouldBlock)
  }

  /// Accepts no more connections, closes idle ones, and returns when all responses are sent.
  public func stop() {
    listener.stop()
    connections { connections in
      connections.isStopping = true
      for connection in connections.all.values where connection.idleSince != nil { connection.socket.stopReceiving() }
    }
    connections.wait { $0.all.isEmpty && !$0.isAccepting ? () : nil }
  }

  /// The number of open connections.
  public var connectionCount: Int { connections { $0.all.count } }
  /// The number of idle connections.
  var idleCount: Int { connections { $0.all.values.count { $0.idleSince != nil } } }

  // MARK: Accepting

  private func acceptAll() {
    while true {
      do throws(Errno) {
        guard let (socket, peer) = try listener.accept() else { return }
        add(socket, SocketAddress(peer))
      } catch {
        // Descriptors become available when a connection ends, so idle connections are closed now.
        if [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noBufferSpace].contains(error) {
          connections { _ = $0.endOldest() }
        }
        SystemClock.sleep(milliseconds: 50)
      }
    }
  }

  private func add(_ socket: Socket, _ peer: SocketAddress) {
    let number = connections { $0.add(socket, limit: options.connectionLimit) }
    guard let number else { return refuse(socket) }
    let isStarted = Thread.start { [self] in
      Connection(
        socket: socket, peer: peer, options: options, respond: respond,
        becameIdle: { [connections] in connections { $0.becameIdle(number) } },
        becameBusy: { [connections] in connections { $0.all[number]?.idleSince = nil } },
        mayContinue: { [connections] in connections { $0.mayContinue(number) } }
      ).run()
      connections.change { $0.all[number] = nil }
    }
    if !isStarted {
      connections.change { $0.all[number] = nil }
      refuse(socket)
    }
  }

  /// No thread is available to wait for the client, so its request is not read.
  private func refuse(_ socket: Socket) {
    socket.makeNonBlocking()
    let text = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
    let bytes = Array(text.utf8)
    _ = try? socket.send(bytes, moreFollows: false)
    socket.finish(milliseconds: 0)
  }
}

/// The open connections.
private struct Connections {
  struct Open {
    let socket: Socket
    /// When it became idle; `nil` while it sends a response.
    var idleSince: Int?
    /// Whether it was told to close.
    var isEnding = false
  }

  var all: [Int: Open] = [:]
  var isAccepting = false
  var isStopping = false
  private var next = 0

  /// A number for a new connection; `nil` if there is no room for it.
  mutating func add(_ socket: Socket, limit: Int) -> Int? {
    if all.count >= limit, !endOldest(), all.count >= limit + limit / 8 + 1 || !all.values.contains(where: \.isEnding) {
      return nil
    }
    next += 1
    all[next] = Open(socket: socket, idleSince: SystemClock.milliseconds)
    return next
  }

  /// Closes the connection that was idle longest; returns whether there is one.
  mutating func endOldest() -> Bool {
    let waiting = all.filter { $0.value.idleSince != nil && !$0.value.isEnding }
    guard let oldest = waiting.min(by: { ($0.value.idleSince ?? 0, $0.key) < ($1.value.idleSince ?? 0, $1.key) }) else {
      return false
    }
    all[oldest.key]?.isEnding = true
    oldest.value.socket.stopReceiving()
    return true
  }

  mutating func becameIdle(_ number: Int) {
    all[number]?.idleSince = SystemClock.milliseconds
    // Nothing else would end this connection.
    if isStopping { all[number]?.socket.stopReceiving() }
  }

  /// Whether the connection should wait for another request.
  func mayContinue(_ number: Int) -> Bool { !isStopping && all[number]?.isEnding == false }
}
