#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that accessors and packs compile to no more instructions than hand-written code, without
# branches, on x86-64 and aarch64, with gcc and clang, from C and C++, and that a constant which
# does not fit does not compile. A compiler that is absent is named, never passed over in silence.
set -u
CC=${CC:-gcc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0 level=-O2
inc="-I$top_builddir/include -I$top_srcdir/include"

ok() { # STATUS WHAT
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; failed=1; fi
}

# Without the sanitizers of the build, which add instructions of their own.
compile() { # COMPILER FILE
	case $1 in *++*) lang="-x c++ -std=gnu++17" ;; *) lang=-std=gnu11 ;; esac
	case $1 in *aarch64*) plain= ;; *) plain=-fcf-protection=none ;; esac
	# shellcheck disable=SC2086
	$1 $lang $level -fno-asynchronous-unwind-tables $plain $inc -S -o "$tmp/out.s" "$2" >"$tmp/log" 2>&1
}

body() { # FUNCTION: its instructions, without labels and comments
	awk -v f="$1:" '$1 == f { on = 1; next } on && /^\t\.size/ { exit } on && !/^\t\./ && !/:$/ && !/^[ \t]*(#|\/\/)/' \
		"$tmp/out.s"
}

cat >"$tmp/a.c" <<'C'
#include <endian.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/wqe.h>
typedef uint32_t __attribute__((may_alias, aligned(1))) word;
typedef uint64_t __attribute__((may_alias, aligned(1))) dword;
typedef uint16_t __attribute__((may_alias, aligned(1))) half;
#define W(p, i) (((word *)(p))[i])
#define D(p, i) (((dword *)(p))[i])
#define CW(p, i) (((const word *)(p))[i])

uint32_t get_gen(const void *p) { return prm_mkc_get_qpn(p); }
uint32_t get_hand(const void *p) { return be32toh(CW(p, 1)) >> 8; }

uint32_t low_gen(const void *p) { return prm_mkc_get_pd(p); }
uint32_t low_hand(const void *p) { return be32toh(CW(p, 3)) & 0xffffff; }

uint32_t nibble_gen(const void *p) { return prm_cqe64_get_opcode(p); }
uint32_t nibble_hand(const void *p)
{
	uint32_t b = ((const uint8_t *)p)[63];

	return b >> 4 & 0xf;
}

uint64_t wide_gen(const void *p) { return prm_mkc_get_start_addr(p); }
uint64_t wide_hand(const void *p) { return be64toh(*(const dword *)((const char *)p + 16)); }

void set_gen(void *p, uint32_t v) { prm_mkc_set_pd(p, v); }
void set_hand(void *p, uint32_t v)
{
	uint32_t w = be32toh(W(p, 3)) & 0xff000000;

	w |= v & 0xffffff;
	w = htobe32(w);
	memcpy((char *)p + 12, &w, sizeof(w));
}

void whole_gen(void *p, uint32_t v) { prm_mkc_set_bsf_octword_size(p, v); }
void whole_hand(void *p, uint32_t v) { W(p, 8) = htobe32(v); }

void pack_gen(void *p, uint32_t i, uint32_t qpn, uint32_t imm)
{
	prm_wqe_ctrl_seg_pack(p, .wqe_index = i, .opcode = PRM_WQE_OPCODE_RDMA_WRITE_IMM, .qpn = qpn,
			      .ds = 3, .fm_ce_se = PRM_WQE_CTRL_FLAG_CQ_UPDATE, .imm = imm);
}
void pack_hand(void *p, uint32_t i, uint32_t qpn, uint32_t imm)
{
	D(p, 0) = htobe64((uint64_t)i << 40 | (uint64_t)0x09 << 32 | (uint64_t)qpn << 8 | 3);
	D(p, 1) = htobe64((uint64_t)0x08 << 32 | imm);
}

void data_gen(void *p, uint32_t len, uint32_t lkey, uint64_t addr)
{
	prm_wqe_data_seg_pack(p, .byte_count = len, .lkey = lkey, .addr = addr);
}
void data_hand(void *p, uint32_t len, uint32_t lkey, uint64_t addr)
{
	D(p, 0) = htobe64((uint64_t)len << 32 | lkey);
	D(p, 1) = htobe64(addr);
}

uint64_t varying_gen(const void *p, void *q, uint32_t v)
{
	prm_wqe_data_seg_set_byte_count(q, v);
	prm_wqe_data_seg_set_addr(q, prm_mkc_get_len(p) + v);
	return prm_cqe64_get_wqe_counter(p);
}
uint64_t varying_hand(const void *p, void *q, uint32_t v)
{
	W(q, 0) = htobe32(v);
	*(dword *)((char *)q + 8) = htobe64(be64toh(*(const dword *)((const char *)p + 24)) + v);
	return be16toh(*(const half *)((const char *)p + 60));
}
C
sed -i '1i #ifdef __cplusplus\nextern "C" {\n#endif' "$tmp/a.c"
printf '#ifdef __cplusplus\n}\n#endif\n' >>"$tmp/a.c"

