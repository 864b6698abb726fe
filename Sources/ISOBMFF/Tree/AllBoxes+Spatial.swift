import Bytes

/// Stereo and spherical video.
let spatialBoxes: [BoxDefinition] = [
  .container("vexu", "Video Extended Usage Box", in: SampleEntries.visualTypes, spatial),
  .container("eyes", "Stereo View Box", in: ["vexu"], spatial),
  .container("cams", "Stereo Camera System Box", in: ["eyes"], spatial),
  .container("cmfy", "Stereo Comfort Box", in: ["eyes"], spatial),
  .container("proj", "Projection Box", in: ["vexu", "sv3d"], spatial),
  .container("pack", "View Packing Box", in: ["vexu"], spatial),
  .container("sv3d", "Spherical Video Box", in: SampleEntries.visualTypes, "Spherical Video V2 RFC"),
  BoxDefinition(StereoViewInformationBox.self),
]
