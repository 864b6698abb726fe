#!/usr/bin/env python3
"""Writes a file with one box that has a table of many rows: a track run with all four columns, or sample sizes.

    rows.py trun|stsz OUTPUT COUNT
"""
import struct
import sys


def box(code, *parts):
    payload = b"".join(parts)
    return struct.pack(">I4s", 8 + len(payload), code) + payload


def full(code, flags, *parts):
    return box(code, struct.pack(">I", flags), *parts)


def trun(count):
    """Durations, sizes, flags and composition offsets like those of an encoder with two B-frames."""
    rows = bytearray()
    for n in range(count):
        size = 40000 + n % 97 if n % 60 == 0 else 1000 + n * 7919 % 5000
        flags = 0x2000000 if n % 60 == 0 else 0x1010000
        rows += struct.pack(">IIIi", 512, size, flags, (1024, 2560, 1024, 0, 512)[n % 5])
    run = full(b"trun", 0xF01, struct.pack(">Ii", count, 0), rows)
    return box(b"moof", full(b"mfhd", 0, struct.pack(">I", 1)),
               box(b"traf", full(b"tfhd", 0x20000, struct.pack(">I", 1)), run))


def stsz(count):
    sizes = b"".join(struct.pack(">I", 1000 + n * 7919 % 5000) for n in range(count))
    table = full(b"stsz", 0, struct.pack(">II", 0, count), sizes)
    return box(b"moov", box(b"trak", box(b"mdia", box(b"minf", box(b"stbl", table)))))


kind, output, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(output, "wb") as file:
    file.write({"trun": trun, "stsz": stsz}[kind](count))
