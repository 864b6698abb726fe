import Bytes
import ISOBMFF

/// The texts with the boxes, and the kinds of sample groups, that are only shown.
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
