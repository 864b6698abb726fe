import Bytes
import ISOBMFF

/// Moves the delays of tracks from edit lists to decode times, because players of segments ignore edit lists.
extension LiveMovie {
  /// The movie without the empty edits at the start of its tracks, and the durations of those, by track, in its
  /// timescale. `nil` if the tracks have the same times without them, apart from reordering and priming.
  func withoutDelays() throws(MovieError) -> (movie: LiveMovie, delays: [Int64])? {
    guard mediaSpread != nil else { return nil }
    let delays = movie.tracks.map { track in
      let empty = track.edits.prefix { $0.mediaTime < 0 }.reduce(Int64(0)) { $0 &+ Int64(clamping: $1.segmentDuration) }
      return max(0, MediaTime(empty, movie.timescale).converted(to: track.timescale).value)
    }
    guard delays.contains(where: { $0 > 0 }) else { return nil }
    var own = movie
    var number = 0
    for index in own.box.boxes.indices where own.box.boxes[index].type == "trak" {
      defer { number += 1 }
      guard delays.indices.contains(number), delays[number] > 0 else { continue }
      let payloads = MoviePayloads(source: source)
      let path = "moov/trak/edts/elst"
      var list = try payloads.payload(of: own.box.boxes[index].first("edts", "elst"), in: path, EditListBox.self)
      list.entries = BoxTable(list.entries.drop { $0.mediaTime < 0 })
      own.box.boxes[index].edit("edts") { edits in
        edits.edit("elst") { $0.fields = .edited(list) }
      }
    }
    return (try LiveMovie(MemorySource(bytes(of: own), name: name, baseOffset: offset), like: self), delays)
  }
}

/// The delays of tracks in the decode times of fragments.
struct DecodeTimeDelays {
  /// The delays by track ID.
  private var delays: [UInt32: UInt64] = [:]

  init() {}
  init(_ movie: MovieDescription, _ delays: [Int64]) {
    for (track, delay) in zip(movie.tracks, delays) where delay > 0 { self.delays[track.id] = UInt64(delay) }
  }

  /// A `moof` with later decode times. Times that do not fit in their fields do not change.
  func delayed(_ moof: MemorySource) throws(MovieError) -> MemorySource {
    guard !delays.isEmpty else { return moof }
    var bytes = moof.bytes
    do throws(IOError) {
      for traf in try [Box](reading: moof, in: moof.range).first?.boxes ?? [] where traf.type == "traf" {
        guard let header = traf.first("tfhd")?.header, let time = traf.first("tfdt")?.header,
          header.payload.count >= 8, time.payload.count >= 8
        else { continue }
        let id = UInt32(truncatingIfNeeded: number(bytes, header.payload.lowerBound + 4 - moof.baseOffset, 4))
        let place = time.payload.lowerBound - moof.baseOffset
        let size = bytes[place] == 1 ? 8 : 4
        guard let delay = delays[id], time.payload.count >= 4 + size else { continue }
        let (sum, overflow) = number(bytes, place + 4, size).addingReportingOverflow(delay)
        guard !overflow, size == 8 || sum <= UInt64(UInt32.max) else { continue }
        for index in 0..<size {
          bytes[place + 4 + index] = UInt8(truncatingIfNeeded: sum >> UInt64(8 * (size - 1 - index)))
        }
      }
    } catch { throw .io(error) }
    return MemorySource(bytes, name: moof.name, baseOffset: moof.baseOffset)
  }
  private func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> UInt64 {
    bytes[place..<place + size].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
