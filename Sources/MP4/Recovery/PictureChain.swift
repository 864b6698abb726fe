import MP4Bytes

/// Recognizes pictures among data of unknown tracks, such as sound that the reference file does not have.
///
/// The first bytes of one picture occur in other data by chance, too often for large files. They are accepted if more
/// pictures follow, at short distances, whose frame numbers or output orders continue those of the first one, and if it
/// has a usual size or continues the latest picture.
extension RecoveryScan {
  /// The number of pictures that must follow.
  private static let chained = 2
  /// The maximum distance between pictures of which only one was found so far.
  private static let distance = 1 << 16
  /// The maximum number of units that are parsed to find the next picture. In data of other tracks, about one occurs
  /// within the maximum distance.
  private static let parsed = 64

  /// Whether this picture is followed by others, with unknown data between them.
  mutating func continues(_ found: Found, at offset: Int) throws(IOError) -> Bool {
    guard case .pictures(var syntax) = syntaxes[found.track],
      // Also changes the state of the syntax.
      var latest = try syntax.picture(at: offset, before: end, in: &window)
    else { return false }
    let largest = pattern.tracks[found.track].largestSize
    let isUsual = latest.byteCount / 2 <= largest
    let isNext = latest.byteCount / 16 <= largest && latestPictures[found.track] != nil && found.continues
    guard isUsual || isNext else { return false }
    var at = offset + latest.byteCount
    for number in 0..<Self.chained {
      guard let (place, next) = try picture(after: latest, at, &syntax) else {
        // Fewer follow at the end of the recording.
        return end - at < Self.distance && (number > 0 || isUsual && isNext)
      }
      (latest, at) = (next, place + next.byteCount)
    }
    return true
  }

  /// The first picture after an offset that can follow another one.
  private mutating func picture(
    after latest: PictureSyntax.Picture, _ start: Int, _ syntax: inout PictureSyntax
  ) throws(IOError) -> (offset: Int, picture: PictureSyntax.Picture)? {
    let count = min(Self.distance, end - start)
    guard count > 0 else { return nil }
    let block = try scanWindow.slice(at: start, count: min(count + 16, end - start))
    var parsedCount = 0
    var index = unitless.contains(start) ? unitless.upperBound - start : 0
    while index < min(count, block.count) {
      defer { index += 1 }
      guard syntax.canStart(block[(block.startIndex + index)...], available: end - start - index) else { continue }
      if parsedCount == 0 { unitless = start..<start + index }
      parsedCount += 1
      guard parsedCount <= Self.parsed else { return nil }
      var changed = syntax
      guard let picture = try changed.picture(at: start + index, before: end, in: &window),
        latest.canPrecede(picture)
      else { continue }
      syntax = changed
      return (start + index, picture)
    }
    if parsedCount == 0 { unitless = start..<start + max(index, count) }
    return nil
  }
}
