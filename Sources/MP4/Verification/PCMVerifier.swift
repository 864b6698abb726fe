import MP4Bytes

/// Verifies uncompressed audio: runs of zeros between loud values, which are lost data, and noise at full scale, which
/// is other data.
struct PCMVerifier: SampleVerifier {
  private let width: Int
  private let channelCount: Int
  private let isLittleEndian: Bool
  /// The number of frames of a run that is reported.
  private let shortest: Int
  /// The number of zero frames at the end of what was verified, where they started, and whether a loud value precedes.
  private var run = (count: 0, start: 0, isAfterLoud: false, sample: 0)
  private var wasLoud = false

  init?(_ format: PCMFormat) {
    guard format.kind == .signed, format.bits == 16 || format.bits == 24, format.channelCount <= 64 else { return nil }
    (width, channelCount, isLittleEndian) = (format.width, format.channelCount, format.isLittleEndian)
    shortest = max(16, format.sampleRate / 500)
  }

  /// The number of frames that are examined for noise at once.
  private static let block = 512

  /// Verifies whole frames; their samples follow `sample`.
  mutating func verify(_ bytes: ArraySlice<UInt8>, _ sample: VerifiedSample, _ problems: inout MediaProblems) {
    let frameSize = width * channelCount
    let raw = bytes.raw
    let count = bytes.count / frameSize
    var start = 0
    while start < count {
      let end = min(start + Self.block, count)
      verifyRuns(raw, start..<end, frameSize, sample, &problems)
      if end - start == Self.block { verifyNoise(raw, start..<end, frameSize, sample, &problems) }
      start = end
    }
  }

  /// The high 16 bits of a value.
  @inline(__always)
  private func value(_ bytes: RawSpan, _ at: Int) -> Int {
    let word = bytes.bigEndian(at: isLittleEndian ? at + width - 2 : at, as: Int16.self) ?? 0
    return Int(isLittleEndian ? word.byteSwapped : word)
  }

  private mutating func verifyRuns(
    _ bytes: RawSpan, _ frames: Range<Int>, _ frameSize: Int, _ sample: VerifiedSample,
    _ problems: inout MediaProblems
  ) {
    for frame in frames {
      let at = frame * frameSize
      var (isZero, isLoud) = (true, false)
      for channel in 0..<channelCount {
        let value = value(bytes, at + channel * width)
        isZero = isZero && value == 0
        isLoud = isLoud || value.magnitude > 1 << 11
      }
      if isZero {
        if run.count == 0 { run = (0, sample.offset + at, wasLoud, sample.index + frame) }
        run.count += 1
      } else {
        if run.count >= shortest, run.isAfterLoud, isLoud {
          let place = VerifiedSample(
            index: run.sample, offset: run.start, isSync: true, duration: 0, isLast: false)
          problems.add(
            .sound, "zeros", place, at: run.start, "\(run.count) frames of audio are zeros between loud ones")
        }
        run.count = 0
      }
      wasLoud = isLoud
    }
  }

  /// Random values have a mean magnitude of half of full scale, and change their sign every second time.
  private func verifyNoise(
    _ bytes: RawSpan, _ frames: Range<Int>, _ frameSize: Int, _ sample: VerifiedSample, _ problems: inout MediaProblems
  ) {
    var (sum, changes, last) = (0, 0, 0)
    for frame in frames {
      let value = value(bytes, frame * frameSize)
      sum += Int(value.magnitude)
      if (value < 0) != (last < 0) { changes += 1 }
      last = value
    }
    let mean = sum / Self.block
    guard 14_900...17_900 ~= mean, 208...304 ~= changes else { return }
    let place = VerifiedSample(
      index: sample.index + frames.lowerBound, offset: sample.offset + frames.lowerBound * frameSize, isSync: true,
      duration: 0, isLast: false)
    problems.add(.sound, "noise", place, at: place.offset, "\(Self.block) frames of audio are noise at full scale")
  }
}
