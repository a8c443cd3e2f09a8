#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Half of a switch: ports of a VLAN each (0: untagged) on one side, a trunk on the other.
   switch.py PORT=VLAN... trunk=INTERFACE"""
import select
import socket
import struct
import sys

SOL_PACKET, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 263, 8, 23
VLAN_VALID = 1 << 4


def open_port(name):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    s.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    s.bind((name, 0))
    return s


def receive(s):
    """A frame without tag, and its VLAN: the kernel hands a tag over beside the bytes."""
    frame, control, _, _ = s.recvmsg(65536, 256)
    for level, kind, data in control:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, _, _, _, _, tci, _ = struct.unpack("IIIHHHH", data[:20])
            if status & VLAN_VALID:
                return frame, tci & 0xFFF
    return frame, 0


def tag(frame, vlan):
    return frame[:12] + struct.pack("!HH", 0x8100, vlan) + frame[12:] if vlan else frame


args = dict(a.split("=") for a in sys.argv[1:])
trunk = open_port(args.pop("trunk"))
ports = {open_port(name): int(vlan) for name, vlan in args.items()}
while True:
    for s in select.select([trunk, *ports], [], [])[0]:
        frame, vlan = receive(s)
        if s is trunk:
            for port, its in ports.items():
                if its == vlan:
                    port.send(frame)
        else:
            trunk.send(tag(frame, ports[s]))
