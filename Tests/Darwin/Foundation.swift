// The declarations of Foundation, and of what it exports, that MP4ToolkitFoundation uses, written after Apple's
// documentation.

public typealias OSStatus = Int32

public final class CFAllocator {
  init() { fatalError() }
}
public typealias CFStringEncoding = UInt32
public func CFStringGetSystemEncoding() -> CFStringEncoding { fatalError() }

public protocol NSObjectProtocol: AnyObject {}
open class NSObject: NSObjectProtocol {
  public init() {}
}

public struct URL: Hashable, Sendable {
  public var isFileURL: Bool { fatalError() }
  public var absoluteString: String { fatalError() }
  public func withUnsafeFileSystemRepresentation<Result>(
    _ body: (UnsafePointer<Int8>?) throws -> Result
  ) rethrows -> Result { fatalError() }
}

public struct Data: RandomAccessCollection, Hashable, Sendable {
  public init<Elements: Sequence>(_ elements: Elements) where Elements.Element == UInt8 { fatalError() }
  public var startIndex: Int { fatalError() }
  public var endIndex: Int { fatalError() }
  public subscript(index: Int) -> UInt8 { fatalError() }
  public func copyBytes<Range: RangeExpression>(to buffer: UnsafeMutableRawBufferPointer, from range: Range) -> Int
  where Range.Bound == Int { fatalError() }
}

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
  var failureReason: String? { get }
  var recoverySuggestion: String? { get }
  var helpAnchor: String? { get }
}

extension LocalizedError {
  public var errorDescription: String? { fatalError() }
  public var failureReason: String? { fatalError() }
  public var recoverySuggestion: String? { fatalError() }
  public var helpAnchor: String? { fatalError() }
}
