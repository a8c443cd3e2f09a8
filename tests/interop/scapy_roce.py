#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""scapy_roce.py FILE.pcap: takes each RoCE v2 packet over IPv4 apart with scapy's layers and lets scapy compute its
   ICRC. Prints how many of which service; exit code 1 if one is wrong or there is none."""
import collections
import logging
import struct
import sys

logging.getLogger("scapy.runtime").setLevel(logging.ERROR)
from scapy.all import IP, PcapReader
from scapy.contrib.roce import BTH

SERVICES = {0: "RC", 1: "UC", 3: "UD"}
seen, bad = collections.Counter(), 0
for n, packet in enumerate(PcapReader(sys.argv[1]), 1):
    if BTH not in packet or IP not in packet:
        continue
    bth = packet[BTH]
    seen[SERVICES.get(bth.opcode >> 5, "other")] += 1
    carried, want = struct.pack("!I", bth.icrc), bth.compute_icrc(b"")
    if carried != want:
        bad += 1
        print(f"packet {n}: ICRC {carried.hex()}, scapy has {want.hex()}", file=sys.stderr)
print(" ".join(f"{name}={count}" for name, count in sorted(seen.items())))
sys.exit(bad > 0 or not {"RC", "UC", "UD"} <= set(seen))
