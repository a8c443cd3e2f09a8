# SPDX-License-Identifier: BSD-2-Clause
# Proves: dvx-copy brings a real tree from the host to the DPU byte for byte, with all that it keeps.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99

src=$work/src
mkdir -p "$src/deep/er/and/deeper" "$src/empty-dir" "$src/read-only"
cp -R "$top_srcdir/doc" "$top_srcdir/tools" "$src/"
printf 'x' >"$src/$(printf 'bytes \377\001\nand a line')"
: >"$src/empty"
ln -s ../nowhere "$src/dangling"
ln -s empty "$src/link"
ln -s /etc "$src/deep/absolute"
truncate -s 40M "$src/sparse"
printf 'island' | dd of="$src/sparse" bs=1 seek=20000000 conv=notrunc status=none
dd if=/dev/urandom of="$src/deep/er/odd" bs=1048577 count=3 status=none
mib=32
[ -z "${DVX_TEST_LONG-}" ] || mib=256
dd if=/dev/urandom of="$src/big" bs=1M count=$mib status=none
for n in $(seq 300); do echo "$n" >"$src/deep/er/and/deeper/$n"; done
echo secret >"$src/read-only/f"
chmod 0400 "$src/read-only/f"
chmod 0750 "$src/deep/er"
touch -h -d '2001-02-03 04:05:06.123456789' "$src/link" "$src/empty" "$src/empty-dir" "$src/read-only/f"
chmod 0500 "$src/read-only"
touch -d '1969-12-31 23:59:58.5 UTC' "$src/deep"

start "$src"
mkdir "$work/all"
check "a whole tree into an existing directory" pull "127.0.0.1:$port:/" "$work/all"
check "is the same tree, with modes, times and links" same "$src" "$work/all"
holes() { [ "$(stat -c %b "$work/all/sparse")" -lt 10000 ]; }
check "holes stay holes" holes
check "what a directory holds goes into DEST, which is made" pull "127.0.0.1:$port:deep/" "$work/renamed"
check "and is the same" same "$src/deep" "$work/renamed"
dest_itself() { [ "$(stat -c '%a %y' "$src/deep")" = "$(stat -c '%a %y' "$work/renamed")" ]; }
check "up to its own mode and time" dest_itself
kept() {
	mkdir -m 500 "$work/kept" && pull "127.0.0.1:$port:deep/" "$work/kept" &&
		same "$src/deep" "$work/kept" && [ "$(stat -c %a "$work/kept")" = 500 ]
}
check "a DEST that was there keeps its mode, though it is read-only" kept
check "a directory goes into DEST under its own name" pull "127.0.0.1:$port:deep" "$work/below"
check "and is the same there" same "$src/deep" "$work/below/deep"
check "again over what is there, read-only directories too" pull "127.0.0.1:$port:." "$work/all"
check "changes nothing" same "$src" "$work/all"

mkdir "$work/some"
check "several sources" pull "127.0.0.1:$port:big" "127.0.0.1:$port:link" "127.0.0.1:$port:deep/er" "$work/some"
some() { cmp "$src/big" "$work/some/big" && [ -L "$work/some/link" ] && same "$src/deep/er" "$work/some/er"; }
check "arrive under their names" some
check "several sources need a directory" fails 3 "is not a directory" \
	pull "127.0.0.1:$port:big" "127.0.0.1:$port:link" "$work/some/big"

json() {
	pull --json "127.0.0.1:$port:big" "$work/json-copy" >"$work/json" || return 1
	cat "$work/json"
	for want in '"result": "ok"' '"exit": 0' '"files": 1' "\"bytes\": $((mib << 20))" "\"chunks_verified\": $mib"; do
		grep -q "$want" "$work/json" || return 1
	done
	cmp "$src/big" "$work/json-copy"
}
check "--json reports what was copied" json
events() {
	rm -rf "$work/events"
	pull --json --progress --slot-size 64K --bwlimit 2m "127.0.0.1:$port:deep/er/odd" "$work/events" >"$work/json" || return 1
	cat "$work/json"
	grep '"event"' "$work/json" | tail -n 1 >"$work/last"
	grep -q '"bytes":3145731,' "$work/last" && grep -q '"want_files":1,' "$work/last" &&
		[ "$(grep -c '"event"' "$work/json")" -gt 1 ] && grep -v '"event"' "$work/json" | head -n 1 | grep -qx '{'
}
check "--json --progress reports on the way, and the result" events
shown() {
	rm -rf "$work/events"
	pull --progress --stats "127.0.0.1:$port:big" "$work/events" >"$work/out" 2>"$work/err" || return 1
	cat "$work/out" "$work/err"
	grep -q "^1 file: $mib.* MiB in " "$work/out" && grep -qx "bytes copied           *$((mib << 20))" "$work/out" &&
		grep -qx 'way                    DMA engine' "$work/out"
}
check "--stats prints the counters" shown
in_place() {
	head -c 50000000 /dev/zero | tr '\0' x >"$work/in-place"
	pull --inplace "127.0.0.1:$port:sparse" "$work/in-place" && cmp "$src/sparse" "$work/in-place"
}
check "--inplace: what was there does not show through holes" in_place
quiet() { [ -z "$(pull --quiet "127.0.0.1:$port:empty" "$work/q" 2>&1)" ]; }
check "--quiet is quiet" quiet

