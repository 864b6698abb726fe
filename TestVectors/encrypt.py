#!/usr/bin/env python3
"""Encrypts a fragmented file with the scheme cbcs of ISO/IEC 23001-7, for make.sh; ffmpeg 5.1 does not support it.

  encrypt.py INPUT OUTPUT

Video: the first 36 bytes of each coded slice stay clear, and one of every ten blocks of the rest is encrypted (senc, saiz
and saio in each traf). Audio: all complete blocks of each sample are encrypted, so samples need no information. The key
is 00112233445566778899aabbccddeeff, its ID 0123456789abcdef0123456789abcdef, and the constant IV f0f1 to ff.
"""
import struct, sys

KEY, KEY_ID = bytes.fromhex("00112233445566778899aabbccddeeff"), bytes.fromhex("0123456789abcdef0123456789abcdef")
IV = bytes(range(0xF0, 0x100))
CLEAR = 36  # the size of a NAL unit, its header, and more than the slice header


def times_two(a):
    return (a << 1 ^ (0x11B if a & 0x80 else 0)) & 0xFF


def substitutions():
    """The S-box of FIPS 197: inverses in GF(2^8), then an affine map."""
    box, p, q = [0] * 256, 1, 1
    while True:
        p ^= times_two(p)
        for shift in (1, 2, 4):
            q ^= q << shift & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        turned = [(q << n | q >> 8 - n) & 0xFF for n in range(5)]
        box[p] = turned[0] ^ turned[1] ^ turned[2] ^ turned[3] ^ turned[4] ^ 0x63
        if p == 1:
            break
    box[0] = 0x63
    return box


SBOX = substitutions()


def round_keys(key):
    words, constant = [list(key[i : i + 4]) for i in range(0, 16, 4)], 1
    while len(words) < 44:
        word = words[-1]
        if len(words) % 4 == 0:
            word = [SBOX[b] for b in word[1:] + word[:1]]
            word[0] ^= constant
            constant = times_two(constant)
        words.append([a ^ b for a, b in zip(word, words[-4])])
    return [sum(words[i : i + 4], []) for i in range(0, 44, 4)]


KEYS = round_keys(KEY)


