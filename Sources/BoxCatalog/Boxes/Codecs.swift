import ISOBMFF
import MP4Bytes

/// Codec configurations, video properties, and older forms of protection.
let codecsBoxes: StaticText = """
  box vvnC "VVC NALU Configuration Box" in vvcN, vvs1, "ISO/IEC 14496-15:2022, 11.2.4.3"
    version 0
    reserved  bits(6)
    LengthSizeMinusOne  uint(2)

  box d263 "H.263 Specific Box" in s263, encv, "3GPP TS 26.244, 6.8"
    vendor  code
    decoder_version  uint(8)
    H263_Level  uint(8)
    H263_Profile  uint(8)
    boxes

  box bitr "Bitrate Box" in d263, "3GPP TS 26.244, 6.8"
    Avg_Bitrate  uint(32)
    Max_Bitrate  uint(32)

  box jpvi "JPEG XS Video Information Box" in jxsm, jpvs, "ISO/IEC 21122-3, annex A"
    brat  uint(32)
    frat  uint(32) flags 0x3f000000=0x2000000 divided by 1.001; 0xffff=# pictures a second
    schar  uint(16) flags 0x8000 valid; 0xf0=# bits of a sample less 1:
    tcod  uint(32) hex

  box jxpl "JPEG XS Profile and Level Box" in jxsm, jpvs, "ISO/IEC 21122-3, annex A"
    Ppih  uint(16) hex
    Plev  uint(16) hex

  box mhaP "MHA Profile And Level Compatibility Set Box" in mha1, mha2, mhm1, mhm2, enca, "ISO/IEC 23008-3:2022, 20.7"
    numCompatibleSets  uint(8)
    CompatibleSetIndication  bytes(8 * numCompatibleSets)

  box damr "AMR Specific Box" in samr, sawb, enca, "3GPP TS 26.244, 6.7"
    vendor  code
    decoder_version  uint(8)
    mode_set  uint(16) hex
    mode_change_period  uint(8)
    frames_per_sample  uint(8)

  box dawp "AMR-WB+ Specific Box" in sawp, "3GPP TS 26.244, 6.9"
    vendor  code
    decoder_version  uint(8)

  box devc "EVRC Specific Box" in sevc, "3GPP2 C.S0050"
  box dqcp "QCELP Specific Box" in sqcp, "3GPP2 C.S0050"
  box dsmv "SMV Specific Box" in ssmv, "3GPP2 C.S0050"
    vendor  code
    decoder_version  uint(8)
    frames_per_sample  uint(8)

  box CoLL "Content Light Level Box" in vp08, vp09, encv, "VP codecs in ISOBMFF 1.0"
    version 0
    maxCLL  uint(16)
    maxFALL  uint(16)

  box amve "Ambient Viewing Environment Box" in <visual>, "ISO/IEC 14496-12:2022, 12.1.9"
    ambient_illuminance  uint(32)
    ambient_light_x  uint(16)
    ambient_light_y  uint(16)

  box chrm "Chroma Location" in <visual>, "QuickTime File Format"
    top_field  uint(8) values 0 left; 1 centre; 2 top left; 3 top; 4 bottom left; 5 bottom
    bottom_field  uint(8) values 0 left; 1 centre; 2 top left; 3 top; 4 bottom left; 5 bottom

  box gama "Gamma" in <visual>, "QuickTime File Format"
    gamma  uint(32) fixed(16)

  box glbl "Global Header" in <visual>, "MP4 Registration Authority"
    data  bytes

  box ACLR "Avid Colour Range" in AVdn, AVdh, AVup, "QuickTime File Format"
  box APRG "Avid Field Order" in AVdn, AVdh, AVup, "QuickTime File Format"
  box ARES "Avid Resolution" in AVdn, AVdh, AVup, "QuickTime File Format"
    tag  code
    version  code
    values  bytes

  box ADHR "Avid DNxHR Profile" in AVdn, AVdh, AVup, "QuickTime File Format"
    version  code
    compression_id  uint(32)
    values  bytes

  box ccst "Coding Constraints Box" in <visual>, "ISO/IEC 23008-12:2022, 7.2.3"
    version 0
    all_ref_pics_intra  uint(1)
    intra_pred_used  uint(1)
    max_ref_per_pic  uint(4)
    reserved  bits(26)

  box auxi "Auxiliary Type Info Box" in <visual>, "ISO/IEC 23008-12:2022, 7.5.4"
    version 0
    aux_track_type  string

  box ihdr "Image Header Box" in jp2h, "ISO/IEC 15444-1, I.5.3.1"
    HEIGHT  uint(32)
    WIDTH  uint(32)
    NC  uint(16)
    BPC  uint(8)
    C  uint(8)
    UnkC  uint(8)
    IPR  uint(8)

  box bpcc "Bits Per Component Box" in jp2h, "ISO/IEC 15444-1, I.5.3.2"
    BPC  bytes

  box pclr "Palette Box" in jp2h, j2kH, "ISO/IEC 15444-1, I.5.3.4"
    NE  uint(16)
    NPC  uint(8)
    B  bytes(8 * NPC)
    C  bytes

  box cmap "Component Mapping Box" in jp2h, j2kH, "ISO/IEC 15444-1, I.5.3.5"
    channels[]
      CMP  uint(16)
      MTYP  uint(8)
      PCOL  uint(8)

  box resc "Capture Resolution Box" in 'res ', "ISO/IEC 15444-1, I.5.3.7.1"
  box resd "Default Display Resolution Box" in 'res ', "ISO/IEC 15444-1, I.5.3.7.2"
    VRN  uint(16)
    VRD  uint(16)
    HRN  uint(16)
    HRD  uint(16)
    VRE  int(8)
    HRE  int(8)

  box icnu "Icon URI Box" in udta, "OMA DRM Content Format 2.1, 5.4"
  box infu "Info URL Box" in udta, "OMA DRM Content Format 2.1, 5.4"
  box cvru "Cover URI Box" in udta, "OMA DRM Content Format 2.1, 5.4"
  box lrcu "Lyrics URI Box" in udta, "OMA DRM Content Format 2.1, 5.4"
    version 0
    uri  string

  box odrm "OMA DRM Container Box" in file, "OMA DRM Content Format 2.1, 6.3"
  box odkm "OMA DRM Key Management System Box" in schi, "OMA DRM Content Format 2.1, 7.2"
    version 0
    boxes

  box odhe "Discrete Headers Box" in odrm, "OMA DRM Content Format 2.1, 6.3.2"
    version 0
    ContentTypeLength  uint(8)
    ContentType  string(8 * ContentTypeLength)
    boxes

  box ohdr "Common Headers Box" in odhe, odkm, "OMA DRM Content Format 2.1, 5.2.1"
    version 0
    EncryptionMethod  uint(8) values 0 none; 1 AES-128 CBC; 2 AES-128 CTR
    PaddingScheme  uint(8) values 0 none; 1 RFC 2630
    PlaintextLength  uint(64)
    ContentIDLength  uint(16)
    RightsIssuerURLLength  uint(16)
    TextualHeadersLength  uint(16)
    ContentID  string(8 * ContentIDLength)
    RightsIssuerURL  string(8 * RightsIssuerURLLength)
    TextualHeaders  string(8 * TextualHeadersLength)
    boxes

  box odda "Content Object Box" in odrm, "OMA DRM Content Format 2.1, 6.3.3"
    version 0
    OMADRMDataLength  uint(64)

  box odaf "Access Unit Format Box" in odkm, "OMA DRM Content Format 2.1, 7.3"
    version 0
    SelectiveEncryption  uint(1)
    reserved  bits(7)
    KeyIndicatorLength  uint(8)
    IVLength  uint(8)

  box grpi "Group ID Box" in ohdr, "OMA DRM Content Format 2.1, 5.2.2"
    version 0
    GroupIDLength  uint(16)
    GKEncryptionMethod  uint(8) values 0 none; 1 AES-128 CBC; 2 AES-128 CTR
    GKLength  uint(16)
    GroupID  string(8 * GroupIDLength)
    GroupKey  bytes(8 * GKLength)

  box odtt "Transaction Tracking Box" in mdri, "OMA DRM Content Format 2.1, 5.3.2"
    version 0
    TransactionID  bytes(128)

  box odrb "Rights Object Box" in mdri, "OMA DRM Content Format 2.1, 5.3.3"
    version 0
    OMADRMRightsObject  bytes

  box iKMS "ISMA Key Management System Box" in schi, "ISMA Encryption 2.0, 5.7.1"
    version 0 to 1
    when version > 0
      kms_ID  code
      kms_version  uint(32)
    kms_URI  string

  box iSFM "ISMA Sample Format Box" in schi, "ISMA Encryption 2.0, 5.7.2"
    version 0
    selective_encryption  uint(1)
    reserved  bits(7)
    key_indicator_length  uint(8)
    IV_length  uint(8)

  box iSLT "ISMACryp Salt Box" in schi, "ISMA Encryption 2.0, 5.7.3"
    salt  bytes(64)

  box adkm "Adobe DRM Key Management System Box" in schi, "Adobe Flash Video File Format 10.1, 2.14"
  box ahdr "Adobe DRM Header Box" in adkm, "Adobe Flash Video File Format 10.1, 2.14"
  box aprm "Adobe Standard Encryption Params Box" in ahdr, "Adobe Flash Video File Format 10.1, 2.14"
  box akey "Adobe Key Info Box" in aprm, "Adobe Flash Video File Format 10.1, 2.14"
    version 0
    boxes

  box aeib "Adobe Encryption Info Box" in aprm, "Adobe Flash Video File Format 10.1, 2.14"
    version 0
    EncryptionAlgorithm  string
    KeyLength  uint(8)

  box flxs "Adobe Flash Access Params Box" in akey, "Adobe Flash Video File Format 10.1, 2.14"
    FMRMSMetadata  string

  box adaf "Adobe DRM Access Unit Format Box" in adkm, "Adobe Flash Video File Format 10.1, 2.14"
    version 0
    SelectiveEncryption  uint(8) hex
    reserved  bits(8)
    IVLength  uint(8)

  box '8id ' "Octopus ID Box" in schi, satr, "Marlin File Formats"
  box styp "Stream Type Box" in satr, "Marlin File Formats"
    value  string

  box bloc "Base Location Box" in file, "DECE Common File Format 2.2, 2.2.3"
    version 0
    baseLocation  string(2048)
    purchaseLocation  string(2048)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)
    reserved  bits(32)

  box user "FairPlay User ID" in schi, "FairPlay in iTunes files"
  box 'key ' "FairPlay Key ID" in schi, "FairPlay in iTunes files"
    number  uint(32) hex

  box iviv "FairPlay Initialization Vector" in schi, "FairPlay in iTunes files"
  box priv "FairPlay Private Keys" in schi, "FairPlay in iTunes files"
  box sign "FairPlay Signature" in schi, sinf, "FairPlay in iTunes files"
  box cert "FairPlay Certificate" in schi, sinf, "FairPlay in iTunes files"
    data  bytes

  box righ "FairPlay Rights" in schi, "FairPlay in iTunes files"
    rights[]
      name  code
      value  uint(32)

  box SmDm "SMPTE-2086 Mastering Display Metadata Box" in vp08, vp09, encv, "VP codecs in ISOBMFF 1.0"
    version 0
    primaryRChromaticity_x  uint(16) fixed(16)
    primaryRChromaticity_y  uint(16) fixed(16)
    primaryGChromaticity_x  uint(16) fixed(16)
    primaryGChromaticity_y  uint(16) fixed(16)
    primaryBChromaticity_x  uint(16) fixed(16)
    primaryBChromaticity_y  uint(16) fixed(16)
    whitePointChromaticity_x  uint(16) fixed(16)
    whitePointChromaticity_y  uint(16) fixed(16)
    luminanceMax  uint(32) fixed(8)
    luminanceMin  uint(32) fixed(14)

  box mkid "Marlin Key ID Box" in marl, "Marlin Simple Secure Streaming 1.1"
    version 0
    entry_count  uint(32)
    entries[entry_count]
      entry_size  uint(32) must be 16 or more
      KID  bytes(128)
      content_id  string(8 * (entry_size - 16))

  box name "FairPlay User Name" in schi, "FairPlay in iTunes files"
    name  text

  box mdri "Mutable DRM Information Box" in file, "OMA DRM Content Format 2.1, 5.3.1"
  box satr "Stream Attributes Box" in schi, "Marlin File Formats"
  box marl "Marlin Box" in file, "Marlin Simple Secure Streaming 1.1"
    boxes

  box hmac "Marlin Authentication Code" in schi, "Marlin File Formats"
  box gkey "Marlin Group Key" in schi, "Marlin File Formats"
    bytes

  box jpvs "JPEG XS Video Support Box" in jxsm, "ISO/IEC 21122-3, annex A"
    boxes

  box jxsH "JPEG XS Codestream Header Box" in jxsm, "ISO/IEC 21122-3, annex B"
    bytes
  """
