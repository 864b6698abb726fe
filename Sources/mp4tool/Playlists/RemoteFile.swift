import ISOBMFF
import MP4Bytes
import MP4Fetching
import MP4HLS

/// A remote input that is not a playlist. Only the ranges that are read are fetched; if the server does not support
/// ranges, the whole file is fetched into a temporary one.
struct RemoteFile {
  /// The paragraph of man pages.
  static let description =
    "An input can be an http or https URL, which is fetched with `curl`. Only the required byte ranges of an MP4 file "
    + "are fetched, with conditional requests (If-Range): if the file changes on the server while it is being read, "
    + "the command fails with exit status 74. If a server does not support ranges, the whole file is fetched to a "
    + "temporary file in `TMPDIR`. The variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` work as in "
    + "`curl`."

  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func open(_ operand: Argument) throws -> any ByteSource {
    guard let address = WebAddress(operand.text) else { throw UsageError("'\(operand.text)' is not a URL with a host") }
    context.progress.begin("fetching", total: nil)
    defer { context.progress.end() }
    return try RangeSource.open(address, context.fetching) { received, expected in
      context.progress.update(to: received, of: expected ?? 0)
      return true
    }
  }
}
