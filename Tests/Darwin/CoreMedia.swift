// The declarations of CoreMedia that MP4ToolkitFoundation uses, written after Apple's documentation. Classes are not
// Sendable, because not all versions of the system's interface declare that.

@_exported public import Foundation

// MARK: Times

public typealias CMTimeValue = Int64
public typealias CMTimeScale = Int32
public typealias CMTimeEpoch = Int64

public struct CMTimeFlags: OptionSet, Sendable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { fatalError() }
  public static var valid: CMTimeFlags { fatalError() }
  public static var hasBeenRounded: CMTimeFlags { fatalError() }
}

public struct CMTime: Sendable {
  public var value: CMTimeValue
  public var timescale: CMTimeScale
  public var flags: CMTimeFlags
  public var epoch: CMTimeEpoch
  public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) { fatalError() }
  public var isNumeric: Bool { fatalError() }
}

public struct CMTimeRange: Sendable {
  public var start: CMTime
  public var duration: CMTime
  public init(start: CMTime, duration: CMTime) { fatalError() }
}

public struct CMSampleTimingInfo: Sendable {
  public var duration: CMTime
  public var presentationTimeStamp: CMTime
  public var decodeTimeStamp: CMTime
  public init(duration: CMTime, presentationTimeStamp: CMTime, decodeTimeStamp: CMTime) { fatalError() }
}

// MARK: Format descriptions

public typealias CMVideoFormatDescription = CMFormatDescription
public typealias CMAudioFormatDescription = CMFormatDescription

public final class CMFormatDescription {
  public struct MediaType: RawRepresentable, Hashable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { fatalError() }
    public static var video: MediaType { fatalError() }
    public static var audio: MediaType { fatalError() }
  }
  public var mediaType: MediaType { fatalError() }
  init() { fatalError() }
}

public struct CMImageDescriptionFlavor: Hashable, Sendable {
  public static var isoFamily: CMImageDescriptionFlavor { fatalError() }
}

public struct CMSoundDescriptionFlavor: Hashable, Sendable {
  public static var isoFamily: CMSoundDescriptionFlavor { fatalError() }
}

public func CMVideoFormatDescriptionCreateFromBigEndianImageDescriptionData(
  allocator: CFAllocator?, bigEndianImageDescriptionData imageDescriptionData: UnsafePointer<UInt8>, size: Int,
  stringEncoding: CFStringEncoding, flavor: CMImageDescriptionFlavor?,
  formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus { fatalError() }

public func CMVideoFormatDescriptionCopyAsBigEndianImageDescriptionBlockBuffer(
  allocator: CFAllocator?, videoFormatDescription: CMVideoFormatDescription, stringEncoding: CFStringEncoding,
  flavor: CMImageDescriptionFlavor?, blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus { fatalError() }

public func CMAudioFormatDescriptionCreateFromBigEndianSoundDescriptionData(
  allocator: CFAllocator?, bigEndianSoundDescriptionData soundDescriptionData: UnsafePointer<UInt8>, size: Int,
  flavor: CMSoundDescriptionFlavor?, formatDescriptionOut: UnsafeMutablePointer<CMAudioFormatDescription?>
) -> OSStatus { fatalError() }

public func CMAudioFormatDescriptionCopyAsBigEndianSoundDescriptionBlockBuffer(
  allocator: CFAllocator?, audioFormatDescription: CMAudioFormatDescription, flavor: CMSoundDescriptionFlavor?,
  blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus { fatalError() }

// MARK: Buffers

public typealias CMItemCount = Int
public typealias CMItemIndex = Int

public protocol CMBlockBufferProtocol {}

extension CMBlockBufferProtocol {
  public func dataBytes() throws -> Data { fatalError() }
  public func replaceDataBytes(with sourceBytes: UnsafeRawBufferPointer) throws { fatalError() }
}

public final class CMBlockBuffer: CMBlockBufferProtocol {
  public struct Flags: OptionSet {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { fatalError() }
    public static var assureMemoryNow: Flags { fatalError() }
  }
  public init(capacity: Int = 0, flags: CMBlockBuffer.Flags = []) throws { fatalError() }
  public init(
    length: Int, allocator: CFAllocator? = nil, range: Range<Int>? = nil, flags: CMBlockBuffer.Flags = []
  ) throws { fatalError() }
}

public final class CMSampleBuffer {
  public struct PerSampleAttachmentsDictionary: Sequence {
    public struct Key: Hashable {
      public static var notSync: Key { fatalError() }
      public static var hasRedundantCoding: Key { fatalError() }
      public static var isDependedOnByOthers: Key { fatalError() }
      public static var dependsOnOthers: Key { fatalError() }
      public static var doNotDisplay: Key { fatalError() }
    }
    public subscript(key: Key) -> Any? {
      get { fatalError() }
      set { fatalError() }
    }
    public func makeIterator() -> AnyIterator<(key: Key, value: Any)> { fatalError() }
  }
  public struct SampleAttachmentsArray: MutableCollection {
    public var startIndex: Int { fatalError() }
    public var endIndex: Int { fatalError() }
    public func index(after index: Int) -> Int { fatalError() }
    public subscript(index: Int) -> PerSampleAttachmentsDictionary {
      get { fatalError() }
      set { fatalError() }
    }
  }

  public init(
    dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?, numSamples: CMItemCount,
    sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int]
  ) throws { fatalError() }
  public var dataBuffer: CMBlockBuffer? { fatalError() }
  public var numSamples: Int { fatalError() }
  public func sampleSize(at sampleIndex: Int) -> Int { fatalError() }
  public func sampleTimingInfo(at sampleIndex: CMItemIndex) throws -> CMSampleTimingInfo { fatalError() }
  public var outputPresentationTimeStamp: CMTime { fatalError() }
  public var sampleAttachments: SampleAttachmentsArray {
    get { fatalError() }
    set { fatalError() }
  }
}
