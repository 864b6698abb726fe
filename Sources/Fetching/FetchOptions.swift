public import MP4HLS

/// How resources are fetched.
public struct FetchOptions: Hashable, Sendable {
  /// The program to run: a name that is looked up in `PATH`, or a path.
  public var program = "curl"
  /// The maximum number of consecutive attempts without new bytes.
  public var retries = 4
  /// The delay before the second attempt in milliseconds; it doubles for each further one, up to half a minute.
  public var retryWait = 500
  /// The timeout for connecting, in seconds.
  public var connectTimeout = 15
  /// The timeout without data, in seconds.
  public var stallTimeout = 30
  /// The maximum number of concurrent transfers.
  public var atOnce = 6
  /// Whether a public address may lead to a private one, such as 127.0.0.1 or 10.0.0.1. If not, hosts are looked up by
  /// this process, and connections only go to the checked addresses.
  public var allowsPrivate = false
  /// The origin of the address to fetch, such as the playlist that names it: if that is public, the address must be
  /// too. Without it, only redirects are checked.
  public var start: WebAddress?
  /// Looks up hosts.
  package var resolver = HostResolver.system

  /// The usual options.
  public init() {}
}

/// A request to a server.
struct FetchRequest {
  var address: WebAddress
  /// The requested bytes; an upper bound of `Int.max` means the end.
  var range: Range<Int>?
  /// The validator that the resource must have for a partial response instead of the whole.
  var validator: String?
  /// The validator of the cached version: no bytes are sent if the resource has not changed.
  var known: String?
  /// Whether it may be compressed; then the declared length is not that of its bytes.
  var isCompressed = false
  /// Whether it is decompressed if it is stored compressed.
  var unpacks = false
  /// The address before redirects; without a redirect, the same one.
  var first: WebAddress?

  /// The arguments of the program, which any process on the machine can read.
  func arguments(_ options: FetchOptions) -> [String] {
    [
      // First, so that the user's configuration file has no effect.
      "-q", "--config", "-", "--silent", "--show-error", "--include", "--no-buffer", "--globoff", "--path-as-is",
      "--suppress-connect-headers", "--proto", "=http,https", "--connect-timeout", "\(options.connectTimeout)",
      "--speed-limit", "1", "--speed-time", "\(options.stallTimeout)", "--user-agent", "mp4tool",
    ] + (isCompressed || unpacks ? ["--compressed"] : [])
  }

  /// The program's standard input: the address, which may contain a password or token and must not be read as an
  /// option. `pins` are the addresses of its host.
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
      // A field that was read from a header line contains no line endings.
      if scalar.value >= 0x20 { output.unicodeScalars.append(scalar) }
    }
    return output + "\""
  }
}

extension FetchOptions {
  /// Checks that a request is allowed, and returns the arguments with the addresses of its host.
  func pins(for request: FetchRequest) throws(FetchError) -> [String] {
    if allowsPrivate { return [] }
    return try resolver.pins(for: request.address, from: start ?? request.first ?? request.address)
  }
}
