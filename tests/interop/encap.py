# SPDX-License-Identifier: BSD-2-Clause
"""Tunnels' headers that dvx-sim adds to random packets, compared with scapy's bytes of the same packet.

encap.py SHOW [COUNT]: TAP on standard output, for COUNT packets of each kind. With BACK=1 in its environment SHOW ends
the tunnel as well, if it can end the kind. scapy computes lengths and checksums; identification and source port are
the device's. Both are put into scapy's packet, which must then be equal."""
import os
import random
import subprocess
import sys

from scapy.all import Dot1Q, Ether, GRE, IP, IPv6, TCP, UDP, raw
from scapy.contrib.geneve import GENEVE, GeneveOptions
from scapy.contrib.mpls import MPLS
from scapy.layers.vxlan import VXLAN

dice = random.Random(20261129)


def payload():
    return bytes(dice.randrange(256) for _ in range(dice.randrange(200)))


def inner():
    ports = {'sport': dice.randrange(1, 65536), 'dport': dice.randrange(1, 1024)}
    l4 = dice.choice([TCP(**ports), UDP(**ports)]) / payload()
    l3 = dice.choice([IP(src='10.0.0.1', dst='10.1.0.1', ttl=dice.randrange(1, 256)), IPv6(src='2001:db8::1', dst='::9')])
    return Ether(src='02:00:00:00:00:01', dst='02:00:00:00:00:02') / l3 / l4


def ethernet():
    e = Ether(src='02:00:00:00:00:03', dst=f'02:00:00:00:00:{dice.randrange(255):02x}')
    return e / Dot1Q(vlan=dice.randrange(1, 4095)) if dice.random() < .3 else e


def ip4(**more):
    return ethernet() / IP(src='192.0.2.1', dst='192.0.2.2', tos=dice.randrange(256), ttl=dice.randrange(1, 256),
                           flags=dice.choice(['', 'DF']), **more)


def ip6(**more):
    return ethernet() / IPv6(src='2001:db8::1', dst='2001:db8::2', tc=dice.randrange(256),
                             fl=dice.randrange(1 << 20), hlim=dice.randrange(1, 256), **more)


def ip(**more):
    return dice.choice([ip4, ip6])(**more)


def udp(port):
    return UDP(sport=1, dport=port, chksum=0)


def geneve():
    options = [GeneveOptions(classid=0x102, type=1, length=n, data=bytes(4 * n)) for n in [dice.randrange(1, 4)]]
    return GENEVE(vni=dice.randrange(1 << 24), proto=0x6558, options=options)


KINDS = {
    'VXLAN': lambda: ip() / udp(4789) / VXLAN(flags=8, vni=dice.randrange(1 << 24)),
    'VXLAN-GPE': lambda: ip() / udp(4790) / VXLAN(flags=0x0c, NextProtocol=3, vni=dice.randrange(1 << 24)),
    'Geneve': lambda: ip() / udp(6081) / geneve(),
    'GRE': lambda: ip() / GRE(proto=0x6558),
    'NVGRE': lambda: ip() / GRE(proto=0x6558, key_present=1, key=dice.randrange(1 << 32)),
    'MPLS over UDP': lambda: ip() / udp(6635) / MPLS(label=dice.randrange(1 << 20), s=1, ttl=64),
    'MPLS without IP': lambda: ethernet() / MPLS(label=dice.randrange(1 << 20), s=1, ttl=64),
}


def template(outer):
    """The header as drivers give it: no lengths, no IPv4 checksum, no identification."""
    t = outer.copy()
    if IP in t:
        t[IP].len = t[IP].chksum = t[IP].id = 0
    if IPv6 in t:
        t[IPv6].plen = 0
    if UDP in t:
        t[UDP].len = 0
    return raw(t)


def wanted(outer, carried, ours):
    """scapy's whole packet, with the device's identification and source port."""
    p = outer / carried
    got = Ether(ours)
    if IP in outer:
        p[IP].id = got[IP].id
    if UDP in outer:
        p[UDP].sport = got[UDP].sport
    return raw(p)


def main(program, count=100):
    count = int(count)
    print(f'1..{len(KINDS)}')
    failed = 0
    for n, (kind, make) in enumerate(KINDS.items(), 1):
        pairs = [(make(), inner()) for _ in range(count)]
        text = ''.join(f'{template(o).hex()} {raw(i).hex()}\n' for o, i in pairs)
        env = os.environ | ({} if 'MPLS' in kind else {'BACK': '1'})
        done = subprocess.run([program], input=text, check=True, stdout=subprocess.PIPE, text=True, env=env)
        lines = done.stdout.split()
        bad = [(ours, want) for (o, i), ours in zip(pairs, lines)
               if (want := wanted(o, i, bytes.fromhex(ours)).hex()) != ours]
        ports = [Ether(bytes.fromhex(ours))[UDP].sport for ours in lines if UDP in pairs[0][0]]
        low = [p for p in ports if p < 0xc000]
        good = len(lines) == count and not bad and not low
        failed += not good
        print(f'{"ok" if good else "not ok"} {n} - {kind}: {count} packets have scapy\'s bytes')
        for ours, want in bad[:1]:
            print(f'# dvx-sim {ours}\n# scapy   {want}')
    return failed > 0


sys.exit(main(*sys.argv[1:]))
