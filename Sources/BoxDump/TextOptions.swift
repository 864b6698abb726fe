import ISOBMFF
import MP4Bytes

/// How boxes are shown as text.
public struct TextOptions: Sendable {
  /// Which names fields are shown under.
  public enum Names: Sendable {
    /// mp4dump's labels, and the standard's names for fields that mp4dump does not know.
    case mp4dump
    /// The standard's names everywhere.
    case standard
  }
  /// As in mp4dump, from 0 to 2; 3 shows everything.
  public var verbosity = 0
  /// Which names fields are shown under.
  public var names = Names.mp4dump
  /// Whether the header line of each box shows its offset, as at verbosity 3.
  public var showsOffsets = false
  /// Whether times in seconds are also shown below verbosity 3.
  public var showsTimes = false
  /// Whether names and damage are coloured with terminal escape sequences.
  public var isColoured = false

  /// The options for mp4dump's output at this verbosity.
  public init(verbosity: Int = 0) { self.verbosity = verbosity }
}

/// Terminal colors.
extension TextPrinter {
  /// What is coloured.
  enum Colour { case none, box, field, damage }

  /// Sets the color of the output that follows.
  @inline(__always) mutating func colour(_ colour: Colour) { if options.isColoured { write(colour) } }

  private mutating func write(_ colour: Colour) {
    switch colour {
    case .none: out.literal("\u{1b}[0m")
    case .box: out.literal("\u{1b}[1;36m")
    case .field: out.literal("\u{1b}[36m")
    case .damage: out.literal("\u{1b}[1;31m")
    }
  }
}

extension DumpLabels {
  /// The same lines under the standard's names, limited to fields and tables of the file.
  var withStandardNames: DumpLabels {
    let named = lines.compactMap { line -> Line? in
      switch line {
      case .field(let name, _, _, let verbosity): .field(name: name, label: name, .plain, verbosity: verbosity)
      case .derived: nil
      case .table(let name, _, _, let verbosity, _): .table(name, name, .numbered(), from: verbosity)
      }
    }
    return DumpLabels(isFull: isFull, lines: named)
  }
}
