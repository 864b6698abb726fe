package import MP4Bytes
import MP4Platform

extension Pathname {
  /// Creates a folder with this name unless it exists.
  package func makeFolderIfMissing() throws(IOError) {
    do throws(Errno) { try makeFolder() } catch {
      if (try? FileStatus(of: self))?.kind != .directory { throw IOError(.create, file: description, error) }
    }
  }

  /// Whether the file with this name, following links, is in or below `folder`; `false` if one of them does not exist.
  package func isBelow(_ folder: Pathname) -> Bool {
    guard let own = resolved, let folder = folder.resolved else { return false }
    let start = folder.bytes + (folder.endsInSlash ? [] : [UInt8(ascii: "/")])
    return own.bytes.starts(with: start)
  }
}
