# SPDX-License-Identifier: BSD-2-Clause
"""Random tunnelled packets of scapy's; what scapy, tshark and dvx-sim's parser say of each.

tunnels.py PARSE_SHOW PCAP [COUNT]: TAP on standard output. tunnels.py write PCAP [COUNT]: packets."""
import random
import subprocess
import sys

from scapy.all import Dot1Q, Ether, GRE, IP, IPv6, TCP, UDP, wrpcap
from scapy.contrib.geneve import GENEVE, GeneveOptions
from scapy.contrib.mpls import MPLS
from scapy.layers.vxlan import VXLAN

OUTER, INNER, MISC = 'outer_headers.', 'inner_headers.', 'misc_parameters.'
MISC2, MISC3 = 'misc_parameters_2.', 'misc_parameters_3.'
dice = random.Random(20261121)


# --- packets ---

def l4():
    ports = {'sport': dice.randrange(1, 1024), 'dport': dice.choice([53, 80, 443])}
    return TCP(**ports) if dice.random() < .5 else UDP(**ports)


def ip(inside, **more):
    if dice.random() < .6:
        return IP(src=f'10.0.0.{dice.randrange(1, 255)}', dst='10.1.0.1', **more) / inside
    return IPv6(src='2001:db8::1', dst=f'2001:db8::{dice.randrange(1, 9999)}') / inside


def ethernet():
    e = Ether(src='02:00:00:00:00:01', dst=f'02:00:00:00:00:{dice.randrange(255):02x}')
    return e / Dot1Q(vlan=dice.randrange(1, 4095), prio=dice.randrange(8)) if dice.random() < .3 else e


def labels(inside):
    n = dice.randrange(1, 5)
    for i in range(n):
        label = 100 if i == n - 1 and dice.random() < .5 else dice.randrange(101, 1 << 20)
        inside = MPLS(label=label, cos=dice.randrange(8), s=int(i == 0),
                      ttl=dice.randrange(1, 256)) / inside
    return inside


def inner_ethernet():
    return ethernet() / (labels(ip(l4())) if dice.random() < .3 else ip(l4()))


def options():
    return [GeneveOptions(classid=0x102, type=dice.randrange(128), length=n, data=bytes(4 * n))
            for n in [dice.randrange(1, 4) for _ in range(dice.randrange(3))]]


def gre(inside, **more):
    return GRE(chksum_present=dice.randrange(2), key_present=dice.randrange(2),
               seqnum_present=dice.randrange(2), key=dice.choice([5, dice.randrange(1 << 32)]),
               sequence_number=dice.randrange(1 << 32), **more) / inside


def vni():
    return dice.choice([7, 9, dice.randrange(1 << 24)])


def gpe():
    inside = dice.choice([ip(l4()), inner_ethernet()])
    following = 3 if isinstance(inside, Ether) else 1 if isinstance(inside, IP) else 2
    return UDP(sport=40000, dport=4790) / VXLAN(flags=0x0c, NextProtocol=following, vni=vni()) / inside


def geneve():
    inside = dice.choice([ip(l4()), inner_ethernet()])
    proto = 0x6558 if isinstance(inside, Ether) else 0x800 if isinstance(inside, IP) else 0x86dd
    return UDP(sport=40000, dport=6081) / GENEVE(vni=vni(), oam=dice.randrange(2), proto=proto,
                                    options=options()) / inside


KINDS = {
    'plain': lambda: ip(l4()),
    'mpls': lambda: labels(ip(l4())),
    'vxlan': lambda: ip(UDP(sport=40000, dport=4789) / VXLAN(flags=8, vni=vni()) / inner_ethernet()),
    'vxlan-gpe': lambda: ip(gpe()),
    'geneve': lambda: ip(geneve()),
    'gre': lambda: ip(gre(ip(l4()))),
    'nvgre': lambda: ip(gre(inner_ethernet(), proto=0x6558)),
    'ip in ip': lambda: ip(ip(l4())),
}


