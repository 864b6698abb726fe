import Bytes

/// The document that defines these boxes.
private let spherical: StaticText = "Spherical Video V2 RFC"
