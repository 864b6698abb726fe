/// Decodes the services of CEA-708 (DTVCC): CTA-708-E, 5 to 8. The text is that of a model of the windows: it is where
/// it would be on a screen of rows and columns, without fonts, borders, print directions and effects.
struct CEA708Decoder {
  /// The service whose text is decoded; `nil` if only the services with text are looked for.
  private let service: Int?
  /// The bytes of the current caption channel packet.
  private var packet: [UInt8] = []
  private var packetSize = 0
  private var sequence: UInt8?
  private var screen = CEA708Service()
  /// The services that have characters, shown or not.
  private(set) var servicesWithText: Set<Int> = []

  init(service: Int?) { self.service = service }

  /// Decodes a pair with its time in milliseconds; pairs of CEA-608 are ignored.
  mutating func add(_ pair: CaptionPair, at time: Int64) {
    switch pair.kind {
    case .field1, .field2: return
    case .packetStart:
      // A packet that is not complete is damaged. Its first blocks could be used, but its text would have gaps.
      let size = Int(pair.first & 0x3f)
      packetSize = size == 0 ? 128 : size * 2
      packet = [pair.first, pair.second]
      let number = pair.first >> 6
      if let last = sequence, number != (last + 1) & 3 { screen.reset() }
      sequence = number
    case .packetData:
      guard packetSize > 0 else { return }
      packet += [pair.first, pair.second]
    }
    guard packet.count >= packetSize else { return }
    readBlocks(packet.prefix(packetSize).dropFirst(), at: time)
    packetSize = 0
  }

  /// The service blocks of a packet: 6.2.
  private mutating func readBlocks(_ bytes: ArraySlice<UInt8>, at time: Int64) {
    var rest = bytes
    while let header = rest.popFirst() {
      var (number, size) = (Int(header >> 5), Int(header & 0x1f))
      if number == 7, size > 0 {
        guard let more = rest.popFirst() else { return }
        number = Int(more & 0x3f)
      }
      // A null block is followed by fill.
      guard number > 0 else { return }
      size = min(size, rest.count)
      let block = rest.prefix(size)
      rest = rest.dropFirst(size)
      if service == nil {
        if !servicesWithText.contains(number), CEA708Codes(block).contains(where: \.isText) {
          servicesWithText.insert(number)
        }
      } else if service == number {
        screen.read(block, at: time)
      }
    }
  }

  /// Ends the last cue, and returns all cues.
  mutating func finish(at time: Int64) -> [Cue] { screen.finish(at: time) }
}

/// The codes of a service block: CTA-708-E, 7.1.
struct CEA708Codes: Sequence, IteratorProtocol {
  enum Code: Equatable {
    case character(Unicode.Scalar)
    /// A control code or a command, with its parameters.
    case control(UInt8, ArraySlice<UInt8>)

    var isText: Bool { if case .character(let scalar) = self { scalar != " " && scalar != "\u{a0}" } else { false } }
  }

  /// The bytes that are left; after the last code, those of an incomplete one.
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> Code? {
    while let code = rest.first {
      let count = Self.size(rest)
      guard count <= rest.count else { return nil }
      let parameters = rest.prefix(count).dropFirst()
      rest = rest.dropFirst(count)
      switch code {
      case 0x10:
        // Codes of C2 and C3 are reserved; decoders skip them.
        guard let scalar = parameters.first.flatMap(Self.extended) else { continue }
        return .character(scalar)
      case 0x18:
        let value = parameters.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return .character(value < 0x20 ? " " : Unicode.Scalar(value) ?? "_")
      case 0x7f: return .character("♪")
      case 0x20...0x7e, 0xa0...0xff: return .character(Unicode.Scalar(code))
      default: return .control(code, parameters)
      }
    }
    return nil
  }

  /// The number of bytes of the code at the start of `bytes`.
  private static func size(_ bytes: ArraySlice<UInt8>) -> Int {
    let code = bytes[bytes.startIndex]
    switch code {
    case 0x10:
      guard let second = bytes.dropFirst().first else { return 2 }
      switch second {
      case 0x08...0x0f: return 3
      case 0x10...0x17: return 4
      case 0x18...0x1f: return 5
      case 0x80...0x87: return 6
      case 0x88...0x8f: return 7
      case 0x90...0x9f:
        // A variable length: 7.1.11.2.
        return 3 + Int(bytes.dropFirst(2).first ?? 0) & 0x1f
      default: return 2
      }
    case 0x11...0x17: return 2
    case 0x18...0x1f: return 3
    case 0x88...0x8d: return 2
    case 0x90, 0x92: return 3
    case 0x91: return 4
    case 0x97: return 5
    case 0x98...0x9f: return 7
    default: return 1
    }
  }

  /// A character of G2 or G3; `nil` for control codes. Codes without a character are shown as an underscore.
  private static func extended(_ code: UInt8) -> Unicode.Scalar? {
    switch code {
    case 0x20, 0x21: return "\u{a0}"
    case 0x25: return "…"
    case 0x2a: return "Š"
    case 0x2c: return "Œ"
    case 0x30: return "█"
    case 0x31: return "‘"
    case 0x32: return "’"
    case 0x33: return "“"
    case 0x34: return "”"
    case 0x35: return "•"
    case 0x39: return "™"
    case 0x3a: return "š"
    case 0x3c: return "œ"
    case 0x3d: return "℠"
    case 0x3f: return "Ÿ"
    case 0x76: return "⅛"
    case 0x77: return "⅜"
    case 0x78: return "⅝"
    case 0x79: return "⅞"
    case 0x7a: return "│"
    case 0x7b: return "┐"
    case 0x7c: return "└"
    case 0x7d: return "─"
    case 0x7e: return "┘"
    case 0x7f: return "┌"
    // The icon CC.
    case 0xa0: return "🅭"
    case 0x22...0x7f, 0xa1...0xff: return "_"
    default: return nil
    }
  }
}
