#if canImport(CoreMedia)
  public import CoreMedia
  import Foundation
  public import MP4Toolkit

  // CoreMedia reads and writes sample entries. So every codec that it knows is converted without a case of its own.

  extension Track {
    /// A format description for each sample description, in order: `descriptions[sample.descriptionIndex - 1]`.
    ///
    /// - Throws: `CoreMediaError` if it has neither video nor audio, if it is encrypted, or if CoreMedia does not know
    ///   the codec; `MovieWriterError` or `MovieError` if the sample descriptions cannot be read.
    public func formatDescriptions() async throws -> [CMFormatDescription] {
      if let protectionScheme {
        throw CoreMediaError("track \(id) is encrypted (\(protectionScheme)); decrypt the file first")
      }
      let (entries, isQuickTime) = try await MediaThread.run { (try sampleEntries(), try hasQuickTimeHandler()) }
      return try entries.map { try description(of: $0, isQuickTime: isQuickTime) }
    }

    private func description(of entry: [UInt8], isQuickTime: Bool) throws -> CMFormatDescription {
      var description: CMFormatDescription?
      let status: OSStatus
      // Without a flavor, the entry is one of QuickTime.
      if isVideo {
        status = unsafe CMVideoFormatDescriptionCreateFromBigEndianImageDescriptionData(
          allocator: nil, bigEndianImageDescriptionData: entry, size: entry.count,
          stringEncoding: CFStringGetSystemEncoding(), flavor: isQuickTime ? nil : .isoFamily,
          formatDescriptionOut: &description)
      } else if isAudio {
        status = unsafe CMAudioFormatDescriptionCreateFromBigEndianSoundDescriptionData(
          allocator: nil, bigEndianSoundDescriptionData: entry, size: entry.count,
          flavor: isQuickTime ? nil : .isoFamily, formatDescriptionOut: &description)
      } else {
        throw CoreMediaError("track \(id) has neither video nor audio (\(handler)); choose another track")
      }
      let codec = String(decoding: entry.dropFirst(4).prefix(4), as: UTF8.self)
      return try CoreMediaError.check(description, status, "CoreMedia cannot read the sample entry \(codec)")
    }
  }

  extension MovieWriter.Track {
    /// A track with the sample format of an encoder or of an asset, video or audio.
    ///
    /// - Parameters:
    ///   - description: The format description.
    ///   - timescale: Units per second; `nil` is the sample rate of audio, and 90000 for video.
    /// - Throws: `CoreMediaError` if it is neither video nor audio, or if CoreMedia has no sample entry for it in MP4
    ///   files.
    public init(_ description: CMFormatDescription, timescale: UInt32? = nil) throws {
      var entry: CMBlockBuffer?
      let (status, handler): (OSStatus, FourCC)
      switch description.mediaType {
      case .video:
        handler = "vide"
        status = unsafe CMVideoFormatDescriptionCopyAsBigEndianImageDescriptionBlockBuffer(
          allocator: nil, videoFormatDescription: description, stringEncoding: CFStringGetSystemEncoding(),
          flavor: .isoFamily, blockBufferOut: &entry)
      case .audio:
        handler = "soun"
        status = unsafe CMAudioFormatDescriptionCopyAsBigEndianSoundDescriptionBlockBuffer(
          allocator: nil, audioFormatDescription: description, flavor: .isoFamily, blockBufferOut: &entry)
      default:
        throw CoreMediaError("the format description is neither video nor audio; make a track from a sample entry")
      }
      let buffer = try CoreMediaError.check(entry, status, "CoreMedia cannot write a sample entry of MP4 files")
      try self.init(sampleEntry: [UInt8](buffer.dataBytes()), handler: handler, timescale: timescale)
    }
  }
#endif
