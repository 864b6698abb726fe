/// A language by its QuickTime or Macintosh code.
package struct QuickTimeLanguage {
  /// Codes from here on are three letters of five bits each.
  package static let limit: UInt16 = 0x400
  /// The ISO 639-2 code for terminology.
  package let letters: String
  /// The English name.
  package let name: String

  /// `nil` for a number that is not a language.
  package init?(_ number: UInt16) {
    guard number < Self.limit, let entry = Self.all.name(of: UInt64(number)) else { return nil }
    (letters, name) = (String(entry.prefix(3)), String(entry.dropFirst(4)))
  }

  /// QuickTime File Format, Language code values.
  private static let all: ValueNames = """
    0 eng English; 1 fra French; 2 deu German; 3 ita Italian; 4 nld Dutch; 5 swe Swedish; 6 spa Spanish; 7 dan Danish; \
    8 por Portuguese; 9 nor Norwegian; 10 heb Hebrew; 11 jpn Japanese; 12 ara Arabic; 13 fin Finnish; 14 ell Greek; \
    15 isl Icelandic; 16 mlt Maltese; 17 tur Turkish; 18 hrv Croatian; 19 zho Traditional Chinese; 20 urd Urdu; \
    21 hin Hindi; 22 tha Thai; 23 kor Korean; 24 lit Lithuanian; 25 pol Polish; 26 hun Hungarian; 27 est Estonian; \
    28 lav Latvian; 29 smi Sami; 30 fao Faroese; 31 fas Persian; 32 rus Russian; 33 zho Simplified Chinese; \
    34 nld Flemish; 35 gle Irish; 36 sqi Albanian; 37 ron Romanian; 38 ces Czech; 39 slk Slovak; 40 slv Slovenian; \
    41 yid Yiddish; 42 srp Serbian; 43 mkd Macedonian; 44 bul Bulgarian; 45 ukr Ukrainian; 46 bel Belarusian; \
    47 uzb Uzbek; 48 kaz Kazakh; 49 aze Azerbaijani, Cyrillic; 50 aze Azerbaijani, Arabic; 51 hye Armenian; \
    52 kat Georgian; 53 ron Moldavian; 54 kir Kyrgyz; 55 tgk Tajik; 56 tuk Turkmen; 57 mon Mongolian; \
    58 mon Mongolian, Cyrillic; 59 pus Pashto; 60 kur Kurdish; 61 kas Kashmiri; 62 snd Sindhi; 63 bod Tibetan; \
    64 nep Nepali; 65 san Sanskrit; 66 mar Marathi; 67 ben Bengali; 68 asm Assamese; 69 guj Gujarati; 70 pan Punjabi; \
    71 ori Oriya; 72 mal Malayalam; 73 kan Kannada; 74 tam Tamil; 75 tel Telugu; 76 sin Sinhala; 77 mya Burmese; \
    78 khm Khmer; 79 lao Lao; 80 vie Vietnamese; 81 ind Indonesian; 82 tgl Tagalog; 83 msa Malay, Latin; \
    84 msa Malay, Arabic; 85 amh Amharic; 87 orm Oromo; 88 som Somali; 89 swa Swahili; 90 kin Kinyarwanda; \
    91 run Rundi; 92 nya Nyanja; 93 mlg Malagasy; 94 epo Esperanto; 128 cym Welsh; 129 eus Basque; 130 cat Catalan; \
    131 lat Latin; 132 que Quechua; 133 grn Guarani; 134 aym Aymara; 135 tat Tatar; 136 uig Uighur; 137 dzo Dzongkha; \
    138 jav Javanese, Latin
    """
}