# The engine of this chip takes at most 2 MiB at once: 8 MiB slots are copied in pieces.
start_large() {
	stop || return 1
	start "$src" --slot-size 8M --slots 4
	pull --slot-size 8M --slots 8 --json "127.0.0.1:$port:big" "$work/pieces" >"$work/json" || return 1
	cat "$work/json"
	grep -q "\"chunks_verified\": $((mib / 8))" "$work/json" || return 1
	copies=$(sed -n 's/.*"dma_copies": \([0-9]*\).*/\1/p' "$work/json")
	[ "$copies" -gt $((mib / 8)) ] && cmp "$src/big" "$work/pieces"
}
check "chunks larger than the engine takes are copied in pieces" start_large
check "one small slot is enough" pull --slots 1 --slot-size 4K "127.0.0.1:$port:deep/er/odd" "$work/one"
check "and the file is right" cmp "$src/deep/er/odd" "$work/one"

three_at_once() {
	pids=
	for n in 1 2 3; do
		exec_pull --quiet "127.0.0.1:$port:deep/" "$work/at-once.$n" &
		pids="$pids $!"
	done
	for p in $pids; do
		wait "$p" || return 1
	done
	for n in 1 2 3; do
		same "$src/deep" "$work/at-once.$n" || return 1
	done
}
check "three clients at once" three_at_once
check "SIGTERM ends the server with 0" stop

# What the device saw: as many MMO work requests as the report says, and the alias that they went through.
engine() {
	chip=$chip-traced
	chips="$chips $chip"
	"$dvx_sim" up --trace "$work/trace" "$chip" || return 1
	start "$src"
	pull --json "127.0.0.1:$port:deep/" "$work/traced" >"$work/json" && stop || return 1
	copies=$(sed -n 's/.*"dma_copies": \([0-9]*\).*/\1/p' "$work/json")
	seen=$(grep -c 'wqe_ctrl_seg .*opcode=MMO' "$work/trace")
	echo "$copies copies, $seen seen"
	[ "$copies" -gt 3 ] && [ "$seen" = "$copies" ] &&
		grep -q 'vhca 1 .*ALLOW_OTHER_VHCA_ACCESS' "$work/trace" &&
		grep -q 'vhca 2 .*CREATE_GENERAL_OBJECT' "$work/trace"
}
check "the device's engine moved it all, through an alias" engine

# By RDMA READ: asked for on one chip, and of itself between the chips of two machines.
over_rc() { # WORDS OPTION...
	words=$1
	shift
	rm -rf "$work/rc"
	pull "$@" "127.0.0.1:$port:." "$work/rc" >"$work/out" 2>"$work/err"
	status=$?
	cat "$work/out" "$work/err"
	[ "$status" = 0 ] && grep -q "RDMA READ over a connection: $words" "$work/err" && same "$src" "$work/rc"
}
by_read() {
	start "$src"
	before=$(grep -c 'wqe_ctrl_seg .*opcode=MMO' "$work/trace")
	over_rc "--via rc was given" --via rc || return 1
	grep -q 'wqe_ctrl_seg .*opcode=RDMA_READ' "$work/trace" &&
		[ "$(grep -c 'wqe_ctrl_seg .*opcode=MMO' "$work/trace")" = "$before" ]
}
rm -f "$src/big"
check "--via rc copies the same tree by RDMA READ" by_read
two_chips() {
	stop || return 1
	chip=$chip-a
	far=$chip-b
	chips="$chips $chip $far"
	"$dvx_sim" up "$chip" --wire "peer=$$" && "$dvx_sim" up "$far" --wire "peer=$$" || return 1
	start "$src"
	chip=$far
	over_rc "the ends are on two chips"
}
check "two chips on a wire copy by RDMA READ" two_chips
lossy() {
	"$dvx_sim" fault "$far" drop=1% || return 1
	over_rc "the ends are on two chips"
}
check "a wire that loses packets makes it no worse" lossy
apart() { fails 4 "the ends are on two chips, and --via dma was given" pull --via dma "127.0.0.1:$port:deep/er/odd" "$work/no"; }
check "--via dma between them says why not" apart
plan
