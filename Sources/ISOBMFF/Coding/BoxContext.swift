public import Bytes

/// What other boxes of a file say about how a box is to be read.
public struct BoxContext: Hashable, Sendable {
  /// The type of the box around it; `FourCC.file` where there is none.
  public var parent: FourCC
  /// The handler type of the track or of the metadata that the box belongs to.
  public var handler: FourCC?
  /// The size in bytes of the initialization vector of each sample, as `tenc` or a `seig` group has it.
  public var perSampleIVSize: UInt8?
  /// Whether the numbers of items have 32 bits and not 16, as the version of `iref` says of the boxes in it.
  package var hasWideItemIDs = false
  /// Inside a track fragment, and of `prft`, the units of time a second that the track counts in.
  package var timescale: UInt32?
  /// Inside a track fragment, the decode time of the next run of samples, where times are followed.
  package var decodeTime: UInt64?
  /// Inside a track fragment, what holds for samples of which its runs say nothing.
  package var sampleDefaults = SampleDefaults()

  /// The context of a box inside `parent`.
  public init(parent: FourCC = .file, handler: FourCC? = nil, perSampleIVSize: UInt8? = nil) {
    self.parent = parent
    self.handler = handler
    self.perSampleIVSize = perSampleIVSize
  }
}
extension FourCC {
  /// Stands for the file itself where the parent of a box is named.
  public static let file: FourCC = "file"
}
