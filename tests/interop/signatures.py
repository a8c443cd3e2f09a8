# SPDX-License-Identifier: BSD-2-Clause
"""Two queue pairs of libmlx5 move data through an mkey with block signatures or encryption, in each direction
that a work request has; both sides' bytes are computed here, with zlib, with CRCs bit by bit and with OpenSSL."""
import ctypes
import ctypes.util
import random
import struct
import zlib

import pyverbs.enums as e
import pyverbs.providers.mlx5.mlx5_enums as d
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.providers.mlx5.mlx5dv import Mlx5Context, Mlx5DVContextAttr, Mlx5DVQPInitAttr, Mlx5QP
from pyverbs.providers.mlx5.mlx5dv_crypto import Mlx5CryptoAttr, Mlx5DEK, Mlx5DEKInitAttr
from pyverbs.providers.mlx5.mlx5dv_mkey import (Mlx5Mkey, Mlx5MkeyConfAttr, Mlx5SigBlockAttr, Mlx5SigBlockDomain,
                                                Mlx5SigCrc, Mlx5SigT10Dif)
from pyverbs.qp import QPAttr, QPCap, QPInitAttrEx
from pyverbs.wr import SGE, RecvWR, SendWR

ROOM = 1 << 16
REMOTE = e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ
ACCESS = e.IBV_ACCESS_LOCAL_WRITE | REMOTE


# --- what the signatures have to be ---------------------------------------------------------------

def reflected(polynomial, bits):
    def crc(data, seed):
        for byte in data:
            seed ^= byte
            for _ in range(8):
                seed = seed >> 1 ^ (polynomial if seed & 1 else 0)
        return seed ^ (1 << bits) - 1
    return crc


def crc16(data, crc):
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x18bb7 if crc & 0x8000 else 0)) & 0xffff
    return crc


def checksum(data, seed):
    total = seed + sum(struct.unpack(f'>{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


crc32c, crc64 = reflected(0x82f63b78, 32), reflected(0x9a6c9329ac4bc9b5, 64)


class Crc:
    def __init__(self, kind, seed, size=d.MLX5DV_BLOCK_SIZE_512, block=512):
        self.kind, self.seed, self.block = kind, seed, block
        self.size = 8 if kind == d.MLX5DV_SIG_CRC_TYPE_CRC64_XP10 else 4
        self.crc = Mlx5SigCrc(crc_type=kind, seed=seed)  # the domain points there
        self.domain = Mlx5SigBlockDomain(sig_type=d.MLX5DV_SIG_TYPE_CRC, block_size=size, crc=self.crc)

    def of(self, data, _):
        if self.kind == d.MLX5DV_SIG_CRC_TYPE_CRC64_XP10:
            return crc64(data, self.seed).to_bytes(8, 'little')
        if self.kind == d.MLX5DV_SIG_CRC_TYPE_CRC32C:
            return crc32c(data, self.seed).to_bytes(4, 'little')
        return zlib.crc32(data, 0 if self.seed else 0xffffffff).to_bytes(4, 'little')


class Dif:
    def __init__(self, kind, bg, app, ref, flags, size=d.MLX5DV_BLOCK_SIZE_512, block=512):
        self.kind, self.bg, self.app, self.ref, self.block, self.size = kind, bg, app, ref, block, 8
        self.grows = flags & d.MLX5DV_SIG_T10DIF_FLAG_REF_REMAP
        self.dif = Mlx5SigT10Dif(bg_type=kind, bg=bg, app_tag=app, ref_tag=ref, flags=flags)
        self.domain = Mlx5SigBlockDomain(sig_type=d.MLX5DV_SIG_TYPE_T10DIF, block_size=size, dif=self.dif)

    def of(self, data, i):
        guard = crc16 if self.kind == d.MLX5DV_SIG_T10DIF_CRC else checksum
        return struct.pack('>HHI', guard(data, self.bg), self.app,
                           self.ref + (i if self.grows else 0) & 0xffffffff)


def signed(side, data):
    if not side:
        return data
    blocks = [data[at:at + side.block] for at in range(0, len(data), side.block)]
    return b''.join(b + side.of(b, i) for i, b in enumerate(blocks))


# --- what encrypted data have to be ----------------------------------------------------------------

openssl = ctypes.CDLL(ctypes.util.find_library('crypto'))
for name in 'EVP_aes_128_xts', 'EVP_aes_256_xts', 'EVP_CIPHER_CTX_new':
    getattr(openssl, name).restype = ctypes.c_void_p
openssl.EVP_EncryptInit_ex.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p,
                                       ctypes.c_char_p]
openssl.EVP_EncryptUpdate.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int),
                                      ctypes.c_char_p, ctypes.c_int]
