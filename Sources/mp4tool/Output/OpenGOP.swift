/// The description of what commands do where samples of a track follow others that do not precede them in the source.
enum OpenGOP {
  static let description =
    "Where samples follow others that did not precede them, decoding must start again. At IDR pictures, and at "
    + "keyframes of AV1 and other codecs, it does. At an open GOP of H.265, the CRA picture becomes a BLA picture: the "
    + "types of its NAL units change. A CRA picture of H.266 follows an end of sequence, which adds a few bytes. "
    + "Keyframes near a splice at which readers would wrongly start decoding are no longer marked as keyframes. Notes "
    + "count these changes, and `mp4tool diff --samples` reports them apart from others. H.264 cannot start again at "
    + "an open GOP."
}
