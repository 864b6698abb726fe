import ISOBMFF
import MP4Bytes

/// Stereoscopic and panoramic video.
let spatialBoxes: StaticText = """
  box must "Required Box Types Box" in vexu, eyes, cams, cmfy, proj, pack, "Apple: ISO Base Media File Format and \
  HEVC Stereo Video"
    version 0
    required_box_types[]  code

  box hero "Hero Stereo Eye Description Box" in eyes, "Apple: ISO Base Media File Format and HEVC Stereo Video"
    version 0
    hero_eye_indicator  uint(8) values 0 none; 1 left; 2 right

  box blin "Stereo Camera System Baseline Box" in cams, "Apple: ISO Base Media File Format and HEVC Stereo Video"
    version 0
    baseline_value  uint(32)

  box dadj "Stereo Comfort Disparity Adjustment Box" in cmfy, "Apple: ISO Base Media File Format and HEVC Stereo \
  Video"
    version 0
    disparity_adjustment  int(32)

  box prji "Projection Information Box" in proj, "Apple: ISO Base Media File Format and HEVC Stereo Video"
    version 0
    projection_kind  code

  box pkin "View Packing Information Box" in pack, "Apple: ISO Base Media File Format and HEVC Stereo Video"
    version 0
    view_packing_kind  code

  box hfov "Horizontal Field Of View Box" in <visual>, "Apple: ISO Base Media File Format and HEVC Stereo Video"
    field_of_view  uint(32)

  box st3d "Stereoscopic 3D Video Box" in <visual>, "Spherical Video V2 RFC"
    version 0
    stereo_mode  uint(8) values 0 mono; 1 top and bottom; 2 left and right; 3 stereo mesh; 4 right and left

  box svhd "Spherical Video Header Box" in sv3d, "Spherical Video V2 RFC"
    version 0
    metadata_source  string

  box prhd "Projection Header Box" in proj, "Spherical Video V2 RFC"
    version 0
    pose_yaw_degrees  int(32) fixed(16)
    pose_pitch_degrees  int(32) fixed(16)
    pose_roll_degrees  int(32) fixed(16)

  box equi "Equirectangular Projection Box" in proj, "Spherical Video V2 RFC"
    version 0
    projection_bounds_top  uint(32) fixed(32)
    projection_bounds_bottom  uint(32) fixed(32)
    projection_bounds_left  uint(32) fixed(32)
    projection_bounds_right  uint(32) fixed(32)

  box cbmp "Cubemap Projection Box" in proj, "Spherical Video V2 RFC"
    version 0
    layout  uint(32)
    padding  uint(32)

  box mshp "Mesh Projection Box" in proj, "Spherical Video V2 RFC"
    version 0
    crc  uint(32) hex
    encoding_four_cc  code
    meshes  bytes

  box SA3D "Spatial Audio Box" in <audio>, "Spatial Audio RFC"
    version  uint(8)
    head_locked_stereo  uint(1)
    ambisonic_type  uint(7) values 0 periphonic
    ambisonic_order  uint(32)
    ambisonic_channel_ordering  uint(8) values 0 ACN
    ambisonic_normalization  uint(8) values 0 SN3D
    num_channels  uint(32)
    channel_map[num_channels]  uint(32)

  box vexu "Video Extended Usage Box" in <visual>, "Apple: ISO Base Media File Format and HEVC Stereo Video"
  box eyes "Stereo View Box" in vexu, "Apple: ISO Base Media File Format and HEVC Stereo Video"
  box cams "Stereo Camera System Box" in eyes, "Apple: ISO Base Media File Format and HEVC Stereo Video"
  box cmfy "Stereo Comfort Box" in eyes, "Apple: ISO Base Media File Format and HEVC Stereo Video"
  box proj "Projection Box" in vexu, sv3d, "Apple: ISO Base Media File Format and HEVC Stereo Video"
  box pack "View Packing Box" in vexu, "Apple: ISO Base Media File Format and HEVC Stereo Video"
  box sv3d "Spherical Video Box" in <visual>, "Spherical Video V2 RFC"
    boxes
  """
