import ISOBMFF
public import MP4Bytes

/// A mistake in a text with box definitions, with its position.
public struct DefinitionError: Error, Hashable, Sendable {
  /// The kinds of mistakes.
  public enum Problem: Hashable, Sendable {
    /// Something else is required here.
    case expected(String)
    /// A name that is neither an earlier field nor a list of the text.
    case unknownName(String)
    /// A name in an expression whose field is not a number.
    case notANumber(String)
    /// A list, a number in a list, a field or a box that is already defined.
    case repeatedName(String)
    /// A box that is already known in one of these containers; `replace` before the line redefines it.
    case known(FourCC)
    /// A box that cannot be redefined, because this library finds other boxes in it.
    case isRead(FourCC)
    /// A line with too much indentation, or with less than the lines of its block.
    case indentation
    /// A tab at the start of a line.
    case tab
    /// A field after one that takes all remaining bytes.
    case afterRest(String)
    /// Boxes that are not after all other fields.
    case boxesInside
    /// A box without fields that is not declared to have none.
    case noFields
    /// A version or flags in an expression of a box that has none.
    case notFullBox
    /// Blocks or parentheses that are nested more deeply than any box needs.
    case tooDeep
    /// More operators in an expression, or more alternative conditions, than any box needs.
    case tooLong
  }
  /// The mistake.
  public var problem: Problem
  /// The line, counted from 1.
  public var line: Int
  /// The position in the line in bytes, counted from 1.
  public var column: Int
}

extension DefinitionError: CustomStringConvertible {
  /// Such as `line 3, column 9: expected a type such as uint(32)`.
  public var description: String { "line \(line), column \(column): \(reason)" }

  /// The mistake without its position.
  public var reason: String {
    switch problem {
    case .expected(let what): "expected \(what)"
    case .unknownName(let name): "'\(name)' is not defined before this line"
    case .notANumber(let name): "'\(name)' is not a number"
    case .repeatedName(let name): "'\(name)' is defined already"
    case .known(let type): "'\(type)' is already defined; start the line with `replace` to redefine it"
    case .isRead(let type): "'\(type)' cannot be redefined, because the boxes in it are needed to read files"
    case .indentation: "the indentation does not match the preceding lines"
    case .tab: "a tab; indent with spaces"
    case .afterRest(let name): "no field can follow '\(name)', which extends to the end of the box"
    case .boxesInside: "`boxes` cannot be part of a condition or a table"
    case .noFields: "the box has no fields; add `boxes` (only child boxes) or `bytes` (opaque content) below it"
    case .notFullBox: "the box has no version and flags; declare them with `version 0` as its first line"
    case .tooDeep: "more than \(LineScanner.depthLimit) nested blocks or parentheses"
    case .tooLong: "more than \(LineScanner.operatorLimit) consecutive operators or conditions"
    }
  }
}
