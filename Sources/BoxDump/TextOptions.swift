import Bytes
import ISOBMFF

/// How boxes are shown as text.
public struct TextOptions: Sendable {
  /// By which names fields are shown.
  public enum Names: Sendable {
    /// The labels of mp4dump, and the standard's names for what it does not know.
    case mp4dump
    /// The standard's names throughout.
    case standard
  }
  /// As mp4dump has it, from 0 to 2; 3 is everything.
  public var verbosity = 0
  /// By which names fields are shown.
  public var names = Names.mp4dump
  /// Whether the header line of each box says where the box is, as it does at verbosity 3.
  public var showsOffsets = false
  /// Whether times in seconds are shown below verbosity 3 too.
  public var showsTimes = false
  /// Whether names and damage are coloured by the escape sequences of terminals.
  public var isColoured = false

  /// What `mp4dump` prints at this verbosity.
  public init(verbosity: Int = 0) { self.verbosity = verbosity }
}

/// Colours of terminals.
extension TextPrinter {
  /// What is coloured.
  enum Colour { case none, box, field, damage }

  /// What follows is coloured.
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
  /// The same lines as far as they are fields and tables of the file, by the standard's names.
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
