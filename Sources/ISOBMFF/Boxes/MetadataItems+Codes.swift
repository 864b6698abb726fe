import MP4Bytes

/// The metadata items of iTunes, by code. Each contains a `data` box.
enum MetadataItems {
  static let definitions = BoxDefinition.list(codes, in: ["ilst"], "iTunes Metadata Format", holdsBoxes: true)
  /// The types of items that can contain `data`.
  static let types = definitions.map(\.info.type)

  /// An item with an undeclared code, for example the number of an entry of `keys`.
  static func generic(_ type: FourCC) -> BoxDefinition {
    var definition = BoxDefinition.container(type, "Metadata Item", in: ["ilst"], "QuickTime File Format")
    definition.isGuess = true
    return definition
  }

  /// The style in which the number of an item is shown.
  static func style(of item: FourCC) -> NumberStyle { names[item].map { .named($0) } ?? .decimal }

  /// The names of the numbers of items.
  private static let names: [FourCC: ValueNames] = [
    "stik": """
    0 movie (old); 1 music; 2 audiobook; 5 whacked bookmark; 6 music video; 9 movie; 10 TV show; 11 booklet; \
    14 ringtone; 21 podcast; 23 iTunes U
    """,
    "rtng": "0 none; 1 explicit; 2 clean; 4 explicit (old)", "akID": "0 iTunes; 1 AOL",
    "hdvd": "0 no; 1 720p; 2 1080p", "cpil": "0 no; 1 yes", "pgap": "0 no; 1 yes", "pcst": "0 no; 1 yes",
    "itnu": "0 no; 1 yes", "shwm": "0 no; 1 yes",
  ]

  /// Texts, numbers, items of the iTunes Store, and classical music.
  private static let codes: StaticText = """
    ©nam Title | ©ART Artist | aART Album Artist | ©alb Album | ©grp Grouping | ©wrt Composer | ©com Composer
    ©cmt Comment | ©gen Genre | ©day Date | ©too Encoding Tool | ©enc Encoded By | ©lyr Lyrics | ©des Description
    ©cpy Copyright | ©inf Information | ©req Requirements | ©fmt Format | ©swr Software | ©mak Make | ©mod Model
    ©xyz Location | ©url URL | ©aut Author | ©dir Director | ©prd Producer | ©prf Performers | ©pub Publisher
    ©nrt Narrator | ©src Source Credits | ©key Keywords | ©dis Disclaimer | desc Description | ldes Long Description
    sdes Series Description | cprt Copyright | titl Title | dscp Description | auth Author | perf Performer
    albm Album | yrrc Recording Year | sonm Sort Name | soar Sort Artist | soaa Sort Album Artist | soal Sort Album
    soco Sort Composer | sosn Sort Show | tvsh Show | tvnn Network | tven Episode ID | keyw Keywords | catg Category
    purl Podcast URL | egid Episode Global ID | purd Purchase Date | ownr Owner | ---- Item with a name
    trkn Track Number | disk Disc Number | gnre Genre | covr Cover Art | tmpo Tempo | cpil Compilation | pgap Gapless
    stik Media Kind | rtng Advisory | hdvd HD Video | pcst Podcast | tvsn Season | tves Episode | rate Rating
    itnu iTunes U | shwm Show Movement
    apID Account | akID Account Kind | atID Artist ID | cnID Catalogue ID | cmID Composer ID | geID Genre ID
    plID Album ID | sfID Store Front | prID Product ID | xid  External ID | flvr Flavour
    ©wrk Work | ©mvn Movement Name | ©mvi Movement Number | ©mvc Number of Movements | ©con Conductor | ©sol Soloist
    ©arg Arranger | ©ope Original Artist | ©lab Record Label | ©phg Recording Copyright | ©isr ISRC | ©st3 Subtitle
    ©sne Sound Engineer | ©thx Thanks | ©xpd Executive Producer | ©art Art Director
    """
}

extension FourCC {
  /// Whether the value of this item is a number if its type does not declare its format.
  var isNumber: Bool {
    switch self {
    case "stik", "rtng", "akID", "hdvd", "cpil", "pgap", "pcst", "itnu", "shwm", "tmpo", "tvsn", "tves": true
    case "atID", "cnID", "cmID", "geID", "plID", "sfID": true
    default: false
    }
  }
}