cipher = openssl.EVP_CIPHER_CTX_new()


class Crypt:
    """A key object, and how an mkey uses it."""
    TWEAK = 2 ** 64 - 2  # the third data unit's carry goes over 64 bits

    def __init__(self, pair, bits, unit):
        self.unit, self.bits, self.key = unit, bits, random.randbytes(bits // 4)
        self.size = getattr(d, f'MLX5DV_BLOCK_SIZE_{unit}')
        self.dek = Mlx5DEK(pair.ctx, Mlx5DEKInitAttr(
            pair.pd, key=self.key, key_size=getattr(d, f'MLX5DV_CRYPTO_KEY_SIZE_{bits}'),
            comp_mask=d.MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN, crypto_login=None))

    def attr(self):
        order = ('BEFORE', 'AFTER')[self.after]
        return Mlx5CryptoAttr(
            crypto_standard=d.MLX5DV_CRYPTO_STANDARD_AES_XTS, encrypt_on_tx=self.encrypts,
            signature_crypto_order=getattr(d, f'MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_{order}_CRYPTO_ON_TX'),
            data_unit_size=self.size, dek=self.dek, initial_tweak=self.TWEAK.to_bytes(16, 'little'))

    def of(self, data):
        kind = openssl.EVP_aes_128_xts() if self.bits == 128 else openssl.EVP_aes_256_xts()
        out, n = [], ctypes.c_int()
        for i, at in enumerate(range(0, len(data), self.unit)):
            plain = data[at:at + self.unit]
            buf = ctypes.create_string_buffer(len(plain) + 16)
            openssl.EVP_EncryptInit_ex(cipher, kind, None, self.key, (self.TWEAK + i).to_bytes(16, 'little'))
            assert openssl.EVP_EncryptUpdate(cipher, buf, ctypes.byref(n), plain, len(plain)) == 1
            out.append(buf.raw[:n.value])
        return b''.join(out)


# --- two queue pairs ------------------------------------------------------------------------------

class Pair:
    def __init__(self, dev='mlx5_0'):
        self.ctx = Mlx5Context(Mlx5DVContextAttr(), name=dev)
        self.pd = PD(self.ctx)
        self.cq = [CQ(self.ctx, 100), CQ(self.ctx, 100)]
        self.mr = [MR(self.pd, ROOM, ACCESS), MR(self.pd, ROOM, ACCESS)]
        self.qp = [self.queue(cq) for cq in self.cq]
        for mine, peer in (0, 1), (1, 0):
            self.connect(self.qp[mine], self.qp[peer].qp_num)
        signs, crypts = d.MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE, d.MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO
        self.signed, self.crypted, self.both = [
            Mlx5Mkey(self.pd, d.MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | flags, 3)
            for flags in (signs, crypts, signs | crypts)]
        self.mkey = self.signed

    def queue(self, cq):
        attr = QPInitAttrEx(cap=QPCap(max_send_wr=16, max_recv_wr=16, max_send_sge=2, max_recv_sge=2,
                                          max_inline_data=512), pd=self.pd, scq=cq,
                            rcq=cq, qp_type=e.IBV_QPT_RC, send_ops_flags=e.IBV_QP_EX_WITH_SEND,
                            comp_mask=e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
        dv = Mlx5DVQPInitAttr(comp_mask=d.MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
                              send_ops_flags=d.MLX5DV_QP_EX_WITH_MKEY_CONFIGURE)
        return Mlx5QP(self.ctx, attr, dv)

    def connect(self, qp, peer):
        gid = GlobalRoute(dgid=self.ctx.query_gid(1, 1), sgid_index=1)
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = ACCESS
        attr.dest_qp_num = peer
        attr.path_mtu = e.IBV_MTU_1024
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 4
        attr.min_rnr_timer, attr.timeout, attr.retry_cnt, attr.rnr_retry = 12, 14, 7, 7
        attr.ah_attr = AHAttr(gr=gid, is_global=1, port_num=1)
        qp.to_rts(attr)

    def poll(self, side):
        for _ in range(1000000):
            n, wc = self.cq[side].poll(1)
            if n:
                assert wc[0].status == e.IBV_WC_SUCCESS, wc[0]
                return
        raise AssertionError('no completion')

    def configure(self, memory, wire, length, check=0xff, copy=None, crypt=None):
        qp, (mr, _) = self.qp[0], self.mr
        signs = memory or wire or not crypt
        self.mkey = self.signed if not crypt else self.both if signs else self.crypted
        qp.wr_start()
        qp.wr_flags = e.IBV_SEND_SIGNALED | e.IBV_SEND_INLINE
        qp.wr_mkey_configure(self.mkey, 2 + bool(signs) + bool(crypt), Mlx5MkeyConfAttr())
        qp.wr_set_mkey_access_flags(ACCESS)
        # in two pieces that no block knows of
        qp.wr_set_mkey_layout_list([SGE(mr.buf, 700, mr.lkey), SGE(mr.buf + 1000, length - 700, mr.lkey)])
        if signs:
            qp.wr_set_mkey_sig_block(Mlx5SigBlockAttr(
                mem=memory and memory.domain, wire=wire and wire.domain, check_mask=check, copy_mask=copy or 0,
                flags=0 if copy is None else d.MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK))
        if crypt:
            qp.wr_set_mkey_crypto(crypt.attr())
        qp.wr_complete()
        self.poll(0)

    # Bytes of the mkey's memory, and of the peer's
    def put(self, data):
        self.mr[0].write(data[:700], 700)
        self.mr[0].write(data[700:], len(data) - 700, 1000)

    def get(self, length):
        return self.mr[0].read(700, 0) + self.mr[0].read(length - 700, 1000)

    def request(self, side, opcode, length, at=0):
        key, other = self.mkey, self.mr[1]
        mine = (SGE(at, length, key.lkey), SGE(other.buf + at, length, other.lkey))[side]
        wr = SendWR(opcode=opcode, num_sge=1, sg=[mine])
        if opcode != e.IBV_WR_SEND:
            wr.set_wr_rdma(*((other.lkey, other.buf + at), (key.rkey, at))[side])
        self.qp[side].post_send(wr)

    def receive(self, side, length):
        key, other = self.mkey, self.mr[1]
        self.qp[side].post_recv(RecvWR(num_sge=1, sg=[
            (SGE(0, length, key.lkey), SGE(other.buf, length, other.lkey))[side]]))

    def error(self):
        return self.mkey.mkey_check()


def out_by(pair, how, length):
    """From the mkey to the peer, of which the wire has so many bytes."""
    if how == 'SEND':
        pair.receive(1, length)
        pair.request(0, e.IBV_WR_SEND, length)
        pair.poll(1)
    elif how == 'WRITE':
        pair.request(0, e.IBV_WR_RDMA_WRITE, length)
    else:
        pair.request(1, e.IBV_WR_RDMA_READ, length)
    pair.poll(how == 'READ')


def in_by(pair, how, length):
    if how == 'SEND':
        pair.receive(0, length)
        pair.request(1, e.IBV_WR_SEND, length)
        pair.poll(0)
    elif how == 'WRITE':
        pair.request(1, e.IBV_WR_RDMA_WRITE, length)
    else:
        pair.request(0, e.IBV_WR_RDMA_READ, length)
    pair.poll(how != 'READ')


# --- tests ----------------------------------------------------------------------------------------

tests = 0


def ok(what):
    global tests
    tests += 1
    print(f'ok {tests} - {what}', flush=True)


def moves(pair, name, memory, wire, blocks=4):
    side = memory or wire
    data = random.randbytes(side.block * blocks)
    in_memory, on_wire = signed(memory, data), signed(wire, data)
    pair.configure(memory, wire, len(in_memory))
    both_ways(pair, name, in_memory, on_wire)


def both_ways(pair, name, in_memory, on_wire):
    for how in 'SEND', 'WRITE', 'READ':
        pair.put(in_memory)
        pair.mr[1].write(b'\0' * ROOM, ROOM)
        out_by(pair, how, len(on_wire))
        assert pair.mr[1].read(len(on_wire), 0) == on_wire, f'{name}: out by {how}'
        pair.put(b'\0' * len(in_memory))
        in_by(pair, how, len(on_wire))
        assert pair.get(len(in_memory)) == in_memory, f'{name}: in by {how}'
        if pair.mkey is not pair.crypted:
            assert pair.error().err_type == d.MLX5DV_MKEY_NO_ERR
    ok(f'{name}: SEND, WRITE and READ, both ways')


def crypts(pair, crypt, sig, other, blocks):
    """The rows of the table in mlx5dv_wr_set_mkey_crypto(3), A to J."""
    def enc(data):
        return crypt.of(data)

    def s1(data):
        return signed(sig, data)

    def s2(data):
        return signed(other, data)

    data = random.randbytes(sig.block * blocks)
    for row, encrypts, after, memory, wire, in_memory, on_wire in (
            ('A', True, False, None, None, data, enc(data)),
            ('B', True, True, None, sig, data, s1(enc(data))),
            ('C', True, False, None, sig, data, enc(s1(data))),
            ('D', True, False, sig, None, s1(data), enc(data)),
            ('E', True, False, sig, other, s1(data), enc(s2(data))),
            ('F', False, False, None, None, enc(data), data),
            ('G', False, True, None, sig, enc(data), s1(data)),
            ('H', False, True, sig, None, enc(s1(data)), data),
            ('I', False, True, sig, other, enc(s1(data)), s2(data)),
            ('J', False, False, sig, None, s1(enc(data)), data)):
        crypt.encrypts, crypt.after = encrypts, after
        pair.configure(memory, wire, len(in_memory), crypt=crypt)
        name = f'encryption {row}, {crypt.bits} bits, data units of {crypt.unit}, blocks of {sig.block}'
        both_ways(pair, name, in_memory, on_wire)


def told(pair, err_type, offset, expected=None, actual=None):
    err = pair.error()
    assert err.err_type == err_type, err
    assert err.sig_err.offset == offset, err
    assert expected is None or err.sig_err.expected_value == expected, err
    assert actual is None or err.sig_err.actual_value == actual, err
    assert pair.error().err_type == d.MLX5DV_MKEY_NO_ERR


def wrong(pair, name, memory, wire, byte, err_type):
    """One byte of the third block's signature is wrong on the side where the data come from."""
    for side, move in (memory, out_by), (wire, in_by):
        if not side:
            continue
        data = random.randbytes(side.block * 4)
        good = signed(side, data)
        at = 3 * (side.block + side.size) - side.size + byte
        bad = good[:at] + bytes([good[at] ^ 0x40]) + good[at + 1:]
        for how in 'SEND', 'WRITE', 'READ':
            pair.configure(memory, wire, len(signed(memory, data)))
            if move is out_by:
                pair.put(bad)
            else:
                pair.mr[1].write(bad, len(bad))
            move(pair, how, len(signed(wire, data)))
            pair.cq[0].poll(1)
            told(pair, err_type, 2 * (side.block + side.size))
            # the transfer went on
            if move is out_by:
                assert pair.mr[1].read(len(data), 0)[:512] == data[:512], name
    ok(f'{name}: told once, with its block, by SEND, WRITE and READ')


def copies(pair):
    tags = Dif(d.MLX5DV_SIG_T10DIF_CRC, 0, 0x1111, 0x22222222, d.MLX5DV_SIG_T10DIF_FLAG_REF_REMAP)
    other = Dif(d.MLX5DV_SIG_T10DIF_CRC, 0, 0x3333, 0x44444444, d.MLX5DV_SIG_T10DIF_FLAG_REF_REMAP)
    data = random.randbytes(2048)
    pair.configure(tags, other, 2080)
    pair.put(signed(tags, data))
    out_by(pair, 'SEND', 2080)
    assert pair.mr[1].read(2080, 0) == signed(other, data)
    ok('tags that differ are made anew')
    pair.configure(tags, other, 2080, check=d.MLX5DV_SIG_MASK_T10DIF_GUARD, copy=d.MLX5DV_SIG_MASK_T10DIF_APPTAG)
    tags.app = 0x5555
    pair.put(signed(tags, data))
    out_by(pair, 'SEND', 2080)
    other.app = 0x5555
    assert pair.mr[1].read(2080, 0) == signed(other, data)
    pair.put(b'\0' * 2080)
    in_by(pair, 'SEND', 2080)
    assert pair.get(2080) == signed(tags, data)
    assert pair.error().err_type == d.MLX5DV_MKEY_NO_ERR
    ok('an application tag that nobody knows is copied unchecked, both ways')


def escapes(pair):
    for flag, ref, good in ((d.MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE, 7, True), (0, 0xffffffff, False),
                            (d.MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE, 7, False),
                            (d.MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE, 0xffffffff, True)):
        dif = Dif(d.MLX5DV_SIG_T10DIF_CRC, 0xffff, 1, 7, flag)
        pair.configure(dif, None, 1040)
        data = random.randbytes(1024)
        escaped = signed(dif, data)[:520] + data[512:] + struct.pack('>HHI', 0x1234, 0xffff, ref)
        pair.put(escaped)
        out_by(pair, 'SEND', 1024)
        pair.cq[0].poll(1)
        assert (pair.error().err_type == d.MLX5DV_MKEY_NO_ERR) == good, (flag, ref)
    ok('escaped blocks are not checked')


def values(pair):
    crc = Crc(d.MLX5DV_SIG_CRC_TYPE_CRC32, 0xffffffff)
    pair.configure(crc, None, 1032)
    pair.put(b'a' * 516 + b'b' * 516)
    out_by(pair, 'SEND', 1024)
    pair.cq[0].poll(1)
    told(pair, d.MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD, 0, 0x61616161, zlib.crc32(b'a' * 512))
    out_by(pair, 'SEND', 1024)
    pair.cq[0].poll(1)
    assert pair.error().err_type == d.MLX5DV_MKEY_NO_ERR
    ok('the first of two errors is told with its values, and no later one until the mkey is set up again')


def pieces(pair, crypt=None):
    """A signature and AES blocks that two packets bring, since 13 bytes stand before them."""
    dif = Dif(d.MLX5DV_SIG_T10DIF_CRC, 0, 2, 3, d.MLX5DV_SIG_T10DIF_FLAG_REF_REMAP)
    if crypt:
        crypt.encrypts, crypt.after = True, False
    pair.configure(None, dif, 4096, crypt=crypt)
    data = random.randbytes(4096)
    wire = random.randbytes(13) + (crypt.of if crypt else bytes)(signed(dif, data))
    a, b = pair.mr
    pair.put(data)
    pair.receive(1, len(wire))
    sges = [SGE(a.buf + 30000, 13, a.lkey), SGE(0, len(wire) - 13, pair.mkey.lkey)]
    a.write(wire[:13], 13, 30000)
    pair.qp[0].post_send(SendWR(opcode=e.IBV_WR_SEND, num_sge=2, sg=sges))
    pair.poll(1)
    pair.poll(0)
    assert b.read(len(wire), 0) == wire
    pair.put(b'\0' * 4096)
    pair.qp[0].post_recv(RecvWR(num_sge=2, sg=sges))
    pair.request(1, e.IBV_WR_SEND, len(wire))
    pair.poll(1)
    pair.poll(0)
    assert pair.get(4096) == data
    assert pair.error().err_type == d.MLX5DV_MKEY_NO_ERR
    ok('AES blocks and their stolen ends that lie across packets' if crypt else 'signatures that lie across packets')


random.seed(1)
p = Pair()
remap = d.MLX5DV_SIG_T10DIF_FLAG_REF_REMAP
crc32 = Crc(d.MLX5DV_SIG_CRC_TYPE_CRC32, 0xffffffff)
dif512 = Dif(d.MLX5DV_SIG_T10DIF_CRC, 0xffff, 0xabcd, 0xfffffffe - 5, remap)
kinds = [
    ('CRC32', crc32), ('CRC32 of seed 0', Crc(d.MLX5DV_SIG_CRC_TYPE_CRC32, 0)),
    ('CRC32C of 520', Crc(d.MLX5DV_SIG_CRC_TYPE_CRC32C, 0xffffffff, d.MLX5DV_BLOCK_SIZE_520, 520)),
    ('CRC64 of 4048', Crc(d.MLX5DV_SIG_CRC_TYPE_CRC64_XP10, 2 ** 64 - 1, d.MLX5DV_BLOCK_SIZE_4048, 4048)),
    ('CRC64 of seed 0', Crc(d.MLX5DV_SIG_CRC_TYPE_CRC64_XP10, 0)), ('T10-DIF', dif512),
    ('T10-DIF with a checksum, of 4096', Dif(d.MLX5DV_SIG_T10DIF_CSUM, 0, 1, 2, 0, d.MLX5DV_BLOCK_SIZE_4096, 4096)),
    ('T10-DIF of 4160', Dif(d.MLX5DV_SIG_T10DIF_CRC, 0, 1, 2, remap, d.MLX5DV_BLOCK_SIZE_4160, 4160)),
]
for kind, s in kinds:
    moves(p, f'{kind} on the wire', None, s)
    moves(p, f'{kind} in memory', s, None)
    moves(p, f'{kind} on both sides', s, s)
moves(p, 'T10-DIF in memory, CRC32 on the wire', dif512, crc32)
moves(p, 'T10-DIF in memory, CRC64 of 4096 on the wire', dif512,
      Crc(d.MLX5DV_SIG_CRC_TYPE_CRC64_XP10, 0, d.MLX5DV_BLOCK_SIZE_4096, 4096), 8)
for where, sides in ('wire', (None, dif512)), ('memory', (dif512, None)):
    wrong(p, f'a wrong guard on the {where} side', *sides, 1, d.MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD)
    wrong(p, f'a wrong application tag on the {where} side', *sides, 2, d.MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG)
    wrong(p, f'a wrong reference tag on the {where} side', *sides, 7, d.MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG)
wrong(p, 'a wrong CRC32C on both sides', kinds[2][1], kinds[2][1], 0, d.MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD)
copies(p)
escapes(p)
values(p)
pieces(p)
pieces(p, Crypt(p, 128, 520))
crypts(p, Crypt(p, 128, 512), dif512, crc32, 4)
crypts(p, Crypt(p, 256, 4096), dif512, crc32, 12)
c520 = kinds[2][1]
crypts(p, Crypt(p, 256, 520), c520, c520, 4)
print(f'1..{tests}')
