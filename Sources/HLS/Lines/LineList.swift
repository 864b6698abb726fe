/// A view of the attributes of one tag.
public protocol AttributeView: Hashable, Sendable {
  /// The attributes, known and unknown.
  var attributes: AttributeList { get set }
  /// The view of some attributes.
  init(attributes: AttributeList)
}

/// Looking up and changing the tags in a part of a playlist. What is not changed keeps its line.
extension [PlaylistLine] {
  /// The value of the first such tag.
  func value(_ name: TagName) -> TagValue? {
    for line in self {
      if case .tag(name, let value) = line.content { return value }
    }
    return nil
  }
  /// The number of the first such tag.
  func integer(_ name: TagName) -> Int? {
    if case .integer(let value) = value(name) { value } else { nil }
  }
  /// The attributes of the first such tag.
  func attributes<T: AttributeView>(_ name: TagName, as type: T.Type) -> T? {
    if case .attributes(let list) = value(name) { T(attributes: list) } else { nil }
  }
  /// The attributes of every such tag.
  func all<T: AttributeView>(_ name: TagName, as type: T.Type) -> [T] {
    compactMap { line in
      if case .tag(name, .attributes(let list)) = line.content { T(attributes: list) } else { nil }
    }
  }

  /// Gives the first such tag another value, adds it where it belongs, or with nil takes every such tag away.
  mutating func set(_ name: TagName, _ value: TagValue?) {
    guard let value else { return removeAll { $0.tag == name } }
    guard let index = firstIndex(where: { $0.tag == name }) else {
      return insert(PlaylistLine(name, value), at: place(of: name))
    }
    change(index, to: PlaylistLine(name, value))
  }
  /// Gives such tags other values: those that differ are changed, and those too few or too many added or taken away.
  mutating func setAll(_ name: TagName, _ values: [some AttributeView]) {
    let places = indices.filter { self[$0].tag == name }
    let new = values.map { PlaylistLine(name, .attributes($0.attributes)) }
    replace(places, with: new)
  }
  /// Puts `new` in place of the lines at `places`, touching only those between the first and the last difference.
  private mutating func replace(_ places: [Int], with new: [PlaylistLine]) {
    var (start, oldEnd, newEnd) = (0, places.count, new.count)
    while start < oldEnd, start < newEnd, self[places[start]].says(new[start]) { start += 1 }
    while oldEnd > start, newEnd > start, self[places[oldEnd - 1]].says(new[newEnd - 1]) {
      (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
    }
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
  /// Puts a line in place of another if it says something else; the ending stays.
  mutating func change(_ index: Int, to line: PlaylistLine) {
    guard !self[index].says(line) else { return }
    var line = line
    line.ending = self[index].ending
    self[index] = line
  }
  /// Where a new tag goes: before the first one that comes after it in the order of tags; in a segment, before its URI.
  func place(of name: TagName) -> Int {
    firstIndex { line in
      (line.content == .uri && name.place == .segment) || line.tag.map { $0.rank > name.rank } ?? false
    } ?? count
  }
}
