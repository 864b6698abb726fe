import ISOBMFF
import MP4Bytes

/// Assigns IDs and alternate groups to the tracks of several movies in one movie, without conflicts.
struct TrackNumbering {
  /// The IDs of all tracks.
  private(set) var ids: [UInt32] = []
  /// The alternate groups of all tracks.
  private(set) var alternateGroups: [Int16] = []

  /// Tracks keep their ID unless a track of a previous movie has it.
  init(_ groups: [MovieGroup]) {
    var used: Set<UInt32> = []
    // All smaller numbers are in use.
    var free: UInt32 = 1
    for group in groups {
      // The IDs of later tracks of this movie are reserved.
      var taken = used.union(group.movie.tracks.map(\.id))
      let start = ids.count
      for track in group.movie.tracks {
        var id = track.id
        if used.contains(id) {
          while taken.contains(free) { free += 1 }
          id = free
        }
        taken.insert(id)
        ids.append(id)
      }
      used.formUnion(ids[start...])
    }
    numberAlternates(groups)
  }

  /// Assigns alternate groups. The same number in two movies means alternatives, such as two languages, only if the
  /// tracks have the same kind of media.
  private mutating func numberAlternates(_ groups: [MovieGroup]) {
    var known: [Int16: [(handlers: Set<FourCC>, number: Int16)]] = [:]
    var taken: Set<Int16> = []
    // All smaller numbers from 1 on are in use.
    var free: Int16 = 1
    for group in groups {
      let tracks = group.movie.tracks
      var numbers: [Int16: Int16] = [:]
      for (original, alternates) in Dictionary(grouping: tracks, by: \.alternateGroup).sorted(by: { $0.key < $1.key })
      where original != 0 {
        let handlers = Set(alternates.map(\.handler))
        if let same = known[original]?.first(where: { !$0.handlers.isDisjoint(with: handlers) }) {
          numbers[original] = same.number
          continue
        }
        var number = original
        if taken.contains(original) {
          while free < .max, taken.contains(free) { free += 1 }
          if !taken.contains(free) { number = free }
        }
        numbers[original] = number
        taken.insert(number)
        known[original, default: []].append((handlers, number))
      }
      alternateGroups += tracks.map { numbers[$0.alternateGroup] ?? 0 }
    }
  }
}
