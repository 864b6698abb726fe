import MP4Bytes

/// Writes lines with right-aligned columns.
struct TextTable: ~Copyable {
  private var out: TextBuffer
  private var widths: [Int] = []
  private var column = 0

  init(to sink: any ByteSink) { out = TextBuffer(sink) }

  /// Writes the column titles. Each column is as wide as its title or its width.
  mutating func begin(_ columns: [(title: String, width: Int)]) {
    widths = columns.map { max($0.title.utf8.count, $0.width) }
    for column in columns { cell(column.title) }
    endLine()
  }
  /// Writes the next cell of a line.
  mutating func cell(_ text: String) {
    pad(text.utf8.count)
    out.text(text)
  }
  mutating func cell(_ number: Int) {
    pad(TextBuffer.digitCount(UInt64(number.magnitude)) + (number < 0 ? 1 : 0))
    out.signed(Int64(number))
  }
  private mutating func pad(_ count: Int) {
    if column > 0 { out.spaces(2) }
    if column < widths.count { out.spaces(widths[column] - count) }
    column += 1
  }
  /// Ends a line.
  mutating func endLine() {
    out.endLine()
    column = 0
  }
  /// Writes a line without columns.
  mutating func line(_ text: String) {
    out.text(text)
    endLine()
  }
  /// Ends the table.
  consuming func finish() throws(IOError) {
    out.drain()
    if let failure = out.failure { throw failure }
  }
}
