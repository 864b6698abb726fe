import ISOBMFF
import MP4Bytes

/// The definitions of the boxes, and of the kinds of sample groups, that are only shown.
let catalog: [StaticText] = [
  codecsBoxes,
  itemsBoxes,
  spatialBoxes,
  vendorsBoxes,
  textBoxes,
  hintsBoxes,
  propertiesBoxes,
  quickTimeBoxes,
  layersBoxes,
  sampleGroups,
  layerGroups,
]
