public import Bytes
import ISOBMFF

/// What is wrong in a text with definitions of boxes, and where.
public struct DefinitionError: Error, Hashable, Sendable {
  /// The kinds of mistakes.
  public enum Problem: Hashable, Sendable {
    /// Something else has to be here.
    case expected(String)
    /// A name that no field before it and no list of the text has.
    case unknownName(String)
    /// A name in an expression that a field has which is not a number.
    case notANumber(String)
    /// A list, a number in a list, a field or a box that is defined before it.
    case repeatedName(String)
    /// A box that is known already in one of these places; `replace` before the line would redefine it.
    case known(FourCC)
    /// A line that starts too far to the right, or not as far as those it belongs to.
    case indentation
    /// A tab at the start of a line.
    case tab
    /// A field after one that takes all bytes that are left.
    case afterRest(String)
    /// Boxes that are not after all other fields.
    case boxesInside
    /// A box without fields, where it is not said that it is one.
    case noFields
    /// A version or flags in an expression, where the box has none.
    case notFullBox
    /// Blocks or parentheses inside each other deeper than any box needs.
    case tooDeep
    /// More operators in an expression, or more conditions that exclude each other, than any box needs.
    case tooLong
  }
  /// What is wrong.
  public var problem: Problem
  /// The line, counted from 1.
  public var line: Int
  /// The place in the line in bytes, counted from 1.
  public var column: Int
}

extension DefinitionError: CustomStringConvertible {
  /// Such as `line 3, column 9: expected a type such as uint(32)`.
  public var description: String { "line \(line), column \(column): \(reason)" }

  /// The problem without its place.
  public var reason: String {
    switch problem {
    case .expected(let what): "expected \(what)"
    case .unknownName(let name): "there is no '\(name)' before this line"
    case .notANumber(let name): "'\(name)' is not a number"
    case .repeatedName(let name): "'\(name)' is defined already"
    case .known(let type): "'\(type)' is known already; `replace` before this line redefines it"
    case .indentation: "the line is not indented like those that it belongs to"
    case .tab: "a tab; indent with spaces"
    case .afterRest(let name): "no field can follow '\(name)', which takes all bytes that are left"
    case .boxesInside: "`boxes` cannot be part of a condition or a table"
    case .noFields: "the box has no fields; write `boxes` or `bytes` below it if it has only boxes, or opaque bytes"
    case .notFullBox: "the box has no version and flags; `version 0` as its first line would declare them"
    case .tooDeep: "more than \(LineScanner.depthLimit) blocks or parentheses inside each other"
    case .tooLong: "more than \(LineScanner.operatorLimit) operators or conditions in a row"
    }
  }
}
