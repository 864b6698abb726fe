import ISOBMFF
import MP4Bytes

/// WebVTT and other text samples.
let textBoxes: StaticText = """
  box vlab "WebVTT Source Label Box" in wvtt, "ISO/IEC 14496-30:2018, 7.5"
    source_label  string

  box vsid "Cue Source ID Box" in vttc, "ISO/IEC 14496-30:2018, 7.4"
    source_ID  int(32)

  box ctim "Cue Time Box" in vttc, "ISO/IEC 14496-30:2018, 7.4"
    cue_current_time  string

  box iden "Cue ID Box" in vttc, "ISO/IEC 14496-30:2018, 7.4"
    cue_id  string

  box sttg "Cue Settings Box" in vttc, "ISO/IEC 14496-30:2018, 7.4"
    settings  string

  box payl "Cue Payload Box" in vttc, "ISO/IEC 14496-30:2018, 7.4"
    cue_text  string

  box vtta "VTT Additional Text Box", "ISO/IEC 14496-30:2018, 7.4"
    cue_additional_text  string

  box 'uri ' "URI Box" in urim, "ISO/IEC 14496-12:2022, 12.3.3"
    version 0
    theURI  string

  box uriI "URI Init Box" in urim, "ISO/IEC 14496-12:2022, 12.3.3"
    version 0
    uri_initialization_data  bytes

  box txtC "Text Config Box" in stxt, sbtt, mett, "ISO/IEC 14496-12:2022, 12.5.3"
    version 0
    text_config  string
  """
