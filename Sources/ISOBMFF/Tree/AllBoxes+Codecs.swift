import Bytes

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
  BoxDefinition(H263SpecificBox.self), BoxDefinition(H263BitrateBox.self),
  BoxDefinition(JPEGXSVideoInformationBox.self), BoxDefinition(JPEGXSProfileLevelBox.self),
  .container("jpvs", "JPEG XS Video Support Box", in: ["jxsm"], "ISO/IEC 21122-3, annex A"),
  .opaque("jxsH", "JPEG XS Codestream Header Box", in: ["jxsm"], "ISO/IEC 21122-3, annex B"),
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

/// What is said of pictures besides how they are coded.
let videoExtensions: [BoxDefinition] = [
  BoxDefinition(SMPTE2086MasteringDisplayBox.self), BoxDefinition(VPContentLightLevelBox.self),
  BoxDefinition(AmbientViewingEnvironmentBox.self), BoxDefinition(ChromaLocationBox.self),
  BoxDefinition(GammaBox.self), BoxDefinition(GlobalHeaderBox.self), BoxDefinition(AvidBox.self),
  BoxDefinition(AvidBox.progressive, as: AvidBox.self), BoxDefinition(AvidBox.resolution, as: AvidBox.self),
  BoxDefinition(AvidProfileBox.self),
  BoxDefinition(CodingConstraintsBox.self), BoxDefinition(AuxiliaryTypeInfoBox.self),
  BoxDefinition(MPEG4ExtensionDescriptorsBox.self), BoxDefinition(LCEVCConfigurationBox.self),
]

/// The boxes of JPEG 2000, in Motion JPEG 2000 and by themselves.
let jpeg2000: [BoxDefinition] = [
  .container("jp2h", "JP2 Header Box", in: [.file, "mjp2"], "ISO/IEC 15444-1, I.5.3"),
  .container("res ", "Resolution Box", in: ["jp2h"], "ISO/IEC 15444-1, I.5.3.7"),
  BoxDefinition(JP2ImageHeaderBox.self), BoxDefinition(JP2BitsPerComponentBox.self),
  BoxDefinition(JP2PaletteBox.self), BoxDefinition(JP2ComponentMappingBox.self),
  BoxDefinition(JP2ResolutionBox.self), BoxDefinition(JP2ResolutionBox.display, as: JP2ResolutionBox.self),
]

/// How content was protected before there was Common Encryption, and beside it.
let otherProtection: [BoxDefinition] =
  ([OMADRMURIBox.info] + OMADRMURIBox.others).map {
    BoxDefinition($0, as: OMADRMURIBox.self)
  } + [
    BoxDefinition(OMADRMContainerBox.self),
    BoxDefinition(OMADRMContainerBox.keyManagement, as: OMADRMContainerBox.self),
    BoxDefinition(OMADRMHeadersBox.self), BoxDefinition(OMADRMCommonHeadersBox.self),
    BoxDefinition(OMADRMContentObjectBox.self), BoxDefinition(OMADRMAUFormatBox.self),
    BoxDefinition(OMADRMGroupIDBox.self), BoxDefinition(OMADRMTransactionTrackingBox.self),
    BoxDefinition(OMADRMRightsObjectBox.self),
    .container("mdri", "Mutable DRM Information Box", in: [.file], "OMA DRM Content Format 2.1, 5.3.1"),
    BoxDefinition(ISMAKMSBox.self), BoxDefinition(ISMASampleFormatBox.self), BoxDefinition(ISMACrypSaltBox.self),
    BoxDefinition(AdobeDRMContainerBox.self),
    BoxDefinition(AdobeDRMContainerBox.drmHeader, as: AdobeDRMContainerBox.self),
    BoxDefinition(AdobeDRMContainerBox.standardEncryption, as: AdobeDRMContainerBox.self),
    BoxDefinition(AdobeDRMContainerBox.keyInfo, as: AdobeDRMContainerBox.self),
    BoxDefinition(AdobeEncryptionInfoBox.self), BoxDefinition(AdobeFlashAccessParamsBox.self),
    BoxDefinition(AdobeDRMAUFormatBox.self),
    .container("satr", "Stream Attributes Box", in: ["schi"], "Marlin File Formats"),
    .container("marl", "Marlin Box", in: [.file], "Marlin Simple Secure Streaming 1.1"),
    BoxDefinition(OctopusIDBox.self), BoxDefinition(OctopusIDBox.streamType, as: OctopusIDBox.self),
    BoxDefinition(OctopusBundleBox.self), BoxDefinition(MarlinKeyIDBox.self), BoxDefinition(BaseLocationBox.self),
    .opaque("hmac", "Marlin Authentication Code", in: ["schi"], "Marlin File Formats"),
    .opaque("gkey", "Marlin Group Key", in: ["schi"], "Marlin File Formats"),
    BoxDefinition(FairPlayNumberBox.self), BoxDefinition(FairPlayNumberBox.key, as: FairPlayNumberBox.self),
    BoxDefinition(FairPlayIVBox.self), BoxDefinition(FairPlayIVBox.privateKeys, as: FairPlayIVBox.self),
    BoxDefinition(FairPlayIVBox.signature, as: FairPlayIVBox.self),
    BoxDefinition(FairPlayIVBox.certificate, as: FairPlayIVBox.self),
    BoxDefinition(FairPlayRightsBox.self), BoxDefinition(FairPlayNameBox.self),
  ]
