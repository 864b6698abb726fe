import Bytes

/// The data rates up to each priority.
public struct SVCPriorityLayerInfoBox: BoxPayload, Equatable {
  /// The NAL units up to one priority.
  public struct Layer: BoxTableRow {
    /// The number of the layer.
    public var layer: UInt8 = 0
    /// Profile, constraint flags and level.
    public var profileLevel: UInt32 = 0
    /// In bits a second.
    public var maxBitrate: UInt32 = 0
    /// In bits a second.
    public var avgBitrate: UInt32 = 0
    /// Nothing.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("pr_layer", &layer)
      try c.uint24("profile_level_idc", &profileLevel, as: .hexadecimal)
      try c.uint32("max_bitrate", &maxBitrate)
      try c.uint32("avg_bitrate", &avgBitrate)
    }
  }
  public static let info = BoxInfo(
    "qlif", "SVC Priority Layer Information Box", in: ["svcM"], "ISO/IEC 14496-15:2022, 6")
  /// The layers.
  public var layers = BoxTable<Layer>()
  /// No layers.
  public init() {}

  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    var count = UInt8(clamping: layers.count)
    try c.uint8("pr_layer_num", &count)
    try c.table("layers", &layers, count: count)
  }
}

/// How the statements in the samples of a track about SVC are to be read.
public struct SVCMetadataConfigBox: FullBoxPayload, Equatable {
  /// A type of statements that others defined.
  public struct StatementType: BoxTableRow {
    /// The number of the type.
    public var type: UInt8 = 0
    /// Who defined it.
    public var namespace: BoxString = ""
    /// Type 0.
    public init() {}
    public mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("statement_type", &type)
      try c.string("statement_namespace", &namespace)
    }
  }
  public static let info = BoxInfo("svmC", "SVC Metadata Sample Config Box", in: ["svcM"], "ISO/IEC 14496-15:2022, 6")
  public var header = FullBoxHeader()
  /// The type of the statement that every sample is.
  public var sampleStatementType: UInt8 = 0
  /// The type of statements that say none.
  public var defaultStatementType: UInt8 = 0
  /// The length of statements that say none.
  public var defaultStatementLength: UInt8 = 0
  /// The types that others defined.
  public var statementTypes: [StatementType] = []
  /// Nothing.
  public init() {}

  public mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) {
    try c.uint8("sample_statement_type", &sampleStatementType)
    try c.uint8("default_statement_type", &defaultStatementType)
    try c.uint8("default_statement_length", &defaultStatementLength)
    var count = UInt8(clamping: statementTypes.count)
    try c.uint8("entry_count", &count)
    try c.rows("statement_types", &statementTypes, count: count)
  }
}
