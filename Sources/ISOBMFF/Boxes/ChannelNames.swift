import MP4Bytes

/// The names of the Core Audio numbers in `chan`.
extension ValueNames {
  /// AudioChannelLabel.
  static var channelLabels: ValueNames {
    """
    0 unused; 1 left; 2 right; 3 centre; 4 low frequencies; 5 left surround; 6 right surround; 7 left centre; \
    8 right centre; 9 centre surround; 10 left surround direct; 11 right surround direct; 12 top centre; \
    13 vertical height left; 14 vertical height centre; 15 vertical height right; 16 top back left; \
    17 top back centre; 18 top back right; 33 rear surround left; 34 rear surround right; 35 left wide; \
    36 right wide; 37 low frequencies 2; 38 left total; 39 right total; 40 hearing impaired; 41 narration; 42 mono; \
    43 dialogue centric mix; 44 centre surround direct; 100 by coordinates; 200 ambisonic W; 201 ambisonic X; \
    202 ambisonic Y; 203 ambisonic Z; 204 mid; 205 side; 206 X of XY; 207 Y of XY; 301 headphones left; \
    302 headphones right; 304 click track; 305 foreign language; 400 discrete; 4294967295 unknown
    """
  }

  /// AudioChannelBitmap.
  static var channelBits: ValueNames {
    """
    0x1 left; 0x2 right; 0x4 centre; 0x8 low frequencies; 0x10 left surround; 0x20 right surround; 0x40 left centre; \
    0x80 right centre; 0x100 centre surround; 0x200 left surround direct; 0x400 right surround direct; \
    0x800 top centre; 0x1000 vertical height left; 0x2000 vertical height centre; 0x4000 vertical height right; \
    0x8000 top back left; 0x10000 top back centre; 0x20000 top back right
    """
  }

  /// The upper half of AudioChannelLayoutTag; the lower half is the number of channels.
  fileprivate static var channelLayouts: ValueNames {
    """
    0 by descriptions; 1 by bitmap; 100 mono; 101 stereo; 102 stereo headphones; 103 matrix stereo; 104 mid and side; \
    105 XY; 106 binaural; 107 ambisonic B format; 108 quadraphonic; 109 pentagonal; 110 hexagonal; 111 octagonal; \
    112 cube; 113 MPEG 3.0 A; 114 MPEG 3.0 B; 115 MPEG 4.0 A; 116 MPEG 4.0 B; 117 MPEG 5.0 A; 118 MPEG 5.0 B; \
    119 MPEG 5.0 C; 120 MPEG 5.0 D; 121 MPEG 5.1 A; 122 MPEG 5.1 B; 123 MPEG 5.1 C; 124 MPEG 5.1 D; 125 MPEG 6.1 A; \
    126 MPEG 7.1 A; 127 MPEG 7.1 B; 128 MPEG 7.1 C; 129 Emagic 7.1; 130 SMPTE DTV; 131 ITU 2.1; 132 ITU 2.2; \
    133 DVD 4; 134 DVD 5; 135 DVD 6; 136 DVD 10; 137 DVD 11; 138 DVD 18; 139 AudioUnit 6.0; 140 AudioUnit 7.0; \
    141 AAC 6.0; 142 AAC 6.1; 143 AAC 7.0; 144 AAC octagonal; 145 TMH 10.2; 146 TMH 10.2 full; 147 discrete; \
    148 AudioUnit 7.0 front; 149 AC-3 1.0.1; 150 AC-3 3.0; 151 AC-3 3.1; 152 AC-3 3.0.1; 153 AC-3 2.1.1; \
    154 AC-3 3.1.1
    """
  }
}

extension FieldCoder {
  /// A layout in the upper half of 32 bits, and the number of its channels in the lower half.
  mutating func channelLayoutTag(_ name: StaticText, _ value: inout UInt32) throws(BoxError) {
    guard mode == .read else { return try uint32(name, &value) }
    value = try reader.integer(name)
    let number = UInt64(value)
    let layout = isShowing ? ValueNames.channelLayouts.name(of: number >> 16) : nil
    show(name, layout.map { .explained(number, $0) } ?? .unsigned(number))
  }
}
