public import MP4Bytes

/// Information from other boxes of a file that affects how a box is read.
public struct BoxContext: Hashable, Sendable {
  /// The type of the parent box; `FourCC.file` if there is none.
  public var parent: FourCC
  /// The handler type of the track or metadata that contains the box.
  public var handler: FourCC?
  /// The size in bytes of the initialization vector of each sample, from `tenc` or a `seig` group.
  public var perSampleIVSize: UInt8?
  /// Whether item IDs have 32 bits instead of 16, as the version of `iref` declares for its child boxes.
  package var hasWideItemIDs = false
  /// In a track fragment, and for `prft`, the timescale of the track.
  package var timescale: UInt32?
  /// In a track fragment, the decode time of the next sample run, if times are tracked.
  package var decodeTime: UInt64?
  /// In a track fragment, the defaults for samples that its runs do not override.
  package var sampleDefaults = SampleDefaults()

  /// The context of a box inside `parent`.
  public init(parent: FourCC = .file, handler: FourCC? = nil, perSampleIVSize: UInt8? = nil) {
    self.parent = parent
    self.handler = handler
    self.perSampleIVSize = perSampleIVSize
  }
}
extension FourCC {
  /// Stands for the file itself as the parent of a box.
  public static let file: FourCC = "file"
}
