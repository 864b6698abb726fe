"""Writes a fragmented file of one-sample fragments: tiny.py SOURCE OUTPUT COUNT.

The samples are those of SOURCE, repeated: H.264 without B-frames.
"""
import struct, subprocess, sys

source, output, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = subprocess.run(
    ["ffmpeg", "-nostdin", "-v", "error", "-i", source, "-map", "0:v", "-c", "copy", "-f", "mp4",
     "-movflags", "+frag_every_frame+empty_moov+default_base_moof", "pipe:1"], capture_output=True, check=True).stdout
# The boxes before the fragments, and the contents of each mdat: one sample.
head, samples, position = len(data), [], 0
while position < len(data):
    size, kind = struct.unpack_from(">I4s", data, position)
    if kind == b"moof": head = min(head, position)
    if kind == b"mdat": samples.append(data[position + 8:position + size])
    position += size


def is_keyframe(sample):
    position = 0
    while position < len(sample):
        if sample[position + 4] & 31 == 5: return True
        position += 4 + struct.unpack_from(">I", sample, position)[0]
    return False


def box(kind, body):
    return struct.pack(">I4s", len(body) + 8, kind) + body


samples = [(sample, 0x2000000 if is_keyframe(sample) else 0x1010000) for sample in samples]
assert samples and samples[0][1] == 0x2000000
with open(output, "wb") as out:
    out.write(data[:head])
    for index in range(count):
        sample, flags = samples[index % len(samples)]
        def traf(offset):
            tfhd = box(b"tfhd", struct.pack(">II", 0x020000, 1))
            tfdt = box(b"tfdt", struct.pack(">IQ", 0x01000000, index * 512))
            trun = box(b"trun", struct.pack(">IIiIII", 0x701, 1, offset, 512, len(sample), flags))
            return box(b"traf", tfhd + tfdt + trun)
        mfhd = box(b"mfhd", struct.pack(">II", 0, index + 1))
        size = 8 + len(mfhd) + len(traf(0))
        out.write(box(b"moof", mfhd + traf(size + 8)) + box(b"mdat", sample))
