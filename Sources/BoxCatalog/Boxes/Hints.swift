import ISOBMFF
import MP4Bytes

/// Hint tracks and file delivery.
let hintsBoxes: StaticText = """
  fields entry
    reserved  bits(32)
    reserved  bits(16)
    data_reference_index  uint(16) initially 1

  box 'rtp ' "RTP Hint Sample Entry" in stsd, "ISO/IEC 14496-12:2022, 9.1.2"
  box srtp "SRTP Hint Sample Entry" in stsd, "ISO/IEC 14496-12:2022, 9.1.2"
  box rrtp "Received RTP Hint Sample Entry" in stsd, "ISO/IEC 14496-12:2022, 9.4.1"
  box rsrp "Received SRTP Hint Sample Entry" in stsd, "ISO/IEC 14496-12:2022, 9.4.1"
  box prtp "Protected RTP Reception Hint Sample Entry" in stsd, "ISO/IEC 14496-12:2022, 9.4.1"
    <entry>
    hinttrackversion  uint(16) initially 1
    highestcompatibleversion  uint(16) initially 1
    maxpacketsize  uint(32)
    boxes

  box hmhd "Hint Media Header Box" in minf, "ISO/IEC 14496-12:2022, 12.4.3"
    version 0
    maxPDUsize  uint(16)
    avgPDUsize  uint(16)
    maxbitrate  uint(32)
    avgbitrate  uint(32)
    reserved  bits(32)

  box tims "Time Scale Entry" in 'rtp ', srtp, rrtp, rsrp, 'fdp ', "ISO/IEC 14496-12:2022, 9.1.2"
    timescale  uint(32)

  box tsro "Time Offset" in 'rtp ', srtp, rrtp, rsrp, "ISO/IEC 14496-12:2022, 9.1.2"
    offset  int(32)

  box snro "Sequence Offset" in 'rtp ', srtp, rrtp, rsrp, "ISO/IEC 14496-12:2022, 9.1.2"
    offset  int(32)

  box tssy "Timestamp Synchrony Box" in rrtp, rsrp, "ISO/IEC 14496-12:2022, 9.4.1"
    reserved  bits(6)
    timestamp_sync  uint(2)

  box srpp "SRTP Process Box" in srtp, rsrp, "ISO/IEC 14496-12:2022, 9.1.2"
    version 0
    encryption_algorithm_rtp  code
    encryption_algorithm_rtcp  code
    integrity_algorithm_rtp  code
    integrity_algorithm_rtcp  code
    boxes

  box 'sdp ' "RTP Track SDP Hint Information" in hnti, "ISO/IEC 14496-12:2022, 9.1.4"
    sdptext  string

  box trpy "Total Bytes Sent, with RTP headers" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
  box tpyl "Total Bytes Sent, without RTP headers" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
  box dmed "Bytes Sent from Media Tracks" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
  box dimm "Bytes Sent of Immediate Data" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
  box drep "Bytes of Repeated Packets" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
    bytessent  uint(64)

  box nump "Total Packets Sent" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
    packetssent  uint(64)

  box totl "Total Bytes Sent, 32 bits" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
  box tpay "Total Bytes Sent, without RTP headers, 32 bits" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
    bytessent  uint(32)

  box npck "Total Packets Sent, 32 bits" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
    packetssent  uint(32)

  box maxr "Maximum Data Rate" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
    period  uint(32)
    bytes  uint(32)

  box tmin "Smallest Relative Transmission Time" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
  box tmax "Largest Relative Transmission Time" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
    time  int(32)

  box dmax "Longest Packet" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
    time  uint(32)

  box pmax "Largest Packet" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
    bytes  uint(32)

  box payt "Payload ID" in hinf, "ISO/IEC 14496-12:2022, 9.1.5"
    payloadID  uint(32)
    count  uint(8)
    rtpmap_string  bytes(8 * count)

  box tPAT "Program Association Table Box" in sm2t, rm2t, "ISO/IEC 14496-12:2022, 9.3.2"
  box tPMT "Program Map Table Box" in sm2t, rm2t, "ISO/IEC 14496-12:2022, 9.3.2"
    reserved  bits(3)
    PID  uint(13)
    sectiondata  bytes

  box segr "FD Session Group Box" in fiin, "ISO/IEC 14496-12:2022, 8.13.5"
    num_session_groups  uint(16)
    session_groups[num_session_groups]
      entry_count  uint(8)
      group_ID[entry_count]  uint(32)
      num_channels_in_session_group  uint(16)
      hint_track_ID[num_channels_in_session_group]  uint(32)

  box gitn "Group ID to Name Box" in fiin, "ISO/IEC 14496-12:2022, 8.13.6"
    version 0
    entry_count  uint(16)
    entries[entry_count]
      group_ID  uint(32)
      group_name  string

  box 'fdp ' "File Delivery Hint Sample Entry" in stsd, "ISO/IEC 14496-12:2022, 9.2.2"
    <entry>
    hinttrackversion  uint(16)
    highestcompatibleversion  uint(16)
    partition_entry_ID  uint(16)
    FEC_overhead  uint(16) fixed(8)
    boxes

  box sm2t "MPEG-2 TS Server Sample Entry" in stsd, "ISO/IEC 14496-12:2022, 9.3.2"
  box rm2t "MPEG-2 TS Reception Sample Entry" in stsd, "ISO/IEC 14496-12:2022, 9.3.2"
  box pm2t "Protected MPEG-2 TS Reception Sample Entry" in stsd, "ISO/IEC 14496-12:2022, 9.3.2"
    <entry>
    hinttrackversion  uint(16)
    highestcompatibleversion  uint(16)
    precedingbyteslen  uint(8)
    trailingbyteslen  uint(8)
    precomputed_only_flag  uint(1)
    reserved  bits(7)
    boxes

  box fpar "File Partition Box" in paen, "ISO/IEC 14496-12:2022, 8.13.3"
    version 0 to 1
    item_ID  uint(version == 0 ? 16 : 32)
    packet_payload_size  uint(16)
    reserved  bits(8)
    FEC_encoding_ID  uint(8)
    FEC_instance_ID  uint(16)
    max_source_block_length  uint(16)
    encoding_symbol_length  uint(16)
    max_number_of_encoding_symbols  uint(16)
    scheme_specific_info  string
    entry_count  uint(version == 0 ? 16 : 32)
    blocks[entry_count]
      block_count  uint(16)
      block_size  uint(32)

  box fecr "FEC Reservoir Box" in paen, "ISO/IEC 14496-12:2022, 8.13.4"
  box fire "File Reservoir Box" in paen, "ISO/IEC 14496-12:2022, 8.13.7"
    version 0 to 1
    entry_count  uint(version == 0 ? 16 : 32)
    entries[entry_count]
      item_ID  uint(version == 0 ? 16 : 32)
      symbol_count  uint(32)

  box 'rtp ' "RTP Movie Hint Information" in hnti, "ISO/IEC 14496-12:2022, 9.1.4"
    descriptionformat  code
    sdptext  string

  box hnti "Hint Information" in udta, "ISO/IEC 14496-12:2022, 9.1.4"
  box hinf "Hint Statistics Box" in udta, "ISO/IEC 14496-12:2022, 9.1.5"
  box paen "Partition Entry" in fiin, "ISO/IEC 14496-12:2022, 8.13.2"
    boxes
  """
