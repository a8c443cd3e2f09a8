#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""icrc.py FILE.pcap...: recomputes the ICRC of each RoCE packet, from the annexes A16 and A17 of IBTA's
   volume 1 and zlib's CRC. Prints how many of which kind, a line for each file; exit code 1 if one is wrong."""
import collections
import struct
import sys
import zlib


def packets(data):
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at < len(data):
        caplen = struct.unpack_from(order + "4I", data, at)[2]
        yield data[at + 16:at + 16 + caplen]
        at += 16 + caplen


def masked(p):
    """The packet behind Ethernet, without ICRC, with all that may change on the way set to ones; and its kind."""
    kind = struct.unpack_from("!H", p, 12)[0]
    b = bytearray(p[14:-4])
    if kind == 0x0800 and b[9] == 17 and b[22:24] == b"\x12\xb7":
        ones, bth, name = (1, 8, 10, 11, 26, 27), 28, "IPv4"
    elif kind == 0x86DD and b[6] == 17 and b[42:44] == b"\x12\xb7":
        ones, bth, name = (1, 2, 3, 7, 46, 47), 48, "IPv6"
    elif kind == 0x8915:
        ones, bth, name = (1, 2, 3, 7), 40, "GRH"
    else:
        return None, "other"
    if name != "IPv4":
        b[0] |= 0x0F
    for i in (*ones, bth + 4):
        b[i] = 0xFF
    return bytes(b), name


# A CNP that a ConnectX-4 Lx sent (bytes as published in secdev/scapy, test/contrib/roce.uts): the witness's witness.
HARDWARE = bytes.fromhex(
    "e41d2dab2bc2 7cfe90643b32 0800 45c2003c718c400040119161 0a001101 0a001201 000012b700280000"
    "8100ffff 40000118 00000000" + "00" * 16 + "82fd002a")


def icrc(body):
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + body))


assert icrc(masked(HARDWARE)[0]) == HARDWARE[-4:]
bad = 0
for path in sys.argv[1:]:
    seen = collections.Counter()
    for n, packet in enumerate(packets(open(path, "rb").read()), 1):
        body, name = masked(packet)
        seen[name] += 1
        want = body and icrc(body)
        if body and want != packet[-4:]:
            seen["wrong"] += 1
            print(f"packet {n}: ICRC {packet[-4:].hex()}, should be {want.hex()}")
    bad += seen["wrong"]
    print(" ".join(f"{name}={count}" for name, count in sorted(seen.items()) if count))
sys.exit(bad > 0)
