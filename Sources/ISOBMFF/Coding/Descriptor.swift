import MP4Bytes

/// A descriptor of ISO/IEC 14496-1: a tag, the size of the body in one to four bytes, and the body.
public struct Descriptor: Equatable, Sendable {
  /// The body of a descriptor.
  public enum Body: Equatable, Sendable {
    /// An elementary stream, tag 3.
    case elementaryStream(ElementaryStreamDescriptor)
    /// The decoder configuration of a stream, tag 4.
    case decoderConfig(DecoderConfigDescriptor)
    /// The decoder-specific information, tag 5.
    case decoderSpecificInfo([UInt8])
    /// The presentation as a whole, tags 2 and 16.
    case initialObject(InitialObjectDescriptor)
    /// A track of the file, tag 14.
    case trackReference(trackID: UInt32)
    /// Any other descriptor.
    case bytes([UInt8])
  }
  /// The tag, which identifies the kind of descriptor.
  public var tag: UInt8
  /// The number of bytes of the size field, 1 to 4; more are used if needed. Ignored by comparison.
  public var sizeByteCount: Int
  /// The body.
  public var body: Body
  /// Bytes at the end of the body that are not a descriptor.
  public var rest: [UInt8] = []

  /// A descriptor with `tag` and a size field of `sizeByteCount` bytes.
  public init(tag: UInt8, sizeByteCount: Int = 1, body: Body) {
    self.tag = tag
    self.sizeByteCount = sizeByteCount
    self.body = body
  }

  /// Whether both have the same contents, regardless of the length of their size fields.
  public static func == (a: Descriptor, b: Descriptor) -> Bool {
    a.tag == b.tag && a.body == b.body && a.rest == b.rest
  }

  /// The standard's name of a descriptor with this tag.
  static func name(of tag: UInt8) -> StaticText {
    switch tag {
    case 0x01, 0x11: "ObjectDescriptor"
    case 0x02, 0x10: "InitialObjectDescriptor"
    case 0x03: "ES_Descriptor"
    case 0x04: "DecoderConfigDescriptor"
    case 0x05: "DecoderSpecificInfo"
    case 0x06: "SLConfigDescriptor"
    case 0x0e: "ES_ID_Inc"
    case 0x0f: "ES_ID_Ref"
    default: "Descriptor"
    }
  }

  /// An empty body of the type that belongs to this tag.
  static func emptyBody(of tag: UInt8) -> Body {
    switch tag {
    case 0x02, 0x10: .initialObject(InitialObjectDescriptor())
    case 0x03: .elementaryStream(ElementaryStreamDescriptor())
    case 0x04: .decoderConfig(DecoderConfigDescriptor())
    case 0x05: .decoderSpecificInfo([])
    case 0x0e: .trackReference(trackID: 0)
    default: .bytes([])
    }
  }

  mutating func bodyFields(_ c: inout FieldCoder) throws(BoxError) {
    switch body {
    case .elementaryStream(var value):
      try value.fields(&c)
      body = .elementaryStream(value)
    case .decoderConfig(var value):
      try value.fields(&c)
      body = .decoderConfig(value)
    case .decoderSpecificInfo(var value):
      try c.bytes("specific_info", &value)
      body = .decoderSpecificInfo(value)
    case .initialObject(var value):
      try value.fields(&c)
      body = .initialObject(value)
    case .trackReference(var trackID):
      try c.uint32("Track_ID", &trackID)
      body = .trackReference(trackID: trackID)
    case .bytes(var value):
      try c.bytes("data", &value)
      body = .bytes(value)
    }
    if c.hasMore(or: !rest.isEmpty), !c.isDescribing { try c.bytes("rest", &rest) }
  }

  /// The encoded body.
  func encodedBody(_ context: BoxContext) throws(BoxError) -> [UInt8] {
    var coder = FieldCoder(.write, context: context)
    var copy = self
    try copy.bodyFields(&coder)
    return coder.writer.bytes
  }

