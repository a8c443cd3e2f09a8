#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# libdvx on aarch64 (a BlueField's own cores), from an x86-64 machine: each barrier of the hot path
# is in the machine code and stands between the accesses that it orders, and these checks fail when
# it is taken away; the whole library compiles without a warning; the tests of rings, tickets and
# accessors pass under qemu. What no emulator shows is the memory order itself: see
# doc/hardware-to-verify.md.
cd "${top_srcdir:?}" || exit 99
[ -z "$DVX_SAN" ] || { echo "1..0 # SKIP the cross compiler does not sanitize: see the plain build"; exit 0; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
n=0
cross=aarch64-linux-gnu-gcc
inc="-I$top_builddir/include -I$top_srcdir/include"

ok() { # STATUS WHAT; what was said meanwhile is in $tmp/log
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$tmp/log"; fi
	: >"$tmp/log"
}
skip() { # WHAT WHY
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
	echo "WARNING: aarch64 was NOT checked: $1: $2" >&2
}

# Every ring is a local struct over the arguments, so that each access of the machine code can be
# told by the argument that its address comes from. The name's rest lists the arguments.
cat >"$tmp/hot.c" <<'C'
#include <dvx/dvx.h>

uint64_t ring__wqe_slot_record_register(uint8_t *buf, void *slots, uint32_t *record, uint64_t *reg)
{
	struct dvx_sq sq = {.buf = buf, .slots = slots, .dbrec = record, .reg = (uintptr_t)reg, .mask = 63};

	dvx_post_write_inline(&sq, 0x1000, 5, "payload", 8, 1, DVX_SIGNALED);
	dvx_sq_ring(&sq);
	return sq.reg;
}

uint64_t template__wqe_slot_record_register(uint8_t *buf, void *slots, uint32_t *record, uint64_t *reg)
{
	struct dvx_sq sq = {.buf = buf, .slots = slots, .dbrec = record, .reg = (uintptr_t)reg, .mask = 63};
	struct dvx_template t = {.limit = 64, .len = 8};

	dvx_template_post_inline(&sq, &t, 0x1000, "payload", 8, 1);
	dvx_sq_ring(&sq);
	return sq.reg;
}

uint64_t bf__wqe_slot_record_register(uint8_t *buf, void *slots, uint32_t *record, uint64_t *reg)
{
	struct dvx_sq sq = {.buf = buf, .slots = slots, .dbrec = record, .reg = (uintptr_t)reg, .mask = 63,
			    .bf_size = 256};

	dvx_post_write_inline(&sq, 0x1000, 5, "payload", 8, 1, DVX_SIGNALED);
	dvx_sq_ring_bf(&sq);
	return sq.reg;
}

uint64_t again__wqe_cookie_record_data(uint8_t *buf, uint64_t *ids, uint32_t *record, uint64_t *data)
{
	struct dvx_rq rq = {.buf = buf, .wr_ids = ids, .dbrec = record, .mask = 63, .stride = 16,
			    .max_sge = 1};
	struct dvx_sge sge = {(uintptr_t)data, 64, 7};
	uint64_t seen = *data;

	dvx_rq_post(&rq, &sge, 1, 1);
	dvx_rq_ring(&rq);
	return seen;
}

/* Known, the rings stay in registers. */
int dvx_sq_poll_rest(struct dvx_sq *sq, struct dvx_wc *wc)
{
	return 0;
}

void dvx_cq_unpack(const struct dvx_cq *cq)
{
}

uint32_t peek__cqe_record(const uint8_t *cqe, uint32_t *record)
{
	struct dvx_cq cq = {.next = cqe, .stop = cqe + 64, .first = cqe, .end = cqe + 4096, .stride = 64,
			    .turn = 1, .dbrec = record};
	uint32_t bytes;

	if (!dvx_cq_peek(&cq))
		return 0;
	bytes = dvx_cqe_byte_count(cq.next);
	dvx_cq_pop(&cq);
	return bytes;
}

uint32_t batch__cqe_record(const uint8_t *cqe, uint32_t *record)
{
	struct dvx_cq cq = {.next = cqe, .stop = cqe + 4096, .first = cqe, .end = cqe + 4096, .stride = 64,
			    .dbrec = record};
	uint32_t bytes;

	if (!dvx_cq_peek(&cq))
		return 0;
	bytes = dvx_cqe_byte_count(cq.next);
	dvx_cq_pop(&cq);
	dvx_cq_publish(&cq);
	return bytes;
}


uint64_t poll__cqe_record_slot(const uint8_t *cqe, uint32_t *record, void *slots)
{
	struct dvx_cq cq = {.next = cqe, .stop = cqe + 64, .first = cqe, .end = cqe + 4096, .stride = 64,
			    .turn = 1, .dbrec = record};
	struct dvx_sq sq = {.slots = slots, .slot_mask = 64 * sizeof(struct dvx_sq_slot) - 1, .cq = &cq};
	struct dvx_wc wc = {0};

	dvx_sq_poll(&sq, &wc);
	return wc.wr_id;
}

uint32_t newest__cqe_copy(const uint8_t *cqe, uint8_t *copy)
{
	struct dvx_cq cq = {.first = cqe};

	return dvx_cq_copy_newest(&cq, copy);
}

void arm__cqe_record_register(const uint8_t *cqe, uint32_t *record, uint64_t *reg)
{
	struct dvx_cq cq = {.next = cqe, .first = cqe, .end = cqe + 4096, .stride = 64,
			    .dbrec = record, .arm_reg = (uintptr_t)reg};

	dvx_cq_arm(&cq, true);
}
C

# One line per function: "load cqe", "store record", "dmb oshld", "." (anything else) ...
cat >"$tmp/trace.awk" <<'A'
function reg(s) { gsub(/[][,!]/, "", s); return s ~ /^[xw][0-9]+$/ ? substr(s, 2) + 0 : -1 }
/^[a-z]+__[a-z_]+:/ {
	sub(/:.*/, "")
	split("", from)
	split("", before)
	args = split(substr($0, index($0, "__") + 2), arg, "_")
	for (i = 1; i <= args; i++) from[i - 1] = arg[i]
	line = substr($0, 1, index($0, "__") - 1) ":"
	on = 1
	next
}
on && /^[ \t]*\.size/ { print line; on = 0 }
!on || /^[ \t]*[.#\/]/ || /:/ { next }
{ gsub(/,/, ", "); $1 = $1; gsub(/ +/, " "); sub(/\/\/.*/, "") }
$1 == "dmb" || $1 == "dsb" { line = line " " $1 " " $2; next }
$1 ~ /^(ld|st)u?[rp]/ {
	base = $0
	sub(/.*\[/, "", base)
	split(base, part, /[], ]/)
	to = reg(part[1])
	if (to in from && from[to] != "") line = line " " ($1 ~ /^ld/ ? "load " : "store ") from[to]
	else line = line " ."
	if ($1 ~ /^ld/) { from[reg($2)] = ""; if ($1 ~ /^ldp/) from[reg($3)] = "" }
	next
}
{
	line = line " ."
	# After an early return, the registers are again what they were before the branch around it.
	if ($1 ~ /^(b\..*|cbn?z|tbn?z)$/) for (i = 0; i < 31; i++) before[i] = from[i]
	if ($1 == "ret") for (i in before) from[i] = before[i]
	if ($1 ~ /^(ret|b|b\..*|cbn?z|tbn?z|cmp|tst|nop)$/) next
	d = reg($2)
	s = reg($3)
	from[d] = ($1 ~ /^(mov|add|sub)$/ && s >= 0 && s in from) ? from[s] : ""
}
A

# FUNCTION, all of its accesses and barriers as an extended regular expression, and what that says.
cat >"$tmp/order" <<'END'
ring; ((load|store) (wqe|slot) )*store wqe ((load|store) (wqe|slot) )*dmb osh store record dsb st store register dsb st; WQE, record, register
template; ((load|store) (wqe|slot) )*store wqe ((load|store) (wqe|slot) )*dmb osh store record dsb st store register dsb st; template, record, register
bf; ((load|store) (wqe|slot) |load record )*store wqe ((load|store) (wqe|slot) |load record )*dmb osh store record dsb st (store register dsb st )?(load wqe )*(store register ){8}dsb st( dmb osh| dsb st| store record| store register)*; WQE, record, BlueFlame (then the way without it)
again; ((load|store) (wqe|cookie|data) )*load data ((load|store) (wqe|cookie|data) )*dmb osh store record; a buffer was read before the device may fill it again
peek; load cqe dmb oshld (load cqe )+dmb oshld store record; owner, CQE, consumer index (pop)
batch; load cqe dmb oshld (load cqe )+dmb oshld store record; owner, CQE, consumer index (publish)
poll; load cqe dmb oshld (load slot )+dmb oshld store record; owner, CQE, consumer index (poll)
newest; load cqe dmb oshld ((load cqe|store copy) )*load cqe ((load cqe|store copy) )*dmb oshld load cqe; last word, copy, last word again
arm; dmb oshld (store record ){2}dsb st store register dsb st; arm record, arm register
END

trace() { # COMPILER INCLUDES -> $tmp/trace
	$1 -std=gnu11 -O2 -fno-strict-aliasing -fno-asynchronous-unwind-tables $2 -S -o "$tmp/hot.s" \
		"$tmp/hot.c" >>"$tmp/log" 2>&1 && awk -f "$tmp/trace.awk" "$tmp/hot.s" >"$tmp/trace"
}
holds() { # FUNCTION REGEX
	sed -n "s/^$1: //p" "$tmp/trace" | sed 's/\. *//g; s/ *$//' | tee -a "$tmp/log" | grep -Exq "${2# }"
}
all_hold() { while IFS=';' read -r f re _; do holds "$f" "$re" || return 1; done <"$tmp/order"; }

# A copy of the headers whose barrier.h went through a sed script: some check must notice.
taken() { # COMPILER SED WHAT
	rm -rf "$tmp/mutant"
	mkdir "$tmp/mutant"
	cp -r include/dvx "$tmp/mutant"
	chmod -R u+w "$tmp/mutant"
	sed -i "$2" "$tmp/mutant/dvx/barrier.h"
	! cmp -s include/dvx/barrier.h "$tmp/mutant/dvx/barrier.h" &&
		trace "$1" "-I$tmp/mutant -I$top_builddir/include" && ! all_hold
	ok $? "noticed: $3"
}

# Every inline post and its doorbell: no call, all barriers; and a call would be noticed.
posts() { # COMPILER
	perl tests/lib/posts.pl include >"$tmp/posts.c"
	echo 'void ring_calls(struct dvx_sq *sq, size_t n) { memset(sq, 0, n); dvx_sq_ring(sq); }' >>"$tmp/posts.c"
	$1 -std=gnu11 -O2 -fno-strict-aliasing $inc -S -o "$tmp/posts.s" "$tmp/posts.c" >>"$tmp/log" 2>&1
	awk -f tests/lib/posts.awk "$tmp/posts.s" | grep -vE '^[a-z0-9_]+ 0 (dmb osh,dsb st,dsb st,)+$' >>"$tmp/log"
	[ "$(cut -d' ' -f1 "$tmp/log")" = ring_calls ]
	ok $? "$1: $(grep -c '^int ring_' "$tmp/posts.c") posts call nothing, and ring behind barriers"
}

machine_code() { # COMPILER
	trace "$1" "$inc"
	ok $? "$1: the hot path compiles"
	while IFS=';' read -r f re what; do
		holds "$f" "$re"
		ok $? "$1:$what"
	done <"$tmp/order"
	[ "$1" != "$cross" ] && [ -z "${DVX_TEST_LONG-}" ] || posts "$1"
	# Store instructions in a row, or newer cores do not combine them.
	grep '^bf:' "$tmp/trace" | tee -a "$tmp/log" | grep -Eq '( store register){8}'
	ok $? "$1: nothing between the stores of a BlueFlame block"
}

# Each barrier taken away, or made a weaker one: the check's own test, for which one compiler will do.
mutants() { # COMPILER
	for b in wqe_to_record record_to_register register_flush owner_to_cqe cqe_to_owner cqe_to_index; do
		taken "$1" "/void dvx_barrier_$b(void)/,/^}/{/DVX_ORDER/d}" "no dvx_barrier_$b()"
	done
	taken "$1" 's/dmb osh"/dmb oshst"/' "a store barrier where loads count too"
	taken "$1" 's/dmb oshld/dmb oshst/' "a store barrier for loads"
	taken "$1" 's/^#define DVX_STORES_IN_A_ROW//' "loads between the stores of a BlueFlame block"
	taken "$1" 's/dsb st/dmb ishst/' "a barrier of cacheable memory before the register"
}

# All public headers together; that each compiles alone is headers.sh's business.
headers() { # COMPILER OPTIONS
	(cd include && printf '#include <%s>\n' dvx/*.h) >"$tmp/all.h"
	(cd "$top_builddir/include" && printf '#include <%s>\n' dvx/prm/*.h) >>"$tmp/all.h"
	$1 $2 -fsyntax-only $inc -Wall -Wextra -Wconversion -Wshadow -Werror - <"$tmp/all.h" >>"$tmp/log" 2>&1
	ok $? "$1 $2: all public headers"
}

usable() { echo '#include <string.h>' | $1 -x "${2:-c}" -fsyntax-only - >/dev/null 2>&1; }

if ! usable $cross; then
	echo "1..0 # SKIP no $cross: apt-get install gcc-aarch64-linux-gnu"
	echo "WARNING: aarch64 was NOT checked: no $cross (apt-get install gcc-aarch64-linux-gnu)" >&2
	exit 0
fi
clang="clang --target=aarch64-linux-gnu"
machine_code $cross
[ -z "${DVX_TEST_LONG-}" ] || mutants $cross
if usable "$clang"; then machine_code "$clang"; else skip "clang's machine code" "no clang"; fi
headers $cross "-xc -std=c11"
for cc in aarch64-linux-gnu-g++ ${DVX_TEST_LONG:+"clang++ --target=aarch64-linux-gnu"}; do
	if usable "$cc" c++; then headers "$cc" "-xc++ -std=c++17"; else skip "$cc: headers" "not here"; fi
done
if [ -n "${DVX_TEST_LONG-}" ]; then
	if usable "$clang"; then headers "$clang" "-xc -std=c11"; else skip "clang: headers" "no clang"; fi
fi

# rdma-core's headers are the same on every machine; nothing else of /usr/include may be seen.
mkdir "$tmp/usr"
for h in infiniband rdma numa.h; do ln -s "/usr/include/$h" "$tmp/usr"; done
warn="-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2
	-Wcast-align -Wvla -Wundef -Werror"
# The library is not optimised and the tests, with the rings inline, are less so than the hot path above: that takes half
# of the time.
flags="-std=gnu11 -fno-strict-aliasing -ffunction-sections -fdata-sections -D_GNU_SOURCE $inc
	-I$top_srcdir/src -I$top_builddir -I$top_srcdir -idirafter $tmp/usr"
# One compilation of nearly all files takes a twentieth of the time that one for each does. Alone: what has a macro, a
# constant or a table of the same name as another file.
failed=0
compile() { $cross $warn $flags -O0 -c -o "$tmp/$1.o" "$2" >>"$tmp/log" 2>&1 || failed=1; }
for c in src/lib/*.c src/lib/flow/*.c src/prm/*.c "$top_builddir"/src/prm/*.c; do
	case $c in
	*/hot.c | */qp_blob.c | */txq.c | */prm/rows.c | */prm/match.c) compile "$(basename "$c" .c)" "$c" ;;
	*) echo "#include \"$c\"" ;;
	esac
done >"$tmp/all.c"
warn="$warn -Wno-shadow" # a global of another file; the native build reads each file alone
compile all "$tmp/all.c"
ok $failed "the whole libdvx compiles without a warning"
rm -f "$tmp/match.o" # libdvx's part of rows.o
for f in dvx_cq_clean cq_resize_take dvx_cq_unpack unpack_take; do # they write into a ring of CQEs
	aarch64-linux-gnu-objdump --disassemble=$f "$tmp/all.o" | tee "$tmp/log" | grep -q 'dmb[[:space:]]osh$'
	ok $? "$f: CQEs that it wrote, then a consumer index"
done

qemu=$(command -v qemu-aarch64-static)
# What the tests don't call is dropped with what it needs from rdma-core.
# The thousands of accessors take a compiler 20 seconds; tests/prm/asm.sh reads their machine code each time.
for t in lib/ring_sq lib/ring_cq lib/ticket ${DVX_TEST_LONG:+lib/ring_sessions lib/ring_rq prm/accessors}; do
	if [ -z "$qemu" ]; then
		skip "tests/$t on aarch64" "no qemu-aarch64-static: apt-get install qemu-user-static"
	else
		$cross $flags -O1 -Itests/lib/cross -static -Wl,--gc-sections -o "$tmp/${t#*/}" \
			tests/main.c "tests/$t.c" "$tmp"/*.o >>"$tmp/log" 2>&1 &&
			"$qemu" "$tmp/${t#*/}" >>"$tmp/log" 2>&1 && grep -q '^ok 1 ' "$tmp/log"
		ok $? "tests/$t on aarch64"
	fi
done
echo "1..$n"
