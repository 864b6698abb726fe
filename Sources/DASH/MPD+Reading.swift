import MP4Bytes

/// Why a manifest cannot be read, and where.
public struct MPDError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem.
  public let reason: String
  /// The line, starting at 1; 0 if it is not about a line.
  public let line: Int

  package init(_ reason: String, line: Int = 0) { (self.reason, self.line) = (reason, line) }

  /// Such as `line 7: S@d has no valid value: "x"`.
  public var description: String { line > 0 ? "line \(line): \(reason)" : reason }
}

extension MPD {
  /// Reads a manifest. Representations have what they inherit from their adaptation sets and periods: segments, and the
  /// ``CommonProperties``; only base URLs stay where they are.
  ///
  /// - Throws: `MPDError` if it is not well-formed, or refers to parts in other documents (XLink).
  public init(_ bytes: [UInt8]) throws(MPDError) {
    var root: XMLElement
    do throws(XMLError) { root = try XMLElement(document: bytes[...]) } catch {
      throw MPDError("column \(error.column): \(error.reason)", line: error.line)
    }
    guard root.name == "MPD" else {
      throw MPDError("the document has the element '\(root.name)' instead of 'MPD'", line: root.line)
    }
    try root.resolveLinks()
    var runs = 0
    for index in root.children.indices where root.children[index].name == "Period" {
      root.children[index].inheritAsPeriod(&runs)
      guard runs <= Self.maxRuns else {
        throw MPDError("the timelines of all representations have over \(Self.maxRuns) runs of segments")
      }
    }
    var coder = ElementCoder(root)
    self.init()
    fields(&coder)
    if let problem = coder.problem { throw problem }
  }

  /// The maximum number of runs of segments in all representations.
  private static let maxRuns = 4_000_000

  /// Whether a file begins like a manifest: with an element `MPD`, after a declaration and comments.
  package static func isStart(_ bytes: [UInt8]) -> Bool {
    if let name = XMLReader.rootName(bytes) { return name == "MPD" }
    // The tag can be longer than what was read.
    return bytes.count > 64 && bytes.indices.contains { bytes[$0...].starts(with: "<MPD ".utf8) }
  }
}

extension XMLElement {
  private static let segmentForms = ["SegmentBase", "SegmentList", "SegmentTemplate"]
  private static let commonAttributes = [
    "width", "height", "sar", "frameRate", "audioSamplingRate", "mimeType", "codecs", "startWithSAP",
  ]
  private static let commonElements = [
    "AudioChannelConfiguration", "ContentProtection", "EssentialProperty", "SupplementalProperty", "InbandEventStream",
  ]

  /// Gives adaptation sets and representations what they inherit; counts the runs of segments that they then have.
  fileprivate mutating func inheritAsPeriod(_ runs: inout Int) {
    for index in children.indices where children[index].name == "AdaptationSet" {
      children[index].inheritSegments(of: self)
      let set = children[index]
      for own in set.children.indices where set.children[own].name == "Representation" {
        children[index].children[own].inheritSegments(of: set)
        children[index].children[own].inherit(of: set, Self.commonAttributes, Self.commonElements)
        for form in Self.segmentForms {
          let timeline = children[index].children[own].first(form)?.first("SegmentTimeline")
          runs += timeline?.children.count ?? 0
        }
      }
    }
  }

  /// Takes the segments of `parent`, or what is missing in those of the same form.
  private mutating func inheritSegments(of parent: XMLElement) {
    let hasOwn = children.contains { Self.segmentForms.contains($0.name) }
    for form in parent.children where Self.segmentForms.contains(form.name) {
      if let index = children.firstIndex(where: { $0.name == form.name }) {
        children[index].inherit(of: form, nil, nil)
      } else if !hasOwn {
        children.append(form)
      }
    }
  }

  /// Takes attributes and children of `parent` that are missing here: those with some names, or all.
  private mutating func inherit(of parent: XMLElement, _ attributes: [String]?, _ elements: [String]?) {
    for attribute in parent.attributes where self[attribute.name] == nil {
      if attributes?.contains(attribute.name) != false { self.attributes.append(attribute) }
    }
    let own = Set(children.map(\.name))
    children += parent.children.filter { !own.contains($0.name) && elements?.contains($0.name) != false }
  }

  /// Removes elements that stand for nothing; other elements must not be in other documents.
  fileprivate mutating func resolveLinks() throws(MPDError) {
    var kept: [XMLElement] = []
    for var child in children {
      if let link = child.attributes.first(where: { $0.name.hasPrefix("xlink:") && $0.name.hasSuffix(":href") }) {
        if link.value == "urn:mpeg:dash:resolve-to-zero:2013" { continue }
        throw MPDError(
          "the contents of '\(child.name)' are in another document (xlink:href=\"\(link.value)\"), which is not read",
          line: child.line)
      }
      try child.resolveLinks()
      kept.append(child)
    }
    children = kept
  }
}
