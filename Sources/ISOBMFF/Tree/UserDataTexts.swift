import MP4Bytes

/// The text items of QuickTime user data.
enum UserDataTexts {
  static let definitions =
    [BoxDefinition(UserDataTextBox.self)]
    + BoxDefinition.list(
      """
      ©alb Album | ©arg Arranger | ©ark Keywords of the arranger | ©ART Artist | ©aut Author | ©cmt Comment
      ©cok Keywords of the composer | ©com Composer | ©cpy Copyright | ©day Date | ©des Description | ©dir Director
      ©dis Disclaimer | ©ed1 Edit date 1 | ©ed2 Edit date 2 | ©ed3 Edit date 3 | ©ed4 Edit date 4 | ©ed5 Edit date 5
      ©ed6 Edit date 6 | ©ed7 Edit date 7 | ©ed8 Edit date 8 | ©ed9 Edit date 9 | ©enc Encoder | ©fmt Format
      ©gen Genre | ©grp Grouping | ©hst Host computer | ©inf Information | ©isr ISRC | ©key Keywords | ©lab Record label
      ©lal Record label URL | ©lyr Lyrics | ©mak Make | ©mal Make URL | ©mod Model | ©nak Keywords of the title
      ©ope Original artist | ©pdk Keywords of the producer | ©phg Recording copyright | ©prd Producer | ©PRD Product
      ©prf Performers | ©prk Keywords of the performer | ©prl Performer URL | ©req Requirements
      ©snk Keywords of the subtitle | ©snm Subtitle | ©sol Soloist | ©src Source credits | ©swf Songwriter
      ©swk Keywords of the songwriter | ©swr Software | ©TIM Start timecode | ©too Encoding tool | ©trk Track number
      ©TSC Timecode scale | ©TSZ Timecode size | ©url URL | ©wrn Warning | ©wrt Writer | ©xyz Location
      """, in: ["udta"], UserDataTextBox.info.clause, as: UserDataTextBox.self)
}
