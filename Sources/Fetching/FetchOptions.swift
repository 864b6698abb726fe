public import HLS

/// How something is fetched.
public struct FetchOptions: Hashable, Sendable {
  /// The program that fetches, a name that is looked up in `PATH` or a path.
  public var program = "curl"
  /// How many times in a row an attempt can fail that brought no bytes.
  public var retries = 4
  /// Milliseconds before the second attempt; each further one waits twice as long, up to half a minute.
  public var retryWait = 500
  /// Seconds that connecting can take.
  public var connectTimeout = 15
  /// Seconds without a byte after which an attempt has failed.
  public var stallTimeout = 30
  /// How many are fetched at the same time.
  public var atOnce = 6
  /// Whether what is at a public address may lead to a private one, such as 127.0.0.1 or 10.0.0.1. Without it, hosts are
  /// looked up here, and connections go to the addresses that were checked.
  public var allowsPrivate = false
  /// Where the address is from that is fetched, such as the playlist that names it: when that is public, it has to be too.
  /// Without it, only redirections are checked.
  public var start: WebAddress?
  /// Looks up hosts.
  package var resolver = HostResolver.system

  /// What most want.
  public init() {}
}

/// What is asked of a server.
struct FetchRequest {
  var address: WebAddress
  /// The bytes to ask for; an upper bound of `Int.max` stands for the end.
  var range: Range<Int>?
  /// What the resource must still be for a part to be given instead of the whole.
  var validator: String?
  /// The validator of what is known: nothing is sent of a resource that is still that.
  var known: String?
  /// Whether it may come compressed; then the length that is said is not that of its bytes.
  var isCompressed = false
  /// Whether it is unpacked where it comes compressed all the same, as it is stored.
  var unpacks = false
  /// What was asked for at first, before redirections; the same address without one.
  var first: WebAddress?

  /// What the program gets as arguments, which any process on the machine can read.
  func arguments(_ options: FetchOptions) -> [String] {
    [
      // First, and so that no configuration of the user changes what comes.
      "-q", "--config", "-", "--silent", "--show-error", "--include", "--no-buffer", "--globoff", "--path-as-is",
      "--suppress-connect-headers", "--proto", "=http,https", "--connect-timeout", "\(options.connectTimeout)",
      "--speed-limit", "1", "--speed-time", "\(options.stallTimeout)", "--user-agent", "mp4tool",
    ] + (isCompressed || unpacks ? ["--compressed"] : [])
  }

  /// What it reads from standard input: the address, which may hold a password or a token and can be no option here.
  /// `pins` are the addresses of its host.
  func configuration(_ pins: [String]) -> [UInt8] {
    var lines = ["url = \(FetchRequest.quoted(address.text))"]
    lines += pins.map { "resolve = \(FetchRequest.quoted($0))" }
    if unpacks, !isCompressed { lines.append("header = \"Accept-Encoding: identity\"") }
    if let range, !range.isEmpty {
      lines.append("range = \"\(range.lowerBound)-\(range.upperBound == .max ? "" : "\(range.upperBound - 1)")\"")
      if let validator { lines.append("header = \(FetchRequest.quoted("If-Range: \(validator)"))") }
    }
    if let known {
      let field = known.utf8.first == UInt8(ascii: "\"") ? "If-None-Match" : "If-Modified-Since"
      lines.append("header = \(FetchRequest.quoted("\(field): \(known)"))")
    }
    return lines.flatMap { Array($0.utf8) + [0x0A] }
  }

  private static func quoted(_ text: String) -> String {
    var output = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { output += "\\" }
      // A field that was read from a line holds no line ends.
      if scalar.value >= 0x20 { output.unicodeScalars.append(scalar) }
    }
    return output + "\""
  }
}

extension FetchOptions {
  /// Checks that a request may be sent, and returns what the program is given of the addresses of its host.
  func pins(for request: FetchRequest) throws(FetchError) -> [String] {
    if allowsPrivate { return [] }
    return try resolver.pins(for: request.address, from: start ?? request.first ?? request.address)
  }
}
