/// What help says about inputs that are MPEG transport streams.
enum StreamInputs {
  /// The paragraph of commands that read them.
  static let description =
    "An MPEG transport stream (packets of 188, 192 or 204 bytes) is read like an MP4 file, and so is the packed audio "
    + "of HLS. Its H.264, H.265, H.266, MPEG-1 and MPEG-2 video, AAC (ADTS and LATM), AC-3, E-AC-3 and MPEG audio "
    + "become tracks, in which samples have the decode and presentation times of their PES packets. Its timed metadata "
    + "(ID3) and splice information (SCTE 35) become events. Other streams are omitted with a warning. The earliest "
    + "presentation time becomes 0. Parameter sets move to the sample entry, and filler data is omitted. Lost and "
    + "damaged packets are errors with their byte and time. If the times jump back, or ahead by more than 10 seconds, "
    + "the media continues without a gap, and a warning reports this. Encrypted streams are refused."
}