  /// The encoded size of a body of `count` bytes: seven bits in each byte; the top bit is set if another byte follows.
  func encodedSize(_ count: Int) -> [UInt8] {
    var groups = [UInt8(truncatingIfNeeded: count & 0x7f)]
    var left = count >> 7
    while left > 0 || groups.count < min(sizeByteCount, 4) {
      groups.append(UInt8(truncatingIfNeeded: left & 0x7f | 0x80))
      left >>= 7
    }
    return groups.reversed()
  }
}

extension FieldCoder {
  /// The maximum nesting depth of descriptors that are read; real files have three levels.
  private static let descriptorDepthLimit = 8

  /// A descriptor, including nested descriptors.
  mutating func descriptor(_ value: inout Descriptor) throws(BoxError) {
    switch mode {
    case .read: value = try readDescriptor()
    case .write, .measure:
      let body = try value.encodedBody(context)
      let size = value.encodedSize(body.count)
      measured += 1 + size.count + body.count
      if mode == .write { writer.bytes += [value.tag] + size + body }
    case .describe:
      let outer = described.count
      try value.bodyFields(&self)
      let name = Descriptor.name(of: value.tag)
      for i in outer..<described.count { described[i].name = "\(name).\(described[i].name)" }
    case .access: try accessedDescriptor(&value, 1)
    }
  }

  /// Enters a descriptor if it contains the field that is accessed. `index` is its number among those of the same name.
  private mutating func accessedDescriptor(_ value: inout Descriptor, _ index: Int) throws(BoxError) {
    guard let access else { return }
    let place = access.place
    defer { access.place = place }
    if access.enter(Descriptor.name(of: value.tag), index) { try value.bodyFields(&self) }
  }

  /// Descriptors up to the end of the box or of the enclosing descriptor.
  mutating func descriptors(_ values: inout [Descriptor]) throws(BoxError) {
    if mode == .access {
      var counts: [StaticText: Int] = [:]
      for i in values.indices {
        counts[Descriptor.name(of: values[i].tag), default: 0] += 1
        try accessedDescriptor(&values[i], counts[Descriptor.name(of: values[i].tag)] ?? 1)
      }
      return
    }
    guard mode == .read else {
      for var value in values { try descriptor(&value) }
      return
    }
    values = []
    // Some writers declare a size that is too large. Data that is cut off by it is not read as a descriptor.
    while descriptorFits { values.append(try readDescriptor()) }
  }

  /// Whether the next bytes are a complete descriptor.
  private var descriptorFits: Bool {
    var size = 0
    for count in 1...4 {
      guard let byte = reader.peek(count) else { return false }
      size = size << 7 | Int(byte & 0x7f)
      if byte & 0x80 == 0 { return size <= reader.remaining - 1 - count }
    }
    return false
  }

  private mutating func readDescriptor() throws(BoxError) -> Descriptor {
    let tag: UInt8 = try reader.integer("tag")
    let (size, sizeByteCount) = try readDescriptorSize()
    let start = reader.offset
    guard size <= reader.remaining else {
      throw BoxError(.truncated(needed: size, left: reader.remaining), field: "sizeOfInstance", offset: start)
    }
    let from = payload.startIndex + reader.position
    let slice = payload[from..<from + size]
    try reader.skip(size, "sizeOfInstance")
    let isTooDeep = descriptorDepth >= Self.descriptorDepthLimit
    var value = Descriptor(
      tag: tag, sizeByteCount: sizeByteCount, body: isTooDeep ? .bytes([]) : Descriptor.emptyBody(of: tag))
    sink?.beginDescriptor(tag, Descriptor.name(of: tag), headerSize: 1 + sizeByteCount, size: size)
    var inner = FieldCoder(reading: slice, base: start, context: context, sink: sink)
    inner.descriptorDepth = descriptorDepth + 1
    try value.bodyFields(&inner)
    sink?.endDescriptor()
    return value
  }

  private mutating func readDescriptorSize() throws(BoxError) -> (size: Int, byteCount: Int) {
    var size = 0
    for count in 1...4 {
      let byte: UInt8 = try reader.integer("sizeOfInstance")
      size = size << 7 | Int(byte & 0x7f)
      if byte & 0x80 == 0 { return (size, count) }
    }
    throw BoxError(
      .invalid(UInt64(size), possible: "coded in four bytes"), field: "sizeOfInstance", offset: reader.offset)
  }
}
