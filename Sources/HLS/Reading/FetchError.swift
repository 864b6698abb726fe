public import MP4Bytes

/// Why a resource could not be fetched.
public struct FetchError: Error, Hashable, Sendable {
  /// The kinds of failure.
  public enum Problem: Hashable, Sendable {
    /// The `curl` program is not installed.
    case noProgram(String)
    /// The server returned this status.
    case status(Int)
    /// A redirect from `https` to `http`.
    case insecureRedirection(to: String)
    /// A public resource refers to this private address.
    case privateAddress(String)
    /// A part of a resource is stored with this compression, which was not requested.
    case compressed(String)
    /// A redirect to a URL that is not `http` or `https`, or is not valid.
    case otherRedirection(to: String)
    /// Too many redirects.
    case tooManyRedirections(limit: Int)
    /// A resource larger than the limit.
    case tooLarge(limit: Int)
    /// A server that ignored the requested range.
    case noRanges
    /// The response is not HTTP, or not what was requested.
    case damaged(String)
    /// The program failed with this message; whether another attempt may succeed.
    case failed(String, isPassing: Bool)
    /// A timeout while connecting or receiving, with the message of the program.
    case timedOut(String)
    /// The resource changed while parts of it were fetched.
    case changed
    /// The caller stopped.
    case stopped
    /// The received data could not be stored.
    case io(IOError)
  }
  /// The URL, without user and password.
  public var address: String
  /// The problem.
  public var problem: Problem

  /// A failure to fetch `address`.
  public init(_ problem: Problem, _ address: WebAddress) {
    self.address = address.description
    self.problem = problem
  }

  /// Whether another attempt may succeed.
  package var isPassing: Bool {
    switch problem {
    case .status(let status): status >= 500 || [408, 425, 429].contains(status)
    case .failed(_, let isPassing): isPassing
    case .timedOut: true
    default: false
    }
  }

  /// Whether the server cannot be reached, or is not able to respond: RFC 5861, 4.
  package var isOutage: Bool {
    switch problem {
    case .status(let status): status >= 500
    case .failed, .timedOut: true
    default: false
    }
  }
}

extension FetchError: CustomStringConvertible {
  /// Such as `https://example.com/a.m3u8: the server returned status 404 (not found)`.
  public var description: String { "\(address): \(reason)" }

  /// The problem, without the URL.
  public var reason: String {
    switch problem {
    case .noProgram(let name):
      "the program \(name) is not installed; install the package \(name)"
    case .status(let status): "the server returned status \(status)\(FetchError.phrase(status))"
    case .insecureRedirection(let target): "redirect from https to \(target), which is not encrypted"
    case .privateAddress(let address):
      "its address \(address) is private; public servers must not refer to it"
    case .compressed(let coding): "the server sent compressed data (\(coding)), which was not requested"
    case .otherRedirection(let target): "redirect to \(target), but only http and https are supported"
    case .tooManyRedirections(let limit): "more than \(limit) redirects"
    case .tooLarge(let limit): "it has more than \(limit) bytes"
    case .noRanges: "the server ignored the requested byte range"
    case .damaged(let what): what
    case .failed(let text, _), .timedOut(let text): text
    case .changed: "it changed in the meantime"
    case .stopped: "stopped"
    case .io(let error): error.description
    }
  }

  private static func phrase(_ status: Int) -> String {
    switch status {
    case 401: " (password required)"
    case 403: " (not allowed)"
    case 404: " (not found)"
    case 410: " (gone)"
    case 416: " (range not satisfiable)"
    case 429: " (too many requests)"
    case 500...599: " (server error)"
    default: ""
    }
  }
}