extension ValueNames {
  /// QuickTime File Format, Well-known types, and additional types of iTunes.
  static var metadataTypes: ValueNames {
    """
    0 of the item; 1 UTF-8; 2 UTF-16; 3 Shift JIS; 4 UTF-8 for sorting; 5 UTF-16 for sorting; 6 HTML; 7 XML; 8 UUID; \
    9 ISRC; 10 MI3P; 12 GIF; 13 JPEG; 14 PNG; 15 URL; 16 duration; 17 date; 18 genres; 21 signed; 22 unsigned; \
    23 float, 32 bits; 24 float, 64 bits; 25 UPC; 27 BMP; 28 metadata; 65 signed, 8 bits; 66 signed, 16 bits; \
    67 signed, 32 bits; 70 point; 71 width and height; 72 rectangle; 74 signed, 64 bits; 75 unsigned, 8 bits; \
    76 unsigned, 16 bits; 77 unsigned, 32 bits; 78 unsigned, 64 bits; 79 matrix
    """
  }

  /// The genres of ID3 version 1, and those that Winamp added. The numbers here are larger by 1.
  static var genres: ValueNames {
    """
    1 Blues; 2 Classic Rock; 3 Country; 4 Dance; 5 Disco; 6 Funk; 7 Grunge; 8 Hip-Hop; 9 Jazz; 10 Metal; \
    11 New Age; 12 Oldies; 13 Other; 14 Pop; 15 R&B; 16 Rap; 17 Reggae; 18 Rock; 19 Techno; 20 Industrial; \
    21 Alternative; 22 Ska; 23 Death Metal; 24 Pranks; 25 Soundtrack; 26 Euro-Techno; 27 Ambient; 28 Trip-Hop; \
    29 Vocal; 30 Jazz+Funk; 31 Fusion; 32 Trance; 33 Classical; 34 Instrumental; 35 Acid; 36 House; 37 Game; \
    38 Sound Clip; 39 Gospel; 40 Noise; 41 Alternative Rock; 42 Bass; 43 Soul; 44 Punk; 45 Space; 46 Meditative; \
    47 Instrumental Pop; 48 Instrumental Rock; 49 Ethnic; 50 Gothic; 51 Darkwave; 52 Techno-Industrial; \
    53 Electronic; 54 Pop-Folk; 55 Eurodance; 56 Dream; 57 Southern Rock; 58 Comedy; 59 Cult; 60 Gangsta; \
    61 Top 40; 62 Christian Rap; 63 Pop/Funk; 64 Jungle; 65 Native American; 66 Cabaret; 67 New Wave; \
    68 Psychedelic; 69 Rave; 70 Showtunes; 71 Trailer; 72 Lo-Fi; 73 Tribal; 74 Acid Punk; 75 Acid Jazz; 76 Polka; \
    77 Retro; 78 Musical; 79 Rock & Roll; 80 Hard Rock; 81 Folk; 82 Folk-Rock; 83 National Folk; 84 Swing; \
    85 Fast Fusion; 86 Bebop; 87 Latin; 88 Revival; 89 Celtic; 90 Bluegrass; 91 Avantgarde; 92 Gothic Rock; \
    93 Progressive Rock; 94 Psychedelic Rock; 95 Symphonic Rock; 96 Slow Rock; 97 Big Band; 98 Chorus; \
    99 Easy Listening; 100 Acoustic; 101 Humour; 102 Speech; 103 Chanson; 104 Opera; 105 Chamber Music; 106 Sonata; \
    107 Symphony; 108 Booty Bass; 109 Primus; 110 Porn Groove; 111 Satire; 112 Slow Jam; 113 Club; 114 Tango; \
    115 Samba; 116 Folklore; 117 Ballad; 118 Power Ballad; 119 Rhythmic Soul; 120 Freestyle; 121 Duet; \
    122 Punk Rock; 123 Drum Solo; 124 A Cappella; 125 Euro-House; 126 Dance Hall; 127 Goa; 128 Drum & Bass; \
    129 Club-House; 130 Hardcore; 131 Terror; 132 Indie; 133 BritPop; 134 Afro-Punk; 135 Polsk Punk; 136 Beat; \
    137 Christian Gangsta Rap; 138 Heavy Metal; 139 Black Metal; 140 Crossover; 141 Contemporary Christian; \
    142 Christian Rock; 143 Merengue; 144 Salsa; 145 Thrash Metal; 146 Anime; 147 JPop; 148 Synthpop
    """
  }
}
