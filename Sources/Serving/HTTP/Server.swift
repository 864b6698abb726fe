import Bytes
import FileIO
import Platform

/// An HTTP server: GET and HEAD, ranges and conditions, over connections that stay open.
///
/// ```swift
/// let server = try Server(address, options) { request in
///   request.path == "/" ? Server.Response(200, "hello") : Server.Response(404, "there is nothing")
/// }
/// try server.start()
/// ```
///
/// Every connection has a thread, since waiting threads cost little and let answers be written as plainly as files: one
/// that waits for its client takes some 30 kB.
public final class Server: Sendable {
  /// Answers a request; it runs in the thread of the connection and may take its time.
  public typealias Handler = @Sendable (Server.Request) -> Server.Response

  /// What one may want otherwise.
  public struct Options: Sendable {
    /// Whether pages of other origins may read what is served.
    public var allowsOrigins = false
    /// How many connections there are at most. One more takes the place of the one that was idle for longest, and is
    /// answered with 503 when none is.
    public var connectionLimit = 1200
    /// How long a connection may be silent between two requests.
    public var idleTimeout = Duration.seconds(75)
    /// How long the head of a request may take.
    public var headTimeout = Duration.seconds(20)
    /// Within which time a client has to take some of an answer, 16 KiB at least.
    public var progressTimeout = Duration.seconds(60)
    /// Called with every answer, in the thread of its connection.
    public var onAccess: (@Sendable (AccessLogEntry) -> Void)?

    /// As many connections as an ordinary limit of open files allows, and timeouts that people do not notice.
    public init() {}
  }

  /// Where it can be reached; the port is never 0.
  public var address: SocketAddress { SocketAddress(listener.endpoint) }

  private let listener: Listener
  private let options: Options
  private let respond: Handler
  private let connections = Monitor(Connections())

  /// Opens the port, so that connections wait until `start`.
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

  /// Begins to answer, in threads of its own.
  ///
  /// - Throws: `ListenError` when no thread could be created.
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

  /// Accepts no more connections, closes those that wait for a request, and returns when all answers are sent.
  public func stop() {
    listener.stop()
    connections { connections in
      connections.isStopping = true
      for connection in connections.all.values where connection.idleSince != nil { connection.socket.stopReceiving() }
    }
    connections.wait { $0.all.isEmpty && !$0.isAccepting ? () : nil }
  }

  /// How many connections are open.
  public var connectionCount: Int { connections { $0.all.count } }
  /// How many of them wait for a request.
  var idleCount: Int { connections { $0.all.values.count { $0.idleSince != nil } } }

  // MARK: Accepting

  private func acceptAll() {
    while true {
      do throws(Errno) {
        guard let (socket, peer) = try listener.accept() else { return }
        add(socket, SocketAddress(peer))
      } catch {
        // There is room when a connection ends; those that do nothing end now.
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

  /// There is no thread that could wait for the client, so what it sends is not read.
  private func refuse(_ socket: Socket) {
    socket.makeNonBlocking()
    let text = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
    let bytes = Array(text.utf8)
    _ = try? socket.send(bytes, moreFollows: false)
    socket.finish(milliseconds: 0)
  }
}

/// The connections that are open.
private struct Connections {
  struct Open {
    let socket: Socket
    /// Since when it waits for a request; `nil` while one is answered.
    var idleSince: Int?
    /// It was asked to end.
    var isEnding = false
  }

  var all: [Int: Open] = [:]
  var isAccepting = false
  var isStopping = false
  private var next = 0

  /// A number for a new connection; `nil` when there is no room for it.
  mutating func add(_ socket: Socket, limit: Int) -> Int? {
    if all.count >= limit, !endOldest(), all.count >= limit + limit / 8 + 1 || !all.values.contains(where: \.isEnding) {
      return nil
    }
    next += 1
    all[next] = Open(socket: socket, idleSince: SystemClock.milliseconds)
    return next
  }

  /// Ends the connection that waits for longest; returns whether there is one.
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
    // Nothing else would end it.
    if isStopping { all[number]?.socket.stopReceiving() }
  }

  /// Whether the connection is to wait for another request.
  func mayContinue(_ number: Int) -> Bool { !isStopping && all[number]?.isEnding == false }
}
