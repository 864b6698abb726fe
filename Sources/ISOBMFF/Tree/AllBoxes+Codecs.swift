import Bytes

/// Configurations of less common codecs.
let otherCodecs: [BoxDefinition] = [
  BoxDefinition(VVCConfigurationBox.self), BoxDefinition(EVCConfigurationBox.self),
  BoxDefinition(AVS3ConfigurationBox.self),
  BoxDefinition(SVCConfigurationBox.self),
  BoxDefinition(MVCConfigurationBox.self),
  BoxDefinition(AVCConfigurationBox.enhancement, as: AVCConfigurationBox.self),
  BoxDefinition(HEVCConfigurationBox.enhancement, as: HEVCConfigurationBox.self),
  BoxDefinition(DOVIConfigurationBox.self),
  BoxDefinition(DOVIConfigurationBox.secondGeneration, as: DOVIConfigurationBox.self),
  BoxDefinition(DOVIConfigurationBox.thirdGeneration, as: DOVIConfigurationBox.self),
  .container("jpvs", "JPEG XS Video Support Box", in: ["jxsm"], "ISO/IEC 21122-3, annex A"),
  .opaque("jxsH", "JPEG XS Codestream Header Box", in: ["jxsm"], "ISO/IEC 21122-3, annex B"),
  BoxDefinition(OpusSpecificBox.self), BoxDefinition(FLACSpecificBox.self), BoxDefinition(PCMConfigurationBox.self),
  BoxDefinition(AC3SpecificBox.self), BoxDefinition(EC3SpecificBox.self), BoxDefinition(AC4SpecificBox.self),
  BoxDefinition(MLPSpecificBox.self), BoxDefinition(DTSSpecificBox.self), BoxDefinition(DTSUHDSpecificBox.self),
  BoxDefinition(MHAConfigurationBox.self), BoxDefinition(IAConfigurationBox.self),
  BoxDefinition(AVS3AudioConfigurationBox.self),
]

/// Properties of video other than the codec configuration.
let videoExtensions: [BoxDefinition] = [
  BoxDefinition(MPEG4ExtensionDescriptorsBox.self),
  BoxDefinition(LCEVCConfigurationBox.self),
]

/// The boxes of JPEG 2000, in Motion JPEG 2000 and in image files.
let jpeg2000: [BoxDefinition] = [
  .container("jp2h", "JP2 Header Box", in: [.file, "mjp2"], "ISO/IEC 15444-1, I.5.3"),
  .container("res ", "Resolution Box", in: ["jp2h"], "ISO/IEC 15444-1, I.5.3.7"),
]

/// Content protection other than Common Encryption.
let otherProtection: [BoxDefinition] = [
  .container("mdri", "Mutable DRM Information Box", in: [.file], "OMA DRM Content Format 2.1, 5.3.1"),
  .container("satr", "Stream Attributes Box", in: ["schi"], "Marlin File Formats"),
  .container("marl", "Marlin Box", in: [.file], "Marlin Simple Secure Streaming 1.1"),
  BoxDefinition(OctopusBundleBox.self),
  .opaque("hmac", "Marlin Authentication Code", in: ["schi"], "Marlin File Formats"),
  .opaque("gkey", "Marlin Group Key", in: ["schi"], "Marlin File Formats"),
]
