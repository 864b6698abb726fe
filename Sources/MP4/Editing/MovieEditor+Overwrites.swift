import MP4Bytes

extension MovieEditor {
  /// Bytes of the source that are overwritten with one repeated byte or with others.
  struct Overwrite: Sendable {
    var range: Range<Int>
    var byte: UInt8 = 0
    /// The other bytes, as many as are overwritten.
    var bytes: [UInt8]?
    /// Whether they become unused when the other ranges are overwritten.
    var isHidden = false
    /// Whether they are in a sample, which can be read before and after.
    var isInSample = false

    var content: [UInt8] { bytes ?? [UInt8](repeating: byte, count: range.count) }

    /// The parts of earlier overwrites that later ones leave; both are sorted.
    static func parts(of earlier: [Self], besides later: [Self]) -> [Self] {
      var (parts, index) = ([Self](), 0)
      for overwrite in earlier {
        while index < later.count, later[index].range.upperBound <= overwrite.range.lowerBound { index += 1 }
        var start = overwrite.range.lowerBound
        for other in later[index...] where start < overwrite.range.upperBound {
          if other.range.lowerBound >= overwrite.range.upperBound { break }
          if other.range.lowerBound > start { parts.append(overwrite.part(start..<other.range.lowerBound)) }
          start = max(start, other.range.upperBound)
        }
        if start < overwrite.range.upperBound { parts.append(overwrite.part(start..<overwrite.range.upperBound)) }
      }
      return parts
    }

    /// A part of it, given as a range of the source.
    private func part(_ range: Range<Int>) -> Self {
      var part = self
      part.range = range
      let start = self.range.lowerBound
      part.bytes = bytes.map { Array($0[range.lowerBound - start..<range.upperBound - start]) }
      return part
    }
  }

  /// An editor of the source with overwritten bytes.
  func overwriting(_ list: [Overwrite]) throws(MovieError) -> MovieEditor {
    guard !list.isEmpty else { return self }
    guard let size = original.byteCount else { throw .impossible(file: source.name, .unknownSize) }
    var editor = self
    let list = list.sorted { $0.range.lowerBound < $1.range.lowerBound }
    editor.overwrites = (Overwrite.parts(of: overwrites, besides: list) + list).sorted {
      $0.range.lowerBound < $1.range.lowerBound
    }
    let sink = PlannedSink(name: source.name)
    var end = 0
    do throws(IOError) {
      for overwrite in editor.overwrites where overwrite.range.upperBound > end {
        let start = max(end, overwrite.range.lowerBound)
        try sink.copy(end..<start, of: original)
        try sink.write(Array(overwrite.content.suffix(overwrite.range.upperBound - start)))
        end = overwrite.range.upperBound
      }
      try sink.copy(end..<max(end, size), of: original)
    } catch { throw .io(error) }
    editor.source = PlannedSource(sink.file, name: source.name)
    return editor
  }
}

extension MovieEditor.Overwrite {
  /// Differences with fewer equal bytes between them are written at once.
  private static let gap = 64

  /// The ranges in which the bytes of a sample differ.
  static func differences(_ before: [UInt8], _ after: [UInt8], at offset: Int) -> [Self] {
    var ranges: [Range<Int>] = []
    for index in after.indices where before[index] != after[index] {
      if let last = ranges.indices.last, index - ranges[last].upperBound < gap {
        ranges[last] = ranges[last].lowerBound..<index + 1
      } else {
        ranges.append(index..<index + 1)
      }
    }
    return ranges.map { range in
      Self(range: offset + range.lowerBound..<offset + range.upperBound, bytes: Array(after[range]), isInSample: true)
    }
  }
}
