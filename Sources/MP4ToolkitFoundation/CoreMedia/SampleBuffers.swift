#if canImport(CoreMedia)
  public import CoreMedia
  import Foundation
  public import MP4Toolkit

  extension DecodingRun {
    /// A sample buffer with a sample of this run. Its times are those of `timing(of:)`. Its attachments are the
    /// declared dependencies, and whether it is only decoded.
    ///
    /// - Parameters:
    ///   - sample: The sample.
    ///   - bytes: Its bytes, which `bytes()` or `samples.bytes(of:)` returned.
    ///   - descriptions: Those of its track, which `formatDescriptions()` returned.
    /// - Throws: `CoreMediaError` if there is no description for it; errors of CoreMedia.
    public func sampleBuffer(
      of sample: Sample, _ bytes: [UInt8], in descriptions: [CMFormatDescription]
    ) throws -> CMSampleBuffer {
      let number = sample.descriptionIndex
      guard descriptions.indices.contains(number - 1) else {
        throw CoreMediaError("there is no format description \(number); use those of the track of the sample")
      }
      let times = timing(of: sample)
      let timing = CMSampleTimingInfo(
        duration: CMTime(sample.duration), presentationTimeStamp: CMTime(times.presentation),
        decodeTimeStamp: CMTime(times.decode))
      let buffer = try CMSampleBuffer(
        dataBuffer: Self.blockBuffer(bytes), formatDescription: descriptions[number - 1], numSamples: 1,
        sampleTimings: [timing], sampleSizes: [bytes.count])
      if !sample.isSync { buffer.sampleAttachments[0][.notSync] = true }
      if !isShown(sample) { buffer.sampleAttachments[0][.doNotDisplay] = true }
      let dependencies = sample.dependencies
      for (key, claim) in [
        (CMSampleBuffer.PerSampleAttachmentsDictionary.Key.dependsOnOthers, dependencies.dependsOnOthers),
        (.isDependedOnByOthers, dependencies.isDependedOn), (.hasRedundantCoding, dependencies.hasRedundancy),
      ] {
        if let claim { buffer.sampleAttachments[0][key] = claim }
      }
      return buffer
    }

    private static func blockBuffer(_ bytes: [UInt8]) throws -> CMBlockBuffer {
      // Blocks without bytes are not allowed.
      if bytes.isEmpty { return try CMBlockBuffer(capacity: 0) }
      let buffer = try CMBlockBuffer(length: bytes.count, flags: .assureMemoryNow)
      try unsafe bytes.withUnsafeBytes { try unsafe buffer.replaceDataBytes(with: $0) }
      return buffer
    }
  }

  extension MovieWriter {
    /// Appends the encoded samples of a buffer with their times and dependencies, like
    /// `append(_:to:presentationTime:decodeTime:isSync:sampleEntry:)`. A buffer without samples is skipped.
    ///
    /// The priming that is to be trimmed from the first buffer of a track is hidden.
    ///
    /// - Throws: `CoreMediaError` if the buffer has pictures that are not encoded, sizes that do not match its data, or
    ///   no times; `MovieWriterError`; errors of CoreMedia.
    public func append(_ buffer: CMSampleBuffer, to track: Int, sampleEntry: Int = 1) throws {
      let count = buffer.numSamples
      if count == 0 { return }
      guard let data = buffer.dataBuffer else {
        throw CoreMediaError("the sample buffer has no encoded data; encode it first")
      }
      let bytes = [UInt8](try data.dataBytes())
      // A single sample does not have to declare its size, and PCM frames are appended together.
      let isOne = count == 1 || takesFrames(track)
      let sizes = isOne ? [bytes.count] : (0..<count).map { buffer.sampleSize(at: $0) }
      guard let samples = bytes.split(bySizes: sizes) else {
        throw CoreMediaError("the sizes of the samples do not match the data of their buffer; append each separately")
      }
      let output = MediaTime(buffer.outputPresentationTimeStamp)
      let attachments = Array(buffer.sampleAttachments)
      for (index, sample) in samples.enumerated() {
        let timing = try buffer.sampleTimingInfo(at: index)
        guard let presentationTime = MediaTime(timing.presentationTimeStamp) else {
          throw CoreMediaError("a sample has no presentation time; set it before")
        }
        try append(
          sample, to: track, presentationTime: presentationTime, decodeTime: MediaTime(timing.decodeTimeStamp),
          flags: index < attachments.count ? SampleFlags(attachments[index]) : SampleFlags(isSync: true),
          sampleEntry: sampleEntry, trim: index == 0 ? (output ?? presentationTime) - presentationTime : MediaTime(0, 1)
        )
      }
    }
  }

  extension SampleFlags {
    fileprivate init(_ attachments: CMSampleBuffer.PerSampleAttachmentsDictionary) {
      self.init(
        isSync: attachments[.notSync] as? Bool != true, dependsOnOthers: attachments[.dependsOnOthers] as? Bool,
        isDependedOn: attachments[.isDependedOnByOthers] as? Bool,
        hasRedundancy: attachments[.hasRedundantCoding] as? Bool)
    }
  }
#endif

extension [UInt8] {
  /// Parts with these sizes; `nil` if they are not all of it.
  func split(bySizes sizes: [Int]) -> [[UInt8]]? {
    var (parts, start): ([[UInt8]], Int) = ([], 0)
    for size in sizes {
      guard size >= 0, size <= count - start else { return nil }
      parts.append(Array(self[start..<start + size]))
      start += size
    }
    return start == count ? parts : nil
  }
}
