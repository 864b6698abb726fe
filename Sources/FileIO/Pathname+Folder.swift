package import Bytes
import Platform

extension Pathname {
  /// Makes a folder of this name unless there is one.
  package func makeFolderIfMissing() throws(IOError) {
    do throws(Errno) { try makeFolder() } catch {
      if (try? FileStatus(of: self))?.kind != .directory { throw IOError(.create, file: description, error) }
    }
  }

  /// Whether the file of this name, links followed, is in `folder` or below it; `false` when one of them is not there.
  package func isBelow(_ folder: Pathname) -> Bool {
    guard let own = resolved, let folder = folder.resolved else { return false }
    let start = folder.bytes + (folder.endsInSlash ? [] : [UInt8(ascii: "/")])
    return own.bytes.starts(with: start)
  }
}
