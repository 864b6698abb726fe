import Bytes

/// Hint tracks, and the delivery of files.
let hintBoxes: [BoxDefinition] =
  [
    BoxDefinition(RTPHintSampleEntry.self), BoxDefinition(FDHintSampleEntry.self), BoxDefinition(TimeScaleEntry.self),
    BoxDefinition(TimeOffsetEntry.self), BoxDefinition(SequenceOffsetEntry.self),
    BoxDefinition(TimestampSynchronyBox.self), BoxDefinition(SRTPProcessBox.self),
    .container("hnti", "Hint Information", in: ["udta"], "ISO/IEC 14496-12:2022, 9.1.4"),
    BoxDefinition(RTPMovieHintInformation.self), BoxDefinition(RTPTrackHintInformation.self),
    .container("hinf", "Hint Statistics Box", in: ["udta"], "ISO/IEC 14496-12:2022, 9.1.5"),
    BoxDefinition(HintBytesSentBox.self), BoxDefinition(HintPacketsSentBox.self), BoxDefinition(HintBytesBox.self),
    BoxDefinition(HintPacketsBox.self), BoxDefinition(HintMaximumRateBox.self), BoxDefinition(HintTimeBox.self),
    BoxDefinition(HintTimeBox.largest, as: HintTimeBox.self), BoxDefinition(HintLongestPacketBox.self),
    BoxDefinition(HintLargestPacketBox.self),
    BoxDefinition(HintPayloadIDBox.self),
    BoxDefinition(MPEG2TSSampleEntry.self), BoxDefinition(MPEG2TSSampleEntry.reception, as: MPEG2TSSampleEntry.self),
    BoxDefinition(MPEG2TSSampleEntry.protected, as: MPEG2TSSampleEntry.self),
    BoxDefinition(PATBox.self), BoxDefinition(PATBox.programMap, as: PATBox.self),
    BoxDefinition(FDItemInformationBox.self),
    .container("paen", "Partition Entry", in: ["fiin"], "ISO/IEC 14496-12:2022, 8.13.2"),
    BoxDefinition(FilePartitionBox.self), BoxDefinition(FECReservoirBox.self),
    BoxDefinition(FECReservoirBox.file, as: FECReservoirBox.self), BoxDefinition(FDSessionGroupBox.self),
    BoxDefinition(GroupIDToNameBox.self),
  ] + RTPHintSampleEntry.others.map { BoxDefinition($0, as: RTPHintSampleEntry.self) }
  + HintBytesSentBox.others.map { BoxDefinition($0, as: HintBytesSentBox.self) }
  + HintBytesBox.others.map { BoxDefinition($0, as: HintBytesBox.self) }
