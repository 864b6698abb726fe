/// How codecs are configured, besides the commonest ones.
let otherCodecs: [BoxDefinition] = [
  BoxDefinition(VVCConfigurationBox.self), BoxDefinition(VVCNALUConfigurationBox.self),
  BoxDefinition(EVCConfigurationBox.self), BoxDefinition(AVS3ConfigurationBox.self),
  BoxDefinition(LHEVCConfigurationBox.self), BoxDefinition(SVCConfigurationBox.self),
  BoxDefinition(MVCConfigurationBox.self),
  BoxDefinition(AVCConfigurationBox.enhancement, as: AVCConfigurationBox.self),
  BoxDefinition(HEVCConfigurationBox.enhancement, as: HEVCConfigurationBox.self),
  BoxDefinition(DOVIConfigurationBox.self),
  BoxDefinition(DOVIConfigurationBox.secondGeneration, as: DOVIConfigurationBox.self),
  BoxDefinition(DOVIConfigurationBox.thirdGeneration, as: DOVIConfigurationBox.self),
  BoxDefinition(JPEGConfigurationBox.self), BoxDefinition(H263SpecificBox.self), BoxDefinition(H263BitrateBox.self),
  BoxDefinition(OpusSpecificBox.self), BoxDefinition(FLACSpecificBox.self), BoxDefinition(PCMConfigurationBox.self),
  BoxDefinition(AC3SpecificBox.self), BoxDefinition(EC3SpecificBox.self), BoxDefinition(AC4SpecificBox.self),
  BoxDefinition(MLPSpecificBox.self), BoxDefinition(DTSSpecificBox.self), BoxDefinition(DTSUHDSpecificBox.self),
  BoxDefinition(MHAConfigurationBox.self), BoxDefinition(MHACompatibilityBox.self),
  BoxDefinition(IAConfigurationBox.self), BoxDefinition(AVS3AudioConfigurationBox.self),
  BoxDefinition(AMRSpecificBox.self), BoxDefinition(AMRWPSpecificBox.self),
  BoxDefinition(SpeechSpecificBox.self),
  BoxDefinition(SpeechSpecificBox.qcelp, as: SpeechSpecificBox.self),
  BoxDefinition(SpeechSpecificBox.smv, as: SpeechSpecificBox.self),
]

/// How content was protected before there was Common Encryption, and beside it.
let otherProtection: [BoxDefinition] = [
  BoxDefinition(OMADRMContainerBox.self),
  BoxDefinition(OMADRMContainerBox.keyManagement, as: OMADRMContainerBox.self),
  BoxDefinition(OMADRMHeadersBox.self), BoxDefinition(OMADRMCommonHeadersBox.self),
  BoxDefinition(OMADRMContentObjectBox.self), BoxDefinition(OMADRMAUFormatBox.self),
  BoxDefinition(OMADRMGroupIDBox.self), BoxDefinition(OMADRMTransactionTrackingBox.self),
  BoxDefinition(OMADRMRightsObjectBox.self),
  .container("mdri", "Mutable DRM Information Box", in: [.file], "OMA DRM Content Format 2.1, 5.3.1"),
  BoxDefinition(ISMAKMSBox.self), BoxDefinition(ISMASampleFormatBox.self), BoxDefinition(ISMACrypSaltBox.self),
]
