import ISOBMFF
import Support
import Testing

@Suite("Audio formats of decoder output")
struct SoundTests {
  @Test(
    "The configuration of MPEG-4 audio",
    arguments: [
      // Object type, frequency and channels, then three flags for most kinds of AAC.
      ("00010 0011 0010 000", 2, 48000, 2, false, false), ("00010 0011 0111 000", 2, 48000, 8, false, false),
      // An explicit frequency.
      ("00010 1111 000000000101011011101111 0010 000", 2, 22255, 2, false, false),
      // HE-AAC: 24 kHz doubled, signaled first, and after the core, where old decoders do not read it.
      ("00101 0110 0010 0011 00010 000", 2, 48000, 2, true, false),
      ("00010 0110 0010 000 01010110111 00101 1 0011", 2, 48000, 2, true, false),
      ("00010 0110 0010 000 01010110111 00101 0 000000000", 2, 24000, 2, false, false),
      // HE-AAC v2 with a core of one channel, signaled in both ways.
      ("11101 0110 0001 0011 00010 000", 2, 48000, 2, true, true),
      ("00010 0110 0001 000 01010110111 00101 1 0011 10101001000 1", 2, 48000, 2, true, true),
      // Layer 3 of MPEG-1, whose number needs the escape value; AAC-ELD with doubled SBR.
      ("11111 000010 0100 0010", 34, 44100, 2, false, false),
      ("11111 000111 0011 0010 0000 1 1 0", 39, 96000, 2, true, false),
      // USAC: 5.1, and an explicit channel count with a frequency that only USAC has.
      ("11111 001010 0011 0000 00011 001 00110", 42, 48000, 6, false, false),
      ("11111 001010 1111 000000000110010000000000 0000 10001 001 00000 11111 00000010", 42, 40000, 33, false, false),
    ])
  func audioSpecificConfig(_ fields: String, _ type: Int, _ rate: Int, _ channels: Int, _ hasSBR: Bool, _ hasPS: Bool)
    throws
  {
    let config = try #require(AudioSpecificConfig(bits(fields)))
    #expect((config.audioObjectType, config.samplingFrequency, config.channelCount) == (type, rate, channels))
    #expect((config.hasSBR, config.hasPS) == (hasSBR, hasPS))
  }

  @Test("The channels of a program_config_element, here of ffmpeg's octagonal layout")
  func programConfig() throws {
    let bytes = hexBytes(Array("118004c848002008c8200d4c61766335392e33372e31303056e500".utf8))
    #expect(AudioSpecificConfig(bytes)?.channelCount == 8)
    #expect(AudioSpecificConfig(bytes.prefix(8))?.channelCount == 0)
  }

  @Test("A configuration that is too short is not used")
  func shortConfig() {
    for bytes in ["", "11", "17802b77", "eb", "f8"] { #expect(AudioSpecificConfig(hexBytes(Array(bytes.utf8))) == nil) }
  }

  private static let immersive = """
    01 69 f806 69616d660000 0014 00 4f707573 c007 fffc 010200000000bb80000000 081f 00 00 00 04 00010203 01 01 07 80f702 00 \
    c007 c007 0000 40 100101 28030104 0000 0828 01 20 00 10 0405060708090a0b0c0d0e0f10111213 00 00 1010 \
    000102030405060708090a0b0c0d0e0f
    """

  static let formats: [(String, Int, [UInt8])] = [
    // The entries declare 2 channels and 16 kHz; the decoder configuration takes precedence.
    ("6", 48000, audio("mp4a", esds(0x40, "11b0"))), ("2", 16000, audio("mp4a", esds(0x6b))),
    ("6", 48000, audio("ac-3", hexBox("dac3", "103de0"))), ("1", 44100, audio("ac-3", hexBox("dac3", "500940"))),
    ("6", 48000, audio("ec-3", hexBox("dec3", "0c00 200f 00"))),
    // A substream that depends on the first one adds Lrs and Rrs: 7.1. The other independent substream is another
    // program.
    ("8", 48000, audio("ec-3", hexBox("dec3", "0c01 200f 0202 2002 00"))),
    ("16/JOC", 48000, audio("ec-3", vector("dec3-atmos"))),
    ("6", 48000, audio("ac-4", vector("dac4-v1"))),
    ("8", 48000, audio("Opus", hexBox("dOps", "00 08 0138 0000bb80 0000 01 05 03 0001020304050607"))),
    ("8", 96000, audio("fLaC", fullBox("dfLa", [0x80, 0, 0, 34] + zeros(10) + [0x17, 0x70, 0x0e, 0xf0] + zeros(20)))),
    ("6", 48000, audio("alac", hexBox("alac", "00000000 00001000 00 10 28 0a 0e 06 00ff 00000000 00000000 0000bb80"))),
    ("6", 48000, audio("dtsc", vector("ddts"))),
    ("8", 16000, audio("dtsx", hexBox("udts", "0500 000000ff 4000"))),
    ("8", 16000, audio("mhm1", hexBox("mhaC", "01 0d 0c 0000"))),
    // Opus, and two elements: 5.1 in two layers, and 16 channels of ambisonics.
    ("16", 48000, audio("iamf", hexBox("iacb", immersive))),
    // Uncompressed audio by its channel layout: layout 12, or one position per speaker.
    ("7", 16000, audio("ipcm", hexBox("chnl", "00000000 01 0c 0000000000000008"))),
    ("3", 16000, audio("ipcm", hexBox("chnl", "00000000 01 00 00 01 02"))),
    ("2", 192_000, audio("twos", hexBox("srat", "00000000 0002ee00"))),
  ]

  @Test("Channels and sample rates of all codecs", arguments: formats)
  func channels(_ channels: String, _ rate: Int, _ entry: [UInt8]) throws {
    let sound = try #require(configuration(entry).sound)
    #expect(sound.channels == channels && sound.sampleRate == rate)
  }

  @Test("The QuickTime layouts: configuration in wave, and numbers in version 2")
  func quickTime() throws {
    let config = configuration(vector("entry-mp4a-mov-ffmpeg"))
    #expect(config.codecs == "mp4a.40.2" && config.sound?.channelCount == 1)
    let linear = configuration(vector("entry-quicktime-sound-v2"))
    #expect(linear.codecs == "lpcm" && linear.sound?.channelCount ?? 0 > 0 && linear.sound?.sampleRate ?? 0 > 0)
    #expect(configuration(vector("entry-mlpa-ffmpeg")).sound?.sampleRate == 48000)
    #expect(configuration(visual("avc1")).sound == nil && configuration(vector("entry-wvtt")).sound == nil)
  }
}
