/// The characters of single-byte encodings from 0xa0 on; for Windows encodings from 0x80 on.
enum SingleByteTable {
  /// The characters of an encoding, up to that of byte 0xff; 0 for undefined bytes.
  static func characters(of name: String) -> [UInt16]? {
    tables[name].map { table in
      table.utf8.split { $0 == 0x20 || $0 == 0x0a }.map(Substring.init).flatMap(numbers)
    }
  }

  /// `1f` is a code point, `1f+3` adds the three after it, and `-3` skips three undefined bytes.
  private static func numbers(_ word: Substring) -> [UInt16] {
    if word.utf8.first == UInt8(ascii: "-") {
      return Array(repeating: 0, count: Int(Substring(word.utf8.dropFirst())) ?? 1)
    }
    let parts = word.utf8.split(separator: UInt8(ascii: "+")).map(Substring.init)
    let first = parts.first.flatMap { UInt16($0, radix: 16) } ?? 0
    return (0..<(parts.count > 1 ? UInt16(parts[1]) ?? 0 : 1)).map { first &+ $0 }
  }

  /// The tables by encoding name.
  private static let tables: [String: String] = [
    "iso-8859-1": "a0+96",
    "iso-8859-2": """
    a0 104 2d8 141 a4 13d 15a a7+2 160 15e 164 179 ad 17d 17b b0 105 2db 142 b4 13e 15b 2c7 b8 161 15f 165 17a
    2dd 17e 17c 154 c1+2 102 c4 139 106 c7 10c c9 118 cb 11a cd+2 10e 110 143 147 d3+2 150 d6+2 158 16e da 170
    dc+2 162 df 155 e1+2 103 e4 13a 107 e7 10d e9 119 eb 11b ed+2 10f 111 144 148 f3+2 151 f6+2 159 16f fa 171
    fc+2 163 2d9
    """,
    "iso-8859-3": """
    a0 126 2d8 a3+2 - 124 a7+2 130 15e 11e 134 ad - 17b b0 127 b2+4 125 b7+2 131 15f 11f 135 bd - 17c c0+3 - c4
    10a 108 c7+9 - d1+4 120 d6+2 11c d9+4 16c 15c df+4 - e4 10b 109 e7+9 - f1+4 121 f6+2 11d f9+4 16d 15d 2d9
    """,
    "iso-8859-4": """
    a0 104 138 156 a4 128 13b a7+2 160 112 122 166 ad 17d af+2 105 2db 157 b4 129 13c 2c7 b8 161 113 123 167 14a
    17e 14b 100 c1+6 12e 10c c9 118 cb 116 cd+2 12a 110 145 14c 136 d4+5 172 da+3 168 16a df 101 e1+6 12f 10d e9
    119 eb 117 ed+2 12b 111 146 14d 137 f4+5 173 fa+3 169 16b 2d9
    """,
    "iso-8859-5": "a0 401+12 ad 40e+66 2116 451+12 a7 45e+2",
    "iso-8859-6": "a0 -3 a4 -7 60c ad -13 61b -3 61f - 621+26 -5 640+19 -13",
    "iso-8859-7": """
    a0 2018+2 a3 20ac 20af a6+4 37a ab+3 - 2015 b0+4 384+3 b7 388+3 bb 38c bd 38e+20 - 3a3+44 -
    """,
    "iso-8859-8": "a0 - a2+8 d7 ab+15 f7 bb+4 -32 2017 5d0+27 -2 200e+2 -",
    "iso-8859-9": "a0+48 11e d1+12 130 15e df+17 11f f1+12 131 15f ff",
    "iso-8859-10": """
    a0 104 112 122 12a 128 136 a7 13b 110 160 166 17d ad 16a 14a b0 105 113 123 12b 129 137 b7 13c 111 161 167
    17e 2015 16b 14b 100 c1+6 12e 10c c9 118 cb 116 cd+4 145 14c d3+4 168 d8 172 da+6 101 e1+6 12f 10d e9 119 eb
    117 ed+4 146 14d f3+4 169 f8 173 fa+5 138
    """,
    "iso-8859-11": "a0 e01+58 -4 e3f+29 -4",
    "iso-8859-13": """
    a0 201d a2+3 201e a6+2 d8 a9 156 ab+4 c6 b0+4 201c b5+3 f8 b9 157 bb+4 e6 104 12e 100 106 c4+2 118 112 10c
    c9 179 116 122 136 12a 13b 160 143 145 d3 14c d5+3 172 141 15a 16a dc 17b 17d df 105 12f 101 107 e4+2 119
    113 10d e9 17a 117 123 137 12b 13c 161 144 146 f3 14d f5+3 173 142 15b 16b fc 17c 17e 2019
    """,
    "iso-8859-14": """
    a0 1e02+2 a3 10a+2 1e0a a7 1e80 a9 1e82 1e0b 1ef2 ad+2 178 1e1e+2 120+2 1e40+2 b6 1e56 1e81 1e57 1e83 1e60
    1ef3 1e84+2 1e61 c0+16 174 d1+6 1e6a d8+6 176 df+17 175 f1+6 1e6b f8+6 177 ff
    """,
    "iso-8859-15": "a0+4 20ac a5 160 a7 161 a9+11 17d b5+3 17e b9+3 152+2 178 bf+65",
    "iso-8859-16": """
    a0 104+2 141 20ac 201e 160 a7 161 a9 218 ab 179 ad 17a+2 b0+2 10c 142 17d 201d b6+2 17e 10d 219 bb 152+2 178
    17c c0+3 102 c4 106 c6+10 110 143 d2+3 150 d6 15a 170 d9+4 118 21a df+4 103 e4 107 e6+10 111 144 f2+3 151 f6
    15b 171 f9+4 119 21b ff
    """,
    "windows-1250": """
    20ac - 201a - 201e 2026 2020+2 - 2030 160 2039 15a 164 17d 179 - 2018+2 201c+2 2022 2013+2 - 2122 161 203a
    15b 165 17e 17a a0 2c7 2d8 141 a4 104 a6+4 15e ab+4 17b b0+2 2db 142 b4+5 105 15f bb 13d 2dd 13e 17c 154
    c1+2 102 c4 139 106 c7 10c c9 118 cb 11a cd+2 10e 110 143 147 d3+2 150 d6+2 158 16e da 170 dc+2 162 df 155
    e1+2 103 e4 13a 107 e7 10d e9 119 eb 11b ed+2 10f 111 144 148 f3+2 151 f6+2 159 16f fa 171 fc+2 163 2d9
    """,
    "windows-1251": """
    402+2 201a 453 201e 2026 2020+2 20ac 2030 409 2039 40a 40c 40b 40f 452 2018+2 201c+2 2022 2013+2 - 2122 459
    203a 45a 45c 45b 45f a0 40e 45e 408 a4 490 a6+2 401 a9 404 ab+4 407 b0+2 406 456 491 b5+3 451 2116 454 bb
    458 405 455 457 410+64
    """,
    "windows-1252": """
    20ac - 201a 192 201e 2026 2020+2 2c6 2030 160 2039 152 - 17d -2 2018+2 201c+2 2022 2013+2 2dc 2122 161 203a
    153 - 17e 178 a0+96
    """,
    "windows-1253": """
    20ac - 201a 192 201e 2026 2020+2 - 2030 - 2039 -5 2018+2 201c+2 2022 2013+2 - 2122 - 203a -4 a0 385+2 a3+7 -
    ab+4 2015 b0+4 384 b5+3 388+3 bb 38c bd 38e+20 - 3a3+44 -
    """,
    "windows-1254": """
    20ac - 201a 192 201e 2026 2020+2 2c6 2030 160 2039 152 -4 2018+2 201c+2 2022 2013+2 2dc 2122 161 203a 153 -2
    178 a0+48 11e d1+12 130 15e df+17 11f f1+12 131 15f ff
    """,
    "windows-1255": """
    20ac - 201a 192 201e 2026 2020+2 2c6 2030 - 2039 -5 2018+2 201c+2 2022 2013+2 2dc 2122 - 203a -4 a0+4 20aa
    a5+5 d7 ab+15 f7 bb+5 5b0+10 - 5bb+9 5f0+5 -7 5d0+27 -2 200e+2 -
    """,
    "windows-1256": """
    20ac 67e 201a 192 201e 2026 2020+2 2c6 2030 679 2039 152 686 698 688 6af 2018+2 201c+2 2022 2013+2 6a9 2122
    691 203a 153 200c+2 6ba a0 60c a2+8 6be ab+15 61b bb+4 61f 6c1 621+22 d7 637+4 640+4 e0 644 e2 645+4 e7+5
    649+2 ee+2 64b+4 f4 64f+2 f7 651 f9 652 fb+2 200e+2 6d2
    """,
    "windows-1257": """
    20ac - 201a - 201e 2026 2020+2 - 2030 - 2039 - a8 2c7 b8 - 2018+2 201c+2 2022 2013+2 - 2122 - 203a - af 2db
    - a0 - a2+3 - a6+2 d8 a9 156 ab+4 c6 b0+8 f8 b9 157 bb+4 e6 104 12e 100 106 c4+2 118 112 10c c9 179 116 122
    136 12a 13b 160 143 145 d3 14c d5+3 172 141 15a 16a dc 17b 17d df 105 12f 101 107 e4+2 119 113 10d e9 17a
    117 123 137 12b 13c 161 144 146 f3 14d f5+3 173 142 15b 16b fc 17c 17e 2d9
    """,
    "windows-1258": """
    20ac - 201a 192 201e 2026 2020+2 2c6 2030 - 2039 152 -4 2018+2 201c+2 2022 2013+2 2dc 2122 - 203a 153 -2 178
    a0+35 102 c4+8 300 cd+3 110 d1 309 d3+2 1a0 d6+7 1af 303 df+4 103 e4+8 301 ed+3 111 f1 323 f3+2 1a1 f6+7 1b0
    20ab ff
    """,
  ]
}
