# SPDX-License-Identifier: BSD-2-Clause
"""Tunnels of dvx-flow's rules on dvx-sim beside Linux's tunnel interfaces: encap_linux.sh runs it in a namespace.

encap_linux.py BUILD [COUNT]: TAP on standard output, for COUNT packets of each tunnel and direction. A rule's header
goes before random packets by dvx-sim's code, and the same packets through a tunnel interface of the kernel, to the
other end of a veth pair. What is the sender's choice is copied from the kernel's packet: IPv4's identification and
UDP's source port; for GRE also DF, which the kernel sets whenever its TTL is fixed. The packets are not capable of
ECN, whose bits the kernel copies outward (RFC 6040). Then the kernel gets dvx-sim's packets."""
import random
import select
import socket
import struct
import subprocess
import sys
import time

dice = random.Random(20261130)
BOUND = 10  # seconds
V4, V6 = ('192.0.2.1', '192.0.2.2'), ('2001:db8::1', '2001:db8::2')
MACS = '02:00:00:00:00:01', '02:00:00:00:00:02'

# name, `ip link add`, words of the rule, addresses
TUNNELS = [
    ('vxlan', 'type vxlan id 42 local {} remote {} dstport 4789 ttl 64 dev v0 noudpcsum', 'vxlan vni 42', V4),
    ('vxlan, another port', 'type vxlan id 7 local {} remote {} dstport 8472 ttl 9 dev v0 noudpcsum',
     'vxlan vni 7 dst port 8472 ttl 9', V4),
    ('vxlan over IPv6', 'type vxlan id 0x123456 local {} remote {} dstport 4789 ttl 64 dev v0 udp6zerocsumtx '
     'udp6zerocsumrx', 'vxlan vni 0x123456', V6),
    ('geneve', 'type geneve id 9 remote {1} ttl 64 noudpcsum', 'geneve vni 9', V4),
    ('gretap', 'type gretap local {} remote {} ttl 64', 'gretap', V4),
    ('gretap with a key', 'type gretap local {} remote {} ttl 64 key 77', 'gretap key 77', V4),
]


def ip(words):
    return subprocess.run(['ip', *words.split()], stderr=subprocess.PIPE, text=True)


def tap(interface):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.bind((interface, 0))
    return s


def frame():
    """A frame of IPv4 and UDP, or of another protocol."""
    body = dice.randbytes(dice.randrange(60, 400))
    macs = bytes.fromhex('020000000009') + bytes.fromhex('020000000008')
    if dice.random() < .5:
        return macs + b'\x88\xb5' + body
    udp = struct.pack('>HHHH', dice.randrange(1, 65536), 7, 8 + len(body), 0)
    head = struct.pack('>BBHHHBBH4s4s', 0x45, dice.randrange(64) << 2, 28 + len(body), 0, 0, 64, 17, 0, bytes(4), bytes(4))
    return macs + b'\x08\x00' + summed(head) + udp + body


def summed(header):
    """IPv4's header with its checksum."""
    header = header[:10] + b'\0\0' + header[12:]
    total = sum(struct.unpack('>10H', header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return header[:10] + struct.pack('>H', ~total & 0xffff) + header[12:]


def receive(sock, wanted):
    """The frame that ends with these bytes; None: it does not come."""
    end = time.monotonic() + BOUND
    while (left := end - time.monotonic()) > 0 and select.select([sock], [], [], left)[0]:
        data = sock.recv(65536)
        if data.endswith(wanted):
            return data
    return None


def chosen(ours, theirs):
    """Our packet with the bytes that its sender chooses as the kernel chose them."""
    v4 = ours[12:14] == b'\x08\x00'
    protocol, l4 = (ours[23], 34) if v4 else (ours[20], 54)
    ours = bytearray(ours)
    if v4:
        ours[18:20] = theirs[18:20]
        if protocol == 47:
            ours[20:22] = theirs[20:22]
        ours[14:34] = summed(bytes(ours[14:34]))
    if protocol == 17:
        ours[l4:l4 + 2] = theirs[l4:l4 + 2]
    return bytes(ours)


def tool(path, lines):
    text = ''.join(line + '\n' for line in lines)
    return subprocess.run([path], input=text, check=True, stdout=subprocess.PIPE, text=True).stdout.split()


def encapsulated(tools, words, frames, src, dst, hop):
    rule = f'pass out encap {words} src {src} dst {dst} eth src {hop[0]} dst {hop[1]}'
    header, = tool(tools[0], [rule])
    return [bytes.fromhex(p) for p in
            tool(tools[1], [f'{header} {f.hex()}' for f in frames])]


def network():
    for words in ('link add v0 type veth peer name v1', f'link set v0 address {MACS[0]} mtu 2000 up',
                  f'link set v1 address {MACS[1]} mtu 2000 up', f'address add {V4[0]}/24 dev v0',
                  f'address add {V6[0]}/64 dev v0 nodad', f'neigh add {V4[1]} lladdr {MACS[1]} dev v0',
                  f'neigh add {V6[1]} lladdr {MACS[1]} dev v0'):
        if done := ip(words).stderr:
            sys.exit(f'Bail out! ip {words}: {done}')


def compare(tools, tunnel):
    """Returns why a packet differs; '': none does."""
    name, _, words, (src, dst) = tunnel
    frames = [frame() for _ in range(COUNT)]
    inner, wire = tap('t0'), tap('v1')
    for f, ours in zip(frames, encapsulated(tools, words, frames, src, dst, MACS)):
        inner.send(f)
        theirs = receive(wire, f)
        if theirs is None:
            return f'{name}: no packet from the kernel'
        if chosen(ours, theirs) != theirs:
            return f'{name}: dvx-sim {chosen(ours, theirs).hex()}\n# the kernel {theirs.hex()}'
    for f, ours in zip(frames, encapsulated(tools, words, frames, dst, src, MACS[::-1])):
        wire.send(ours)
        if receive(inner, f) != f:
            return f'{name}: the kernel does not take it out of {ours.hex()}'
    return ''


COUNT = 40 # packets of each tunnel


def main(*tools):
    network()
    print(f'1..{len(TUNNELS)}')
    failed = False
    for n, tunnel in enumerate(TUNNELS, 1):
        made = ip(f'link add t0 {tunnel[1].format(*tunnel[3])}').stderr
        if made:
            print(f'ok {n} - {tunnel[0]} # SKIP this kernel has no such interface: {made.strip().splitlines()[0]}')
            continue
        ip('link set t0 mtu 1500 up')
        why = compare(tools, tunnel)
        ip('link del t0')
        failed = failed or bool(why)
        print(f'{"not ok" if why else "ok"} {n} - {tunnel[0]}: {COUNT} packets each way as Linux makes them')
        if why:
            print('#', why)
    return failed


sys.exit(main(*sys.argv[1:]))
