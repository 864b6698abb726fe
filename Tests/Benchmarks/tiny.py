"""Makes a fragmented file of one-sample fragments: tiny.py SOURCE OUTPUT COUNT. The moov is that of a fragmented copy of SOURCE."""
import struct, subprocess, sys

source, output, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
head = subprocess.run(
    ["ffmpeg", "-nostdin", "-v", "error", "-i", source, "-map", "0:v", "-c", "copy", "-frames:v", "1", "-f", "mp4",
     "-movflags", "+frag_keyframe+empty_moov+default_base_moof", "pipe:1"], capture_output=True, check=True).stdout
moof = head.index(b"moof") - 4

def box(kind, body):
    return struct.pack(">I4s", len(body) + 8, kind) + body

# One NAL unit of filler data.
payload = struct.pack(">IB", 1496, 12) + bytes(1495)
with open(output, "wb") as out:
    out.write(head[:moof])
    for index in range(count):
        flags = 0x2000000 if index % 30 == 0 else 0x1010000
        def traf(offset):
            tfhd = box(b"tfhd", struct.pack(">III", 0x020000, 1, 0)[:8])
            tfdt = box(b"tfdt", struct.pack(">IQ", 0x01000000, index * 512))
            trun = box(b"trun", struct.pack(">IIiIII", 0x701, 1, offset, 512, len(payload), flags))
            return box(b"traf", tfhd + tfdt + trun)
        mfhd = box(b"mfhd", struct.pack(">II", 0, index + 1))
        size = 8 + len(mfhd) + len(traf(0))
        out.write(box(b"moof", mfhd + traf(size + 8)) + box(b"mdat", payload))
