import Bytes
import Fetching
import HLS
import ISOBMFF

/// An input that lies on a server and is no playlist: what is read of it is fetched, and the whole into a temporary file
/// where the server gives no parts.
struct RemoteFile {
  /// What manual pages say.
  static let description =
    "An input can be an http or https URL, which is fetched by the program `curl`. Of an MP4 file only the byte ranges are "
    + "fetched that are read, each on the condition (If-Range) that the file is still the same: a file that changes "
    + "meanwhile is an error (74). From a server that gives no ranges the whole file is fetched, to a temporary file in "
    + "`TMPDIR`. The variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` work as in `curl`."

  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func open(_ operand: Argument) throws -> any ByteSource {
    guard let address = WebAddress(operand.text) else { throw UsageError("'\(operand.text)' is no URL with a host") }
    context.progress.begin("fetching", total: nil)
    defer { context.progress.end() }
    return try RangeSource.open(address, context.fetching) { received, expected in
      context.progress.update(to: received, of: expected ?? 0)
      return true
    }
  }
}
