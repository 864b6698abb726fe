public import MP4Bytes
public import MP4FileIO

/// The bytes of a file, with the size it had when it was opened.
public struct FileContent: Server.Content {
  private let file: FileSource

  /// The bytes of `file`.
  public init(_ file: FileSource) { self.file = file }

  /// The number of bytes.
  public var byteCount: Int { file.size }

  /// Lets `sink` copy a part of the file.
  public func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) { try sink.copy(range, of: file) }
}

extension Server.Resource {
  /// A file with a media type, by default that of its name.
  public init(_ file: FileSource, mediaType: String? = nil) {
    self.init(
      FileContent(file), mediaType: mediaType ?? MediaType.named(Array(file.name.utf8)),
      entityTag: file.stamp.entityTag,
      modified: file.stamp.modified / 1_000_000_000)
  }
}

extension FileStamp {
  /// An entity tag that changes when the file is written to, or is replaced.
  public var entityTag: String {
    String(UInt64(bitPattern: Int64(modified)), radix: 36) + "-" + String(UInt64(size), radix: 36) + "-"
      + String(identity.inode, radix: 36)
  }
}
