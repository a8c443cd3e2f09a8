#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a chip can be told to lack something (dvx-sim --set), that it then says so and does
# without, and that libdvx and dvx-copy say in their own words what is missing.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
copy=${top_builddir:?}/tools/dvx-copy/dvx-copy
perf=$top_builddir/tools/dvx-perf/dvx-perf
post_poll=$top_builddir/examples/post_poll
limits=$top_builddir/tests/chip/limits
work=$scratch/work
mkdir "$work"
server=

clean_up() {
	[ -z "$server" ] || kill -9 "$server" 2>/dev/null
	finish
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# --- the option itself ---

check "--set help lists the names" says 0 log_dma_mmo_max_size "$dvx_sim" up --set help
check "run has it too" says 0 old_kernel "$dvx_sim" run --set help
check "an unknown name: the names there are" says 125 "; there are chip, dma_mmo, " \
	"$dvx_sim" run --set dma_mno=1 -- true
check "an unknown name: the list" says 2 "there are chip, dma_mmo, " "$dvx_sim" up a --set frob=1
check "a bad value: the range" says 2 "a number from 7 to 21" "$dvx_sim" up a --set log_max_qp=6
check "no value" says 2 "is not NAME=VALUE" "$dvx_sim" up a --set dma_mmo
nothing_up() { [ ! -e "$scratch/dvx-sim/a" ]; }
check "and no chip was started" nothing_up
manual() {
	"$dvx_sim" up --set help | awk 'NR > 1 && $2 ~ /^[0-9]+$/ { print $1, $2, $3 }' >"$work/is"
	sed 's/\\-/-/g' "$top_srcdir/doc/man/dvx-sim.1" |
		awk -F '\t' '$3 ~ /^[0-9]+-[0-9]+$/ { print $1, $2, $3 }' >"$work/manual"
	[ -s "$work/is" ] && diff "$work/is" "$work/manual"
}
check "the manual has the same names, defaults and ranges" manual

# Values that programs can see without libdvx.
qps() { [ "$("$@" ibv_devinfo -v | awk '$1 == "max_qp:" { print $2 }')" = 512 ]; }
if command -v ibv_devinfo >/dev/null; then
	check "repeated --set add up" qps "$dvx_sim" run --set dma_mmo=0,log_max_qp=8 --set log_max_qp=9 --
	refused() {
		env DVX_SIM_SET="$1" "$dvx_sim" run -- ibv_devinfo >"$work/out" 2>&1 && return 1
		cat "$work/out"
		grep -qF "DVX_SIM_SET: $2" "$work/out"
	}
	long=$(printf 'log_max_qp=%d,' $(seq 7 21) $(seq 7 21))
	long=$long$long$long$long$long$long$long$long$long$long # beyond 4096 bytes
	check "run takes it, however long" qps env DVX_SIM_SET="${long}log_max_qp=9" "$dvx_sim" run --set dma_mmo=0 --
	check "... and --set wins" qps env DVX_SIM_SET=log_max_qp=8 "$dvx_sim" run --set log_max_qp=9 --
	check "DVX_SIM_SET with a bad value: no device, and why" refused log_max_qp=x "log_max_qp=x: the value"
	check "DVX_SIM_SET with an unknown name" refused dma_nmo=1 'there is no setting "dma_nmo"'
fi

check "strict doorbells: BlueFlame bytes that differ from the ring's are reported" says 0 \
	"the BlueFlame register has other bytes than WQE 0 in the ring" \
	"$dvx_sim" run --set strict_doorbells=1 -- "$top_builddir/tests/lib/strict_rings"

# --- what does not need the missing part goes on ---

lean=dma_mmo=0,cross_vhca=0,allow_mkey=0
poor=log_max_qp=7,log_max_cq=2,log_max_mkey=5,log_max_pd=3,log_max_qp_sz=7,log_max_cq_sz=8,log_max_msg=16
for set in $lean $poor old_kernel=1; do
	check "post_poll, $set" "$dvx_sim" run --set "$set" -- "$post_poll"
done
for set in $lean log_max_msg=16 old_kernel=1; do
	check "dvx-perf, $set" "$dvx_sim" run --set "$set" -- "$perf" --count 20 --rounds 1
done

# --- limits: so many and no more, and again after a destroy ---

lim="LIM (0x8), syndrome"
check "64 QPs" says 0 "64 made, then -12: CREATE_QP (0x500) op_mod 0x0: $lim" \
	"$dvx_sim" run --set log_max_qp=7 -- "$limits" qp
check "15 CQs" says 0 "15 made, then -12: CREATE_CQ (0x400) op_mod 0x0: $lim" \
	"$dvx_sim" run --set log_max_cq=4 -- "$limits" cq
check "8 mkeys" says 0 "8 made, then -12: CREATE_MKEY (0x200) op_mod 0x0: $lim" \
	"$dvx_sim" run --set log_max_mkey=4 -- "$limits" mkey
check "an old kernel: which command, and that it hid the status" \
	says 0 "CREATE_MKEY (0x200) op_mod 0x0: refused; the kernel hides status and syndrome: Cannot allocate" \
	"$dvx_sim" run --set log_max_mkey=4,old_kernel=1 -- "$limits" mkey
check "keys of 64 KiB pages only" says 1 "CREATE_MKEY (0x200) op_mod 0x0: BAD_PARAM (0x3)" \
	"$dvx_sim" run --set min_mkey_log_entity_size=16 -- "$limits" mkey

# --- dvx-copy ---

# chip SETTINGS: a chip of that kind, up
chip() {
	[ -z "$server" ] || kill -9 "$server"
	server=
	[ -z "$chips" ] || "$dvx_sim" down "$chips"
	chips=pers-$$
	rm -f "$work/trace"
	"$dvx_sim" up "$chips" --trace "$work/trace" ${1:+--set "$1"} || bail_out "no chip"
}

start() {
	background "$work/server.err" "$dvx_sim" exec "$chips" -- "$copy" serve --root "$scratch" --listen 127.0.0.1:0 "$@" ||
		bail_out "no server: $(cat "$work/server.err")"
	server=$child
	port=${line##*127.0.0.1:}
	port=${port%%[!0-9]*}
}

pull() {
	rm -f "$work/copy"
	"$dvx_sim" exec "$chips" -f dpu -- "$copy" pull --quiet "$@" "127.0.0.1:$port:file" "$work/copy"
}

copied() {
	pull "$@" && cmp "$scratch/file" "$work/copy"
}

# pieces N: the copies were of N bytes at the most, and one was of N. (A byte_count for each side.)
pieces() {
	grep -o 'wqe_data_seg .*byte_count=[^ ]*' "$work/trace" | sed 's/.*byte_count=//' | sort -u >"$work/pieces"
	cat "$work/pieces"
	most=0
	while read -r n; do
		[ $((n)) -le "$most" ] || most=$((n))
	done <"$work/pieces"
	[ "$most" = "$1" ]
}

dd if=/dev/urandom of="$scratch/file" bs=1M count=3 status=none

chip dma_mmo=0
start
check "dvx-copy pull without MMO" says 4 "has no DMA copy engine for this function" pull --via dma
check "... goes over a connection" copied
chip cross_vhca=0
start
check "dvx-copy pull without import" says 4 "can't use memory keys of another function" pull --via dma
check "... goes over a connection" copied
chip allow_mkey=0
start
check "dvx-copy pull without export" says 4 "lets no other function use its memory keys" pull --via dma
check "... goes over a connection" copied
chip alias_bad_status=1
start
check "dvx-copy copies from a chip that makes bad aliases, if its ticket is good" copied
chip log_dma_mmo_max_size=21
start --slot-size 4M
check "dvx-copy where 2 MiB is the longest copy" copied --slot-size 4M
check "... has pieces of 2 MiB" pieces 2097152
chip log_dma_mmo_max_size=27
start --slot-size 4M
check "dvx-copy where 128 MiB is the longest copy" copied --slot-size 4M
check "... has a piece for a file of 3 MiB" pieces 3145728
chip log_dma_mmo_max_size=12
start
check "dvx-copy where 4 KiB is the longest copy" copied
check "... has pieces of 4 KiB" pieces 4096
chip log_dma_mmo_max_size=0
start --slot-size 4M
check "dvx-copy on a device without a stated limit" copied --slot-size 4M
check "... has a piece for it, too" pieces 3145728
chip old_kernel=1
start
check "dvx-copy over an old kernel" copied
chip log_max_mkey=4
start
full() {
	(ulimit -l 64 && exec "$dvx_sim" exec "$chips" -f dpu -- "$limits" mkey \
		"$copy" pull "127.0.0.1:$port:file" "$work/copy")
}
check "dvx-copy where no mkey is left names the command, not a limit of memory" \
	says 4 "making the queue for copies: CREATE_MKEY (0x200) op_mod 0x0: $lim" full
chip log_max_cq=1
start
full() { "$dvx_sim" exec "$chips" -f dpu -- "$limits" cq "$copy" pull "127.0.0.1:$port:file" "$work/copy"; }
check "dvx-copy where no CQ is left" says 4 "making the completion queue: CREATE_CQ (0x400) op_mod 0x0: $lim" full
check "... works once there is one" copied
chip log_max_qp=7
start
full() { "$dvx_sim" exec "$chips" -f dpu -- "$limits" qp "$copy" pull "127.0.0.1:$port:file" "$work/copy"; }
check "dvx-copy where no QP is left" says 4 "making the queue for copies: CREATE_QP (0x500) op_mod 0x0: $lim" full
check "... works once there is one" copied
plan
