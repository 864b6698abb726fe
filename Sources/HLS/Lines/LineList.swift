/// Finds and changes the tags in a part of a playlist. Unchanged tags keep their line.
extension [PlaylistLine] {
  /// The value of the first tag of this name.
  func value(_ name: TagName) -> TagValue? {
    for line in self {
      if case .tag(name, let value) = line.content { return value }
    }
    return nil
  }
  /// The integer value of the first tag of this name.
  func integer(_ name: TagName) -> Int? {
    if case .integer(let value) = value(name) { value } else { nil }
  }
  /// The attributes of the first tag of this name.
  func attributes<T: AttributeView>(_ name: TagName, as type: T.Type) -> T? {
    if case .attributes(let list) = value(name) { T(attributes: list) } else { nil }
  }
  /// The attributes of every tag of this name.
  func all<T: AttributeView>(_ name: TagName, as type: T.Type) -> [T] { indexed(name, as: type).map(\.view) }

  /// The attributes of every tag of this name, with the index of its line.
  func indexed<T: AttributeView>(_ name: TagName, as type: T.Type) -> [(index: Int, view: T)] {
    enumerated().compactMap { index, line in
      if case .tag(name, .attributes(let list)) = line.content { (index, T(attributes: list)) } else { nil }
    }
  }

  /// Changes the value of the first tag of this name, or adds the tag in its place; `nil` removes all tags of this
  /// name.
  mutating func set(_ name: TagName, _ value: TagValue?) {
    guard let value else { return removeAll { $0.tag == name } }
    guard let index = firstIndex(where: { $0.tag == name }) else {
      return insert(PlaylistLine(name, value), at: place(of: name))
    }
    change(index, to: PlaylistLine(name, value))
  }
  /// Sets the values of all tags of this name. Only different ones are changed; tags are added or removed if necessary.
  mutating func setAll(_ name: TagName, _ values: [some AttributeView]) {
    let places = indices.filter { self[$0].tag == name }
    let new = values.map { PlaylistLine(name, .attributes($0.attributes)) }
    replace(places, with: new)
  }
  /// Replaces the lines at `places` with `new`, changing only those between the first and the last difference.
  private mutating func replace(_ places: [Int], with new: [PlaylistLine]) {
    let (start, oldEnd, newEnd) = changes(places.count, new.count) { self[places[$0]].says(new[$1]) }
    let common = Swift.min(oldEnd, newEnd)
    for i in start..<common { change(places[i], to: new[i]) }
    if newEnd > common {
      let name = new[common].tag ?? .end
      let position = common > 0 ? places[common - 1] + 1 : places.first ?? place(of: name)
      insert(contentsOf: new[common..<newEnd], at: position)
    } else if oldEnd > common {
      let gone = Set(places[common..<oldEnd])
      self = indices.filter { !gone.contains($0) }.map { self[$0] }
    }
  }
  /// Replaces a line if its meaning changes; its ending is kept.
  mutating func change(_ index: Int, to line: PlaylistLine) {
    guard !self[index].says(line) else { return }
    var line = line
    line.ending = self[index].ending
    self[index] = line
  }
  /// The index for a new tag: before the first tag that comes later in the order of tags and, in a segment, before its
  /// URI.
  func place(of name: TagName) -> Int {
    firstIndex { line in
      (line.content == .uri && name.place == .segment) || line.tag.map { $0.rank > name.rank } ?? false
    } ?? count
  }
}

/// The elements between the first and the last difference of two lists with these counts: where they start in both, and
/// where they end in each.
func changes(_ old: Int, _ new: Int, isSame: (Int, Int) -> Bool) -> (start: Int, oldEnd: Int, newEnd: Int) {
  var (start, oldEnd, newEnd) = (0, old, new)
  while start < oldEnd, start < newEnd, isSame(start, start) { start += 1 }
  while oldEnd > start, newEnd > start, isSame(oldEnd - 1, newEnd - 1) { (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1) }
  return (start, oldEnd, newEnd)
}