def encrypt_block(block):
    state = [a ^ b for a, b in zip(block, KEYS[0])]
    for number in range(1, 11):
        state = [SBOX[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if number < 10:
            mixed = []
            for column in range(0, 16, 4):
                a = state[column : column + 4]
                for i in range(4):
                    b, c = a[i], a[(i + 1) % 4]
                    mixed.append(times_two(b) ^ times_two(c) ^ c ^ a[(i + 2) % 4] ^ a[(i + 3) % 4])
            state = mixed
        state = [a ^ b for a, b in zip(state, KEYS[number])]
    return bytes(state)


assert encrypt_block(KEY).hex() == "62f679be2bf0d931641e039ca3401bb2"  # from openssl enc -aes-128-ecb


def encrypt(data, crypt, skip):
    """Encrypts complete blocks with CBC, `crypt` of every `crypt + skip`; the rest stays clear."""
    result, last, position = bytearray(data), IV, 0
    while position + 16 <= len(data):
        for _ in range(crypt):
            if position + 16 > len(data):
                break
            last = encrypt_block(bytes(a ^ b for a, b in zip(data[position : position + 16], last)))
            result[position : position + 16] = last
            position += 16
        position += 16 * skip
    return bytes(result)


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", len(body) + 8, kind) + body


def full(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def boxes(data):
    """The boxes of a part of a file: the type and payload of each."""
    at = 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + size]
        at += size


def protected(entry, kind, crypt, skip):
    tenc = full(b"tenc", 1, 0, bytes([0, crypt << 4 | skip, 1, 0]), KEY_ID, bytes([16]), IV)
    scheme = full(b"schm", 0, 0, b"cbcs", struct.pack(">I", 0x10000))
    sinf = box(b"sinf", box(b"frma", kind), scheme, box(b"schi", tenc))
    return box({b"avc1": b"encv", b"mp4a": b"enca"}[kind], entry, sinf)


def protect_movie(kind, body):
    """The same box with encrypted sample entries."""
    if kind == b"stsd":
        ((entry, fields),) = boxes(body[8:])
        return box(kind, body[:8], protected(fields, entry, *((1, 9) if entry == b"avc1" else (0, 0))))
    if kind not in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
        return box(kind, body)
    return box(kind, *(protect_movie(*child) for child in boxes(body)))


def protect_picture(sample):
    """The encrypted sample, and its subsamples: clear bytes, then protected bytes."""
    result, ranges, at, clear = b"", [], 0, 0
    while at < len(sample):
        (size,) = struct.unpack(">I", sample[at : at + 4])
        unit = sample[at : at + 4 + size]
        if unit[4] & 0x1F in (1, 5) and len(unit) >= CLEAR + 16:
            result += unit[:CLEAR] + encrypt(unit[CLEAR:], 1, 9)
            ranges.append((clear + CLEAR, len(unit) - CLEAR))
            clear = 0
        else:
            result += unit
            clear += len(unit)
        at += len(unit)
    if clear:
        ranges.append((clear, 0))
    return result, struct.pack(">H", len(ranges)) + b"".join(struct.pack(">HI", *pair) for pair in ranges)


def samples(track):
    """The offset of the sample data of a traf relative to the moof: default-base-is-moof, one run, sizes."""
    header, (run,) = dict(track)[b"tfhd"], [body for kind, body in track if kind == b"trun"]
    flags, default = struct.unpack(">I", header[:4])[0], 8
    for bit in (0x1, 0x2, 0x8):
        default += (8 if bit == 0x1 else 4) if flags & bit else 0
    fields, count, offset = struct.unpack(">IIi", run[:12])
    at = 12 + (4 if fields & 0x4 else 0)
    for _ in range(count):
        size = struct.unpack(">I", header[default : default + 4])[0]
        at += 4 if fields & 0x100 else 0
        if fields & 0x200:
            (size,) = struct.unpack(">I", run[at : at + 4])
            at += 4
        at += 4 * (fields >> 10 & 1) + 4 * (fields >> 11 & 1)
        yield offset, size
        offset += size


def protect_fragment(moof, mdat, pictures):
    """The encrypted moof and mdat."""
    data, base, added = bytearray(mdat), len(moof) + 16, {}
    for number, (kind, traf) in enumerate(boxes(moof)):
        if kind != b"traf":
            continue
        track = list(boxes(traf))
        is_picture = struct.unpack(">I", dict(track)[b"tfhd"][4:8])[0] == pictures
        entries = []
        for offset, size in samples(track):
            place = slice(offset - base, offset - base + size)
            if is_picture:
                data[place], entry = protect_picture(bytes(data[place]))
                entries.append(entry)
            else:
                data[place] = encrypt(bytes(data[place]), 1, 0)
        if is_picture:
            added[number] = entries
    growth = sum(16 + 17 + len(e) + 20 + sum(map(len, e)) for e in added.values())
    result, at = b"", 8
    for number, (kind, body) in enumerate(boxes(moof)):
        if kind == b"traf":
            children = b""
            for child, fields in boxes(body):
                if child == b"trun":
                    (offset,) = struct.unpack(">i", fields[8:12])
                    fields = fields[:8] + struct.pack(">i", offset + growth) + fields[12:]
                children += box(child, fields)
            if number in added:
                entries = added[number]
                count = struct.pack(">I", len(entries))
                saiz = full(b"saiz", 0, 0, b"\0", count, bytes(map(len, entries)))
                # The entries of senc follow its header, version, flags and count.
                place = at + 8 + len(children) + len(saiz) + 20 + 16
                saio = full(b"saio", 0, 0, struct.pack(">II", 1, place))
                children += saiz + saio + full(b"senc", 0, 2, count, *entries)
            body = children
        result += box(kind, body)
        at = 8 + len(result)
    assert len(result) == len(moof) + growth
    return box(b"moof", result) + box(b"mdat", bytes(data))


def main(source, target):
    result, moof = b"", b""
    for kind, body in boxes(open(source, "rb").read()):
        if kind == b"moof":
            moof = body
        elif kind == b"mdat":
            result += protect_fragment(moof, body, pictures=1)
        elif kind != b"mfra":  # its offsets would be wrong
            result += protect_movie(kind, body)
    open(target, "wb").write(result)


main(*sys.argv[1:])
