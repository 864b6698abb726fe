import ISOBMFF
import MP4Bytes

/// Boxes that only QuickTime has.
let quickTimeBoxes: StaticText = """
  box WLOC "Window Location" in udta, "QuickTime File Format, User data atoms"
    x  int(16)
    y  int(16)

  box LOOP "Looping" in udta, "QuickTime File Format, User data atoms"
    looping  uint(32) values 0 from the start; 1 back and forth

  box SelO "Play Selection Only" in udta, "QuickTime File Format, User data atoms"
  box AllF "Play All Frames" in udta, "QuickTime File Format, User data atoms"
    flag  uint(8)

  box 'ptv ' "Print to Video" in udta, "QuickTime File Format, User data atoms"
    display_size  uint(16) values 0 normal; 1 double; 2 half; 3 full screen; 4 current
    reserved  bits(32)
    slide_show  uint(8)
    play_on_open  uint(8)

  box rdrf "Data Reference Atom" in rmda, "QuickTime File Format, Reference movies"
    version 0
    data_reference_type  code
    data_reference_size  uint(32)
    data_reference  bytes(8 * data_reference_size)

  box rmdr "Data Rate Atom" in rmda, "QuickTime File Format, Reference movies"
    version 0
    data_rate  uint(32)

  box rmcs "CPU Speed Atom" in rmda, "QuickTime File Format, Reference movies"
    version 0
    cpu_speed  uint(32)

  box rmvc "Version Check Atom" in rmda, "QuickTime File Format, Reference movies"
    version 0
    software_package  code
    Version  uint(32) hex
    mask  uint(32) hex
    check_type  uint(16)

  box rmcd "Component Detect Atom" in rmda, "QuickTime File Format, Reference movies"
    version 0
    component_type  code
    component_subtype  code
    component_manufacturer  code
    component_flags  uint(32) hex
    component_flags_mask  uint(32) hex
    minimum_version  uint(32) hex

  box rmqu "Quality Atom" in rmda, "QuickTime File Format, Reference movies"
    version 0
    quality  uint(32)

  box dcom "Data Compression Atom" in cmov, "QuickTime File Format, Compressed movie resources"
    compression_algorithm  code

  box cmvd "Compressed Movie Data Atom" in cmov, "QuickTime File Format, Compressed movie resources"
    uncompressed_size  uint(32)
    compressed_data  bytes

  box alis "Alias Data Reference" in dref, "QuickTime File Format, Data reference atoms"
  box rsrc "Resource Data Reference" in dref, "QuickTime File Format, Data reference atoms"
    version 0
    data  bytes

  box pnot "Preview Atom" in file, "QuickTime File Format, Preview atoms"
    modification_date  uint(32)
    version_number  uint(16)
    atom_type  code
    atom_index  uint(16)

  box clef "Track Clean Aperture Dimensions" in tapt, "QuickTime File Format, Track aperture modes"
  box prof "Track Production Aperture Dimensions" in tapt, "QuickTime File Format, Track aperture modes"
  box enof "Track Encoded Pixels Dimensions" in tapt, "QuickTime File Format, Track aperture modes"
    version 0
    width  uint(32) fixed(16)
    height  uint(32) fixed(16)

  box load "Track Load Settings Atom" in trak, "QuickTime File Format, Track load settings atoms"
    preload_start_time  uint(32)
    preload_duration  uint(32)
    preload_flags  uint(32) values 1 whenever the movie is opened; 2 when the track is enabled
    default_hints  uint(32) flags 0x20 keep in buffer; 0x100 high quality

  box 0x0000696e "Track Input Atom" in imap, "QuickTime File Format, Track input map atoms"
    atom_ID  uint(32)
    reserved  bits(16)
    child_count  uint(16)
    reserved  bits(32)
    boxes

  box 0x00007479 "Input Type Atom" in 0x0000696e, "QuickTime File Format, Track input map atoms"
  box obid "Object ID Atom" in 0x0000696e, "QuickTime File Format, Track input map atoms"
    value  uint(32)

  box crgn "Clipping Region Atom" in clip, "QuickTime File Format, Clipping atoms"
    region_size  uint(16)
    top  int(16)
    left  int(16)
    bottom  int(16)
    right  int(16)
    region_data  bytes

  box gmin "Base Media Info Atom" in gmhd, "QuickTime File Format, Base media info atom"
    version 0
    graphicsmode  uint(16) values <graphicsModes>
    opcolor[3]  uint(16)
    balance  int(16) fixed(8)
    reserved  bits(16)

  box tcmi "Timecode Media Information Atom" in tmcd, "QuickTime File Format, Timecode media information"
    version 0
    text_font  uint(16)
    text_face  uint(16) flags <textFaces>
    text_size  uint(16)
    reserved  bits(16)
    text_color[3]  uint(16)
    background_color[3]  uint(16)
    font_name  counted

  box keyd "Metadata Key Declaration Atom" in keys, "QuickTime File Format, Timed metadata"
    key_namespace  code
    key_value  string

  box loca "Metadata Locale Definition Atom" in keys, "QuickTime File Format, Timed metadata"
    locale_string  string

  box hlit "Text Highlight Box", "3GPP TS 26.245, 5.17"
  box blnk "Blinking Text Box", "3GPP TS 26.245, 5.17"
    startcharoffset  uint(16)
    endcharoffset  uint(16)

  box hclr "Text Highlight Colour Box", "3GPP TS 26.245, 5.17"
    highlight_color_rgba  uint(32) hex

  box krok "Text Karaoke Box", "3GPP TS 26.245, 5.17"
    highlight_start_time  uint(32)
    entry_count  uint(16)
    entries[entry_count]
      highlight_end_time  uint(32)
      startcharoffset  uint(16)
      endcharoffset  uint(16)

  box dlay "Text Scroll Delay Box", "3GPP TS 26.245, 5.17"
    scroll_delay  uint(32)

  box href "Text Hypertext Box", "3GPP TS 26.245, 5.17"
    startcharoffset  uint(16)
    endcharoffset  uint(16)
    URL  counted
    altstring  counted

  box tbox "Text Box Box", "3GPP TS 26.245, 5.17"
    top  int(16)
    left  int(16)
    bottom  int(16)
    right  int(16)

  box twrp "Text Wrap Box", "3GPP TS 26.245, 5.17"
    wrap_flag  uint(8)

  box ctab "Color Table Atom" in moov, "QuickTime File Format, Color table atoms"
    color_table_seed  uint(32)
    color_table_flags  uint(16) hex
    color_table_size  uint(16)
    colors[color_table_size + 1]
      index  uint(16)
      red  uint(16)
      green  uint(16)
      blue  uint(16)

  box kmat "Compressed Matte Atom" in matt, "QuickTime File Format, Track matte atoms"
    version 0
    matte_data  bytes

  box name "Timecode Source Name" in tmcd, "QuickTime File Format, Timecode sample description"
    text_size  uint(16)
    language  uint(16) language
    text  string(8 * text_size)

  box tapt "Track Aperture Mode Dimensions" in trak, "QuickTime File Format, Track aperture modes"
  box imap "Track Input Map Atom" in trak, "QuickTime File Format, Track input map atoms"
  box clip "Clipping Atom" in moov, trak, "QuickTime File Format, Clipping atoms"
  box matt "Track Matte Atom" in trak, "QuickTime File Format, Track matte atoms"
  box rmra "Reference Movie Atom" in moov, "QuickTime File Format, Reference movies"
  box rmda "Reference Movie Descriptor Atom" in rmra, "QuickTime File Format, Reference movies"
    boxes

  box PICT "Preview Picture" in file, "QuickTime File Format, Preview atoms"
    bytes
  """