compare() { # COMPILER
	compile "$1" "$tmp/a.c"
	r=$?
	ok $r "$1: the comparison compiles"
	sed 's/^/# /' "$tmp/log"
	[ $r -eq 0 ] || return
	for f in get low nibble wide set whole pack data varying; do
		body ${f}_gen >"$tmp/gen"
		body ${f}_hand >"$tmp/hand"
		gen=$(wc -l <"$tmp/gen") hand=$(wc -l <"$tmp/hand")
		[ "$gen" -gt 1 ] && [ "$gen" -le "$hand" ]
		r=$?
		ok $r "$1: $f: $gen instructions, $hand by hand"
		[ $r -eq 0 ] || diff "$tmp/gen" "$tmp/hand" | sed 's/^/# /'
	done
	# Branch mnemonics of x86-64 and aarch64; ret is none.
	for f in get low nibble wide set whole pack data varying; do body ${f}_gen; done >"$tmp/all"
	! grep -Eq '^[[:space:]](j[a-z]+|call|b|bl|b\.[a-z]+|cbn?z|tbn?z)[[:space:]]' "$tmp/all"
	ok $? "$1: no branches"
}

compare "$CC"
able=$CC
for other in gcc g++ clang clang++ aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ \
	"clang --target=aarch64-linux-gnu" "clang++ --target=aarch64-linux-gnu"; do
	[ "$other" = "$CC" ] && continue
	if echo '#include <endian.h>' >"$tmp/c.c" && compile "$other" "$tmp/c.c"; then
		compare "$other"
		able="$able
$other"
	else
		n=$((n + 1))
		echo "ok $n # SKIP $other cannot compile here: apt-get install ${other%% *} (gcc-aarch64-linux-gnu," \
			"g++-aarch64-linux-gnu, clang) to check its code"
	fi
done

# Functions with constants, all in one file: none, or each of them, is refused.
try() { # COMPILER WHAT HOW-MANY-REFUSED FUNCTION...
	what="$1 $level: $2" cc=$1 refused=$3
	shift 3
	{
		printf '#include <dvx/prm/wqe.h>\n#include <dvx/prm/mkey.h>\n'
		i=0
		for body; do
			i=$((i + 1))
			echo "void f$i(void *p, unsigned q) { (void)q; $body }"
		done
	} >"$tmp/c.c"
	compile "$cc" "$tmp/c.c"
	got=$?
	[ $((got != 0)) -eq $((refused != 0)) ] && [ "$(grep -c "does not fit the PRM field" "$tmp/log")" -eq "$refused" ]
	ok $? "$what"
}
constants() { # COMPILER
	try "$1" "setter, pack, 64 bits: the largest constants compile" 0 'prm_mkc_set_pd(p, 0xffffff);' \
		'prm_wqe_ctrl_seg_pack(p, .ds = 63);' 'prm_mkc_set_len(p, ~0ull);'
	# C++ wants the names in the table's order.
	try "$1" "setter, one bit, pack, a constant among variables: one more does not" 4 'prm_mkc_set_pd(p, 0x1000000);' \
		'prm_mkc_set_lr(p, 2);' 'prm_wqe_ctrl_seg_pack(p, .ds = 64);' \
		'prm_wqe_ctrl_seg_pack(p, .wqe_index = 65536, .qpn = q);'
}
while read -r one; do
	constants "$one" </dev/null
done <<L
$able
L
for level in -O1 -Os -O3; do
	constants "$CC"
done
level=-O2
# A variable that does not fit is caught by a build with PRM_DEBUG, and only by such a one.
cat >"$tmp/v.c" <<'C'
#include <stdlib.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/wqe.h>
int main(int argc, char **argv)
{
	char p[PRM_MKC_BYTES] = {0};
	uint32_t v = (uint32_t)strtoul(argv[1], NULL, 0);

	if (argc > 2)
		prm_wqe_ctrl_seg_pack(p, .qpn = v);
	else
		prm_mkc_set_pd(p, v);
	return 0;
}
C
for flag in -UPRM_DEBUG -DPRM_DEBUG; do
	for how in setter pack; do
		[ $how = pack ] && arg=x || arg=
		# shellcheck disable=SC2086
		$CC -std=gnu11 -O2 $inc $flag -o "$tmp/v" "$tmp/v.c" >"$tmp/log" 2>&1 && "$tmp/v" 0xffffff $arg
		ok $? "$flag: $how takes the largest value"
		# shellcheck disable=SC2086
		(ulimit -c 0; exec "$tmp/v" 0x1000000 $arg) >/dev/null 2>&1
		r=$?
		if [ $flag = -DPRM_DEBUG ]; then [ $r -ge 128 ]; else [ $r -eq 0 ]; fi
		ok $? "$flag: $how and one more"
	done
done
echo "1..$n"
exit $failed
