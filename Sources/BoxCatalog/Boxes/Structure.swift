import ISOBMFF

let structureBoxes: StaticText = """
  box hmhd "Hint Media Header Box" in minf, "ISO/IEC 14496-12:2022, 12.4.3"
    version 0
    maxPDUsize  uint(16)
    avgPDUsize  uint(16)
    maxbitrate  uint(32)
    avgbitrate  uint(32)
    reserved  bits(32)
  """