# --- what each witness says: a dictionary of match parameters ---

def depth_of(layers, tunnel):
    """(outer, inner): a tunnel's own layer belongs to neither."""
    if tunnel is None:
        return layers, []
    return layers[:tunnel], layers[tunnel:]


def tunnel_at(layers):
    ips = [i for i, x in enumerate(layers) if isinstance(x, (IP, IPv6))]
    for i, x in enumerate(layers):
        if isinstance(x, (VXLAN, GENEVE, GRE)):
            return i
    return ips[1] if len(ips) > 1 and ips[1] == ips[0] + 1 else None


def say_headers(says, part, layers):
    for x in layers:
        if isinstance(x, Ether):
            says[part + 'dmac_47_16'] = int(x.dst.replace(':', ''), 16) >> 16
            says[part + 'dmac_15_0'] = int(x.dst.replace(':', ''), 16) & 0xffff
            says[part + 'ethertype'] = x.type
        elif isinstance(x, Dot1Q):
            says[part + 'first_vid'] = x.vlan
            says[part + 'first_prio'] = x.prio
            says[part + 'ethertype'] = x.type
        elif isinstance(x, (IP, IPv6)):
            says[part + 'ip_version'] = x.version
            says[part + 'ip_protocol'] = x.proto if isinstance(x, IP) else x.nh
        elif isinstance(x, (TCP, UDP)):
            says[part + ('tcp' if isinstance(x, TCP) else 'udp') + '_dport'] = x.dport
    first = next((x for x in layers if isinstance(x, MPLS)), None)
    if first:
        put_mpls(says, 'outer' if part == OUTER else 'inner',
                 first.label, first.cos, first.s, first.ttl)


def put_mpls(says, side, label, tc, bottom, ttl):
    path = f'{MISC2}{side}_first_mpls.mpls_'
    says.update({path + 'label': label, path + 'exp': tc, path + 's_bos': bottom, path + 'ttl': ttl})


def say_tunnel(says, x, port):
    if isinstance(x, VXLAN) and port == 4789:
        says[MISC + 'vxlan_vni'] = x.vni
    elif isinstance(x, VXLAN):
        says.update({MISC3 + 'outer_vxlan_gpe_vni': x.vni,
                     MISC3 + 'outer_vxlan_gpe_next_protocol': x.NextProtocol,
                     MISC3 + 'outer_vxlan_gpe_flags': int(x.flags)})
    elif isinstance(x, GENEVE):
        says.update({MISC + 'geneve_vni': x.vni, MISC + 'geneve_oam': x.oam,
                     MISC + 'geneve_opt_len': x.optionlen, MISC + 'geneve_protocol_type': x.proto})
    elif isinstance(x, GRE):
        says.update({MISC + 'gre_protocol': x.proto, MISC + 'gre_c_present': x.chksum_present,
                     MISC + 'gre_k_present': x.key_present,
                     MISC + 'gre_s_present': x.seqnum_present,
                     MISC + 'gre_key.key': x.key if x.key_present else 0})


def scapy_says(packet):
    layers = [packet]
    while layers[-1].payload:
        layers.append(layers[-1].payload)
    at = tunnel_at(layers)
    outer, inner = depth_of(layers, at)
    says = {}
    say_headers(says, OUTER, outer)
    if at is not None:
        say_tunnel(says, layers[at], says.get(OUTER + 'udp_dport'))
        say_headers(says, INNER, inner)
        if not any(isinstance(x, Ether) for x in inner):
            says[INNER + 'ethertype'] = 0x800 if says[INNER + 'ip_version'] == 4 else 0x86dd
    return says


