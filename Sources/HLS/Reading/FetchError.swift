public import Bytes

/// Why something could not be fetched.
public struct FetchError: Error, Hashable, Sendable {
  /// The kinds of failure.
  public enum Problem: Hashable, Sendable {
    /// There is no program that fetches.
    case noProgram(String)
    /// The server says no, with this status.
    case status(Int)
    /// A redirection from `https` to `http`.
    case insecureRedirection(to: String)
    /// What is public leads to this address, which is not.
    case privateAddress(String)
    /// A part of what is stored compressed, in this way, without being asked for.
    case compressed(String)
    /// A redirection to what is neither `http` nor `https`, or cannot be read.
    case otherRedirection(to: String)
    /// More redirections than anything real has.
    case tooManyRedirections(limit: Int)
    /// A resource that is larger than what was asked for can be.
    case tooLarge(limit: Int)
    /// A server that was asked for a part and gives the whole.
    case noRanges
    /// What came is no HTTP, or not what was asked for.
    case damaged(String)
    /// The program failed, with what it wrote; whether another attempt may succeed.
    case failed(String, isPassing: Bool)
    /// The server took too long to connect, or to send anything; with what the program wrote.
    case timedOut(String)
    /// It became another one while parts of it were fetched.
    case changed
    /// The caller asked to stop.
    case stopped
    /// What came could not be stored.
    case io(IOError)
  }
  /// What was to be fetched, without user and password.
  public var address: String
  /// What went wrong.
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
}

extension FetchError: CustomStringConvertible {
  /// Such as `https://example.com/a.m3u8: the server says 404 (not found)`.
  public var description: String { "\(address): \(reason)" }

  /// What went wrong, without the address.
  public var reason: String {
    switch problem {
    case .noProgram(let name):
      "it needs the program \(name), which is not installed: install the package \(name)"
    case .status(let status): "the server returned status \(status)\(FetchError.phrase(status))"
    case .insecureRedirection(let target): "redirect from https to \(target), which is not encrypted"
    case .privateAddress(let address):
      "its address \(address) is private; public servers must not refer to it"
    case .compressed(let coding): "the server sent it compressed (\(coding)), which was not requested"
    case .otherRedirection(let target): "redirect to \(target), but only http and https are supported"
    case .tooManyRedirections(let limit): "more than \(limit) redirects"
    case .tooLarge(let limit): "it has more than \(limit) bytes"
    case .noRanges: "the server ignored the requested byte range"
    case .damaged(let what): what
    case .failed(let text, _), .timedOut(let text): text
    case .changed: "it changed meanwhile"
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
