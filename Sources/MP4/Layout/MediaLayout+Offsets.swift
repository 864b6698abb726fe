import Bytes
import ISOBMFF

extension MediaLayout {
  /// Puts the chunk offsets of every track into `moov`, for media data that starts at `mediaStart` and auxiliary information of
  /// the tracks that starts at `auxiliaryStart`.
  func setOffsets(in moov: inout Box, mediaStart: Int, auxiliaryStart: Int, large: Bool) {
    var track = 0
    var auxiliaryStart = auxiliaryStart
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      var offsets = [tables[track].chunkOffsets(mediaStart: mediaStart, large: large)]
      if let saio = tables[track].details.auxiliaryOffset(auxiliaryStart, large: large) { offsets.append(saio) }
      auxiliaryStart += tables[track].details.auxiliaryBytes.count
      track += 1
      moov.boxes[index].edit("mdia") { mdia in
        mdia.edit("minf") { minf in
          minf.edit("stbl") { stbl in
            stbl.boxes.removeAll { ["stco", "co64", "saio"].contains($0.type) }
            let front =
              stbl.boxes.firstIndex { $0.type == "stsz" || $0.type == "stz2" }.map { $0 + 1 } ?? stbl.boxes.count
            stbl.boxes.insert(contentsOf: offsets, at: front)
          }
        }
      }
    }
  }
}
