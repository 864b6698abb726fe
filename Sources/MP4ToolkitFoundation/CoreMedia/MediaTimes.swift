#if canImport(CoreMedia)
  public import CoreMedia
  public import MP4Toolkit

  extension CMTime {
    /// The same time. It is exact, unless its timescale exceeds `Int32.max` also as a reduced fraction: then it is
    /// rounded to the nearest unit of 1/`Int32.max` s, and `hasBeenRounded` is set.
    public init(_ time: MediaTime) {
      let (own, isExact) = time.fitting(UInt32(Int32.max))
      self.init(
        value: own.value, timescale: CMTimeScale(own.timescale), flags: isExact ? .valid : [.valid, .hasBeenRounded],
        epoch: 0)
    }
  }

  extension MediaTime {
    /// The same time, exactly; `nil` if it is invalid, indefinite or infinite. The epoch is dropped.
    public init?(_ time: CMTime) {
      guard time.isNumeric, time.timescale > 0 else { return nil }
      self.init(time.value, UInt32(time.timescale))
    }
  }

  extension CMTimeRange {
    /// The same range. The start and the duration are converted like `CMTime(_:)`.
    public init(_ range: Range<MediaTime>) {
      self.init(start: CMTime(range.lowerBound), duration: CMTime(range.upperBound - range.lowerBound))
    }
  }

  extension Range<MediaTime> {
    /// The same range; `nil` if its start or its duration is not a number, or the duration is negative. The end is the
    /// sum of both, as `MediaTime` adds.
    public init?(_ range: CMTimeRange) {
      guard let start = MediaTime(range.start), let duration = MediaTime(range.duration), duration.value >= 0 else {
        return nil
      }
      // A sum that is not exact could be rounded to before the start.
      self = start..<Swift.max(start, start + duration)
    }
  }
#endif
