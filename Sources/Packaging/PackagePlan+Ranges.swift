public import Bytes
import ISOBMFF
public import MP4

extension PackagePlan {
  /// Writes the byte range `range` of the output of `write`, for servers.
  public func write(_ range: Range<Int>, of file: File, to sink: any ByteSink) throws(MovieError) {
    switch file.content {
    case .all(let rendition): try renditions[rendition].fragments.write(range, to: sink)
    case .keyFrames(let rendition): try renditions[rendition].keyFrames?.write(range, to: sink)
    case .bytes, .initialization, .segment:
      try write(file, to: range == 0..<file.byteCount ? sink : RangeSink(sink, range))
    }
  }
}
