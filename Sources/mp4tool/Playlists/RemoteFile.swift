import Fetching
import ISOBMFF

/// An input that lies on a server and is no playlist: it is fetched whole into a temporary file.
struct RemoteFile {
  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func open(_ operand: Argument) throws -> any ByteSource {
    guard let address = WebAddress(operand.text) else { throw UsageError("'\(operand.text)' is no URL with a host") }
    let target = ScratchTarget(ScratchSpace(), name: address.description)
    let download = Download(address, to: target)
    let downloads = Downloads(context.fetching)
    downloads.add(download)
    context.progress.begin("fetching", total: nil)
    defer { context.progress.end() }
    while !downloads.isEmpty {
      _ = downloads.wait(milliseconds: 200)
      context.progress.update(to: download.received, of: download.expected ?? 0)
    }
    if case .failure(let error) = download.result { throw error }
    guard let source = target.source else { throw FetchError(.stopped, address) }
    return source
  }
}
