import Support
import Testing

@testable import ISOBMFF

@Suite("Messages beside pictures")
struct PictureMessagesTests {
  private func hex(_ text: String) -> [UInt8] { hexBytes(Array(text.utf8)) }

  /// The bytes of a NAL unit with emulation prevention bytes.
  private func escaped(_ bytes: [UInt8]) -> [UInt8] {
    var (result, zeroCount): ([UInt8], Int) = ([], 0)
    for byte in bytes {
      if zeroCount >= 2, byte <= 3 {
        result.append(3)
        zeroCount = 0
      }
      result.append(byte)
      zeroCount = byte == 0 ? zeroCount + 1 : 0
    }
    return result
  }

  /// A SEI message with its type and size.
  private func message(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [type] + Array(repeating: 255, count: payload.count / 255) + [UInt8(payload.count % 255)] + payload
  }

  /// The messages of a sample of AVC or HEVC that starts with a NAL unit of SEI messages.
  private func messages(_ messages: [UInt8], isAVC: Bool = false) -> PictureMessages {
    let header: [UInt8] = isAVC ? [6] : [39 << 1, 1]
    let unit = header + escaped(messages + [0x80])
    // The last byte of the fixed part of hvcC has the size of lengths.
    let hevc = box("hvcC", [1] + zeros(20) + [3, 0])
    let avc = box("avcC", [1, 100, 0, 11, 0xff, 0xe0, 0])
    let entry = isAVC ? visual("avc1", avc) : visual("hvc1", hevc)
    return PictureMessages(configuration(entry), sample: (big(UInt32(unit.count)) + unit)[...])
  }

  @Test("HDR10+ is user data with its own codes")
  func hdr10Plus() {
    #expect(messages(message(4, hex("b5003c0001040102"))).hasHDR10Plus)
    #expect(messages(message(1, [1]) + message(4, hex("b5003c0001040102")), isAVC: true).hasHDR10Plus)
    // Captions, another application, and too few bytes.
    for other in ["b500314741393403", "b5003c0001050102", "b5003c0001"] {
      #expect(!messages(message(4, hex(other))).hasHDR10Plus, "\(other)")
    }
  }

  @Test("In AV1, dynamic metadata and light levels are metadata OBUs")
  func av1() {
    let entry = visual("av01", box("av1C", [0x81, 0, 0x4c, 0]))
    func messages(_ payload: String) -> PictureMessages {
      let bytes = hex(payload)
      return PictureMessages(configuration(entry), sample: ([0x2a, UInt8(bytes.count)] + bytes)[...])
    }
    #expect(messages("04b5003c00010401").hasHDR10Plus && !messages("04b5003c00010401").hasDolbyVision)
    #expect(messages("04b5003b0000080037").hasDolbyVision && !messages("04b5003b0000080037").hasHDR10Plus)
    let light = messages("0103e8019080").lightLevel
    #expect(light?.content == 1000 && light?.average == 400)
  }

  @Test("The encoder is text in user data without a registration")
  func encoder() {
    let id = hex("dc45e9bde6d948b7962cd820d923eeef")
    let text = "x264 - core 164 - options: cabac=1 " + String(repeating: "a", count: 300)
    #expect(messages(message(5, id + ascii(text) + [0]), isAVC: true).encoder == text)
    #expect(messages(message(5, id + ascii(text))).encoder == text)
    for other in [[], ascii("abc"), [1, 2, 3, 4, 5], ascii("x264\u{1}core")] {
      #expect(messages(message(5, id + other)).encoder == nil)
    }
  }

  @Test("Damaged messages are ignored")
  func damage() {
    for bytes in [[], [4], [4, 255], [4, 200, 1, 2, 3], [255, 255, 255, 255]] as [[UInt8]] {
      let found = messages(bytes)
      #expect(found.encoder == nil && !found.hasHDR10Plus && found.lightLevel == nil)
    }
  }
}

@Suite("Fields of AVC")
struct AVCFieldTests {
  private func hex(_ text: String) -> [UInt8] { hexBytes(Array(text.utf8)) }

  /// Parameter sets of x264 with `--tff`.
  private var sets: [[UInt8]] {
    [hex("67640015acd941433f260220000003002000000643e28532c0"), hex("68fba3cb22c0")]
  }
  /// The start of its first slice, of an IDR picture coded as a frame.
  private let slice = "6588820217cc576d7dda781513696a55"

  @Test(
    "pic_struct determines the order",
    arguments: [
      ("0601013280", FieldOrder.topFirst), ("0601014280", .bottomFirst), ("0601015280", .topFirst),
      ("0601016280", .bottomFirst), ("0601010280", .progressive), ("0601017280", .progressive), ("060101f280", nil),
    ])
  func structure(message: String, order: FieldOrder?) {
    let fields = AVCSliceHeader(sets).fields(of: [hex(message)[...], hex(slice)[...]])
    #expect(fields == AVCSliceHeader.Fields(order: order, areSeparate: false))
  }

  @Test("Without a message, the picture order counts of the fields determine the order")
  func counts() {
    #expect(AVCSliceHeader(sets).fields(of: [hex(slice)[...]])?.order == .topFirst)
    // The parameter sets can be in the sample.
    #expect(AVCSliceHeader([]).fields(of: sets.map { $0[...] } + [hex(slice)[...]])?.order == .topFirst)
  }

  @Test("Fields that are pictures of their own are in the order in which they are coded")
  func separate() {
    // first_mb, slice type 7, set 0, frame number 0, field_pic_flag, and bottom_field_flag.
    for (flag, order) in [("0", FieldOrder.topFirst), ("1", .bottomFirst)] {
      let unit = [0x65] + bits("1 0001000 1 0000 1 \(flag) 1 000000 1111 1111 1111")
      let fields = AVCSliceHeader(sets).fields(of: [unit[...]])
      #expect(fields == AVCSliceHeader.Fields(order: order, areSeparate: true), "\(flag)")
    }
  }

  @Test("Sequences of frames, unknown sets and damaged slices have no fields")
  func none() {
    let frames = [hex("67640015acd941419f9e022000000300200000064 1e28532c0".filter { $0 != " " }), sets[1]]
    #expect(AVCSliceHeader(frames).fields(of: [hex(slice)[...]]) == nil)
    #expect(AVCSliceHeader([]).fields(of: [hex(slice)[...]]) == nil)
    for count in 0..<4 { #expect(AVCSliceHeader(sets).fields(of: [hex(slice).prefix(count)]) == nil) }
  }
}
