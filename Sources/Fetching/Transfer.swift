import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Platform
import MP4Processes

/// One request and its response, using one run of the program. Its methods never block.
final class Transfer {
  /// An event of the response.
  enum Event {
    /// The header, which is first.
    case response(FetchResponse)
    case bytes([UInt8])
    /// Nothing yet.
    case nothing
    /// The end of the content.
    case ended
  }

  let request: FetchRequest
  let process: ChildProcess
  private var header = HeaderReader()
  private var hasResponse = false
  /// The first bytes of the content, received with the header.
  private var rest: [UInt8] = []

  init(_ request: FetchRequest, _ options: FetchOptions) throws(FetchError) {
    self.request = request
    let configuration = request.configuration(try options.pins(for: request))
    guard configuration.count <= ChildProcess.inputLimit else {
      throw FetchError(.damaged("its address has more than \(ChildProcess.inputLimit) bytes"), request.address)
    }
    do throws(Errno) {
      process = try ChildProcess(options.program, request.arguments(options), input: configuration)
    } catch { throw FetchError(startOf: options.program, error, request.address) }
  }

  func next() throws(FetchError) -> Event {
    if !rest.isEmpty {
      defer { rest = [] }
      return .bytes(rest)
    }
    let output: ChildProcess.Output
    do throws(Errno) { output = try process.read() } catch {
      throw FetchError(.io(IOError(.read, file: process.program, error)), request.address)
    }
    switch output {
    case .nothing: return .nothing
    case .bytes(let bytes): return hasResponse ? .bytes(bytes) : try takeHeader(bytes)
    case .ended:
      try checkEnd()
      return .ended
    }
  }

  /// Cancels it.
  func stop() { process.stop() }

  private func takeHeader(_ bytes: [UInt8]) throws(FetchError) -> Event {
    guard let (response, rest) = try header.take(bytes, from: request.address) else { return .nothing }
    (self.rest, hasResponse) = (rest, true)
    return .response(response)
  }

  private func checkEnd() throws(FetchError) {
    let end = process.waitForEnd()
    if end == .exited(0) {
      if hasResponse { return }
      throw FetchError(.failed("the server closed the connection without a response", isPassing: true), request.address)
    }
    let lines = String(decoding: process.errorOutput, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    guard case .exited(let code) = end else {
      let text = lines.last ?? "\(request.address): \(process.program) failed"
      throw FetchError(.failed(text, isPassing: true), request.address)
    }
    // curl may print advice after the error message.
    let prefix = "curl: (\(code)) "
    let reason = lines.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    let text = reason ?? lines.last ?? "\(process.program) failed with the exit code \(code)"
    if code == Transfer.timeout { throw FetchError(.timedOut(text), request.address) }
    throw FetchError(.failed(text, isPassing: !Transfer.lasting.contains(code)), request.address)
  }

  private static let timeout: Int32 = 28

  /// Exit codes after which a retry would fail too: wrong usage, unknown protocol or address, unsupported features, and
  /// untrusted certificates.
  private static let lasting: Set<Int32> = [
    1, 2, 3, 4, 48, 51, 53, 54, 58, 59, 60, 61, 66, 77, 80, 82, 83, 90, 91, 127,
  ]
}

extension FetchError {
  /// The error if the program could not be started.
  init(startOf program: String, _ errno: Errno, _ address: WebAddress) {
    let isMissing = errno == .noSuchFileOrDirectory
    self.init(isMissing ? .noProgram(program) : .io(IOError(.open, file: program, errno)), address)
  }
}