# tshark's fields, and what of ours the first of each is; inner headers are not told apart there.
TSHARK = {
    'gre.proto': MISC + 'gre_protocol', 'gre.flags.checksum': MISC + 'gre_c_present',
    'gre.flags.key': MISC + 'gre_k_present',
    'gre.flags.sequence_number': MISC + 'gre_s_present', 'gre.key': MISC + 'gre_key.key',
    'geneve.vni': MISC + 'geneve_vni', 'geneve.flags.oam': MISC + 'geneve_oam',
    'geneve.proto_type': MISC + 'geneve_protocol_type', 'vxlan.vni': None,
    'vxlan.next_proto': MISC3 + 'outer_vxlan_gpe_next_protocol',
    'mpls.label': '.mpls_label', 'mpls.exp': '.mpls_exp', 'mpls.bottom': '.mpls_s_bos',
    'mpls.ttl': '.mpls_ttl',
}


def tshark_says(pcap):
    """For each packet, our fields and values; a field without a tunnel's name has any of both."""
    args = [a for f in TSHARK for a in ('-e', f)]
    text = subprocess.run(['tshark', '-r', pcap, '-T', 'fields', '-E', 'separator=|',
                           '-E', 'occurrence=f', *args], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    for line in text.splitlines():
        yield {f: int(v, 0) for f, v in zip(TSHARK, line.split('|')) if v}


def tshark_agrees(fields, ours):
    for field, value in fields.items():
        path = TSHARK[field]
        if path is None:
            mine = [ours[MISC + 'vxlan_vni'] or ours[MISC3 + 'outer_vxlan_gpe_vni']]
        elif path.startswith('.'):
            mine = [ours[f'{MISC2}{side}_first_mpls{path}'] for side in ('outer', 'inner')]
        else:
            mine = [ours[path]]
        if value not in mine:
            return f'{field}: tshark says {value}, dvx-sim {mine}'
    return None


# --- together ---

def fields_of(scapy):
    paths = sorted({path for says in scapy for path in says})
    sides = {f'{MISC2}{s}_first_mpls.mpls_{f}' for s in ('outer', 'inner')
             for f in ('label', 'exp', 's_bos', 'ttl')}
    return sorted(set(paths) | sides)


def ours_say(program, frames, paths):
    text = subprocess.run([program, *paths], input='\n'.join(f.hex() for f in frames) + '\n',
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return [dict(zip(paths, map(int, line.split()))) for line in text.splitlines()]


def differs(scapy, tshark, ours, paths):
    for path in paths:
        if ours[path] != scapy.get(path, 0):
            return f'{path}: scapy says {scapy.get(path, 0)}, dvx-sim {ours[path]}'
    return tshark_agrees(tshark, ours)


def write(pcap, count=150):
    frames = [ethernet() / make() for make in KINDS.values() for _ in range(int(count))]
    dice.shuffle(frames)
    wrpcap(pcap, frames)


def main(program, pcap, count=150):
    failed = 0
    frames = {kind: [bytes(ethernet() / make()) for _ in range(int(count))]
              for kind, make in KINDS.items()}
    says = {kind: [scapy_says(Ether(f)) for f in frames[kind]] for kind in KINDS}
    paths = fields_of(x for kind in KINDS for x in says[kind])
    print(f'1..{len(KINDS)}')
    for n, kind in enumerate(KINDS, 1):
        wrpcap(pcap, [Ether(f) for f in frames[kind]])
        ours = ours_say(program, frames[kind], paths)
        bad = [(f, why) for f, *said in zip(frames[kind], says[kind], tshark_says(pcap), ours)
               if (why := differs(*said, paths))]
        for frame, why in bad[:3]:
            print(f'# {why}\n# {frame.hex()}')
        failed += bool(bad)
        print(f'{"not ok" if bad else "ok"} {n} - {kind}: {len(ours)} packets, '
              f'{len(paths)} fields as scapy and tshark read them', flush=True)
    return failed


if __name__ == '__main__':
    sys.exit(write(*sys.argv[2:]) if sys.argv[1] == 'write' else main(*sys.argv[1:]))
