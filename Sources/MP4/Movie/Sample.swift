public import Bytes
import ISOBMFF

/// One sample of a track: when it is decoded and presented, and where its bytes are.
public struct Sample: Sendable {
  /// Its number in the track, counted from 0.
  public let index: Int
  let storage: Samples.Storage
  /// When it is decoded, counted from the first sample.
  private let time: Int64
  /// Where its bytes start in `source`.
  public let offset: Int

  /// The sample after a cursor, which is not at the end.
  init(at cursor: SampleCursor, offset: Int, of storage: Samples.Storage) {
    (index, time) = (cursor.sample, cursor.time)
    (self.offset, self.storage) = (offset, storage)
  }

  /// When it is decoded, as tables and fragments declare it: that of the first sample is not always 0.
  public var decodeTime: MediaTime { MediaTime(storage.start &+ time, storage.timescale) }
  /// How much later it is composed than decoded; below 0 where the file has such offsets.
  public var compositionOffset: MediaTime {
    MediaTime(storage.list.compositionOffset(index), storage.timescale)
  }
  /// When it is composed, which is when it is presented unless the file has an edit list.
  public var compositionTime: MediaTime { MediaTime(composition, storage.timescale) }
  private var composition: Int64 { storage.start &+ time &+ storage.list.compositionOffset(index) }
  /// How long it lasts: until the next one is decoded, where there is a gap before that.
  public var duration: MediaTime { MediaTime(storage.list.duration(index), storage.timescale) }

  /// When it is presented first, by the edit list of the file; `nil` where no edit shows it.
  public var presentationTime: MediaTime? {
    storage.presentation.firstPresentation(of: composition, lasting: storage.list.duration(index))?.lowerBound
  }
  /// When it is presented, by the edit list of the file: once for each edit that shows it, or a part of it.
  public var presentations: [Range<MediaTime>] {
    storage.presentation.presentations(of: composition, lasting: storage.list.duration(index))
  }

  /// The number of its bytes.
  public var size: Int { storage.list.size(index) }
  /// The source that its bytes are in.
  public var source: any ByteSource { storage.sources[storage.list.source(of: index)] }

  /// Whether decoding can start with it.
  public var isSync: Bool { storage.list.isSync(index) }
  /// The 32 bits that fragments say of a sample, or what tables say as such bits.
  public var flags: SampleFlags { storage.list.flags(index) }
  /// What the file says of samples that it needs, and that need it.
  public var dependencies: Dependencies { Dependencies(flags.dependency) }
  /// Which sample description holds for it, counted from 1.
  public var descriptionIndex: Int { Int(storage.list.descriptionIndex(of: index)) }
}

extension Sample {
  /// What `sdtp` and the flags of fragments say: ISO/IEC 14496-12:2022, 8.6.4.
  public struct Dependencies: Hashable, Sendable {
    /// Whether a sample is presented before the sync sample that it follows.
    public enum Leading: UInt8, Sendable {
      /// Not known.
      case unknown
      /// It is, and cannot be decoded where decoding starts with that sync sample.
      case undecodable
      /// It is not.
      case no
      /// It is, and can be decoded.
      case decodable
    }
    /// Whether it leads a sync sample.
    public let leading: Leading
    /// Whether it needs other samples; `nil` where that is not known.
    public let dependsOnOthers: Bool?
    /// Whether other samples need it; `nil` where that is not known.
    public let isDependedOn: Bool?
    /// Whether parts of it are coded more than once; `nil` where that is not known.
    public let hasRedundancy: Bool?

    init(_ bits: UInt8) {
      func isSo(_ shift: UInt8) -> Bool? { [1: true, 2: false][bits >> shift & 3] }
      leading = Leading(rawValue: bits >> 6) ?? .unknown
      (dependsOnOthers, isDependedOn, hasRedundancy) = (isSo(4), isSo(2), isSo(0))
    }
  }

  /// Its bytes; memory is taken for no more than the source has.
  ///
  /// - Throws: `MovieError.io`, also where the source ends before the sample does.
  public func bytes() throws(MovieError) -> [UInt8] {
    let bytes = try self.bytes(size)
    guard bytes.count == size else {
      throw .io(IOError(endOf: source, at: offset + bytes.count, copying: offset..<(offset + size)))
    }
    return bytes
  }

  /// The first `count` of its bytes, 0 or more, and fewer where it or the source ends before; no others are read.
  public func bytes(_ count: Int) throws(MovieError) -> [UInt8] {
    precondition(count >= 0, "a sample has no \(count) bytes")
    var window = ByteWindow(source, readAhead: 0)
    do throws(IOError) { return Array(try window.slice(at: offset, count: min(size, count))) } catch {
      throw .io(error)
    }
  }

  /// A group that a sample is in: ISO/IEC 14496-12:2022, 8.9.
  public struct Group: Hashable, Sendable {
    /// The kind of grouping, such as `roll` or `seig`.
    public let type: FourCC
    /// The parameter of the grouping, where it has one.
    public let parameter: UInt32?
    /// Which of the descriptions of this type in the whole movie is that of the group, counted from 1.
    public let descriptionIndex: Int
    /// The description.
    public let description: [UInt8]
  }

  /// The groups that it is in.
  public func groups() throws(MovieError) -> [Group] { storage.details.groups(of: index) }
}
