import ISOBMFF

/// The texts with the boxes that are only shown.
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
]
