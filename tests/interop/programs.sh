#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that doc/programs.md is true: programs that we did not write, as Debian ships them, do on the device what the
# table says. A part of the rows is tried on each run, all in the long one. DVX_UPDATE=1 (with
# DVX_TEST_LONG=1) runs all of it and the other tests of pairs, and writes the table.
. "$(dirname "$0")/pair.sh"

table=$top_srcdir/doc/programs.md
long=${DVX_TEST_LONG:+1}
all=$dir/all
bound=300 # on a machine with much else to do
: >"$all"

# The packages of the table, in its order, and what their programs begin with.
packages='ibverbs-utils:ibv_ perftest:ib_|raw_ethernet rdmacm-utils:rping|rstream|riostream|rcopy|rdma_|ucmatose|udaddy|mckey|cmtime infiniband-diags:ibstat
	iproute2:rdma[^_] pciutils:lspci ucx-utils:ucx_ openmpi-bin:mpirun'

# known NAME: what the table says of a row
known() { awk -F ' *[|] *' -v name="$1" '$2 == "`" name "`" { print $3 }' "$table" 2>/dev/null; }

# row NAME CODE: the result is what the table says. Its reason is the first thing that the device or the program said.
row()
{
	what=passes
	if [ "$2" != 0 ]; then
		why=$(cat "$dir/client" "$dir/server" 2>/dev/null | grep -iE -m 1 "^dvx-sim: |error|fail|unable|not supp|couldn")
		[ "$2" != 124 ] || why="does not end within $((bound / 60)) minutes"
		what="fails: $(echo "${why:-no word}" | sed 's/.*UCX *ERROR //; s/^[ 0-9.]*//; s/0x[0-9a-f]*/0x../g; s/uid [0-9]*/uid N/; s/|/ /g' | cut -c1-100)"
	fi
	printf '%s\t%s\n' "$1" "$what" >>"$all"
	was=$(known "$1")
	[ -n "${DVX_UPDATE-}" ] || [ "${what%%:*}" = "${was%%:*}" ]
	result $? "$1: $what${was:+ (the table: $was)}"
}

# alone TEXT PROGRAM ARGS...: it exits with 0, and says the text.
alone()
{
	text=$1
	shift
	have "$1" "$*" || return
	: >"$dir/server"
	timeout "$bound" "$sim" exec "$chip" -- "$@" >"$dir/client" 2>&1 && grep -q -- "$text" "$dir/client"
	row "$*" $?
}

have()
{
	command -v "$1" >/dev/null && return
	n=$((n + 1))
	echo "ok $n - $2 # SKIP $1 is not installed"
	return 1
}

# two PROGRAM ARGS...: a pair whose result is a row
two()
{
	have "$1" "$*" || return
	name="$*"
	free_port
	program=$1
	shift
	timeout "$bound" "$sim" exec "$chip" -- "$program" -p "$port" "$@" >"$dir/server" 2>&1 &
	server=$!
	: >"$dir/client"
	bad=1
	if wait_port "$port" "$server"; then
		timeout "$bound" "$sim" exec "$chip" -- "$program" -p "$port" "$@" localhost >"$dir/client" 2>&1
		bad=$?
		[ "$bad" = 0 ] || kill "$server" 2>/dev/null
	fi
	wait "$server" 2>/dev/null || bad=1
	row "$name" "$bad"
}

ucx() { # transport, tests
	for t in $2; do two ucx_perftest -d mlx5_0:1 -x "$1" -t "${t%%:*}" $([ "$t" = "${t#*:}" ] || echo -D "${t#*:}") -n 50 -w 5 -f; done
}

ring() { # ranks, transports
	name="mpirun -np $1 --mca pml ucx -x UCX_TLS=$2 ring"
	have mpirun "$name" || return
	have mpicc "$name" || return
	[ -x "$dir/ring" ] || mpicc -O1 -o "$dir/ring" "$top_srcdir/tests/interop/ring.c" >"$dir/client" 2>&1
	: >"$dir/server"
	timeout "$bound" "$sim" exec "$chip" -- mpirun --allow-run-as-root --oversubscribe -np "$1" --mca pml ucx \
		-x UCX_TLS="$2" -x UCX_NET_DEVICES=mlx5_0:1 "$dir/ring" >"$dir/client" 2>&1 &&
		grep -q "the ring is right" "$dir/client"
	row "$name" $?
}

# Every verb over the transports that perftest offers for it, with the options that it has there.
matrix()
{
	for c in RC UC XRC DC; do
		for o in "" -a "-q 4" -b --odp; do two ib_write_bw -F -x 1 -n 20 -c $c $o; done
		two ib_write_lat -F -x 1 -n 20 -c $c
	done
	for c in RC XRC DC; do
		for o in "" -a "-q 4" -b -e --odp; do two ib_read_bw -F -x 1 -n 20 -c $c $o; done
		for o in "" -e; do two ib_read_lat -F -x 1 -n 20 -c $c $o; done
		for a in FETCH_AND_ADD CMP_AND_SWAP; do
			for o in "" "-q 4" -e; do two ib_atomic_bw -F -x 1 -n 20 -c $c -A $a $o; done
			two ib_atomic_lat -F -x 1 -n 20 -c $c -A $a
		done
	done
	for c in RC UC UD XRC DC; do
		for o in "" -a "-q 4" -b -e --use-srq; do two ib_send_bw -F -x 1 -n 20 -c $c $o; done
		for o in "" -e --use-srq; do two ib_send_lat -F -x 1 -n 20 -c $c $o; done
	done
	alone "fps" raw_ethernet_fs_rate --server -B 02:00:00:00:00:01 -E 02:00:00:00:00:02 -J 1.2.3.4 -j 1.2.3.5 -K 1 -k 2 -n 5
}

others()
{
	for t in pingpong perftest srq rdmacm raw_ethernet; do
		: >"$dir/ran"
		DVX_RAN=$dir/ran sh "$(dirname "$0")/$t.sh" >"$dir/client" 2>&1
		awk -F '\t' '{ print $1 "\t" ($2 ? "fails" : "passes") }' "$dir/ran" >>"$all"
	done
}

version() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null; }

write_table()
{
	cat <<-'END'
		# Programs on dvx-sim

		What programs that dvx's authors did not write, as Debian 12 ships them, do on dvx-sim. `tests/interop/programs.sh`
		writes this table from what it ran, and each run of the tests compares a part with it. Programs are as they are:
		they pass if they end with exit code 0 on both sides; ibv_*_pingpong, rping, rcopy, rsockets (`-T v`), udaddy and
		the ring check their data. With `-c DC -e` perftest's server closes its event channel before the CQ that uses it,
		which libibverbs refuses whatever the device; all messages have arrived by then.
	END
	for p in $packages; do
		package=${p%%:*}
		grep -E "^(${p#*:})" "$all" | sort -u >"$dir/rows"
		[ -s "$dir/rows" ] || continue
		printf '\n## %s %s\n\n| ran | result |\n|---|---|\n' "$package" "$(version "$package")"
		awk -F '\t' '{ print "| `" $1 "` | " $2 " |" }' "$dir/rows"
	done
}

timeout 60 "$sim" up "$chip" >"$dir/up" 2>&1 || { echo "Bail out! dvx-sim up: $(tail -n 1 "$dir/up")"; exit 1; }
alone "PORT_ACTIVE" ibv_devinfo
alone "hca_core_clock" ibv_devinfo -v
alone "mlx5_0" ibv_devices
alone "State: Active" ibstat
alone "rate:.*100 Gb/sec" ibstatus
alone "mlx5_0/1 state ACTIVE" rdma link
alone "node_type ca" rdma dev
alone "BlueField-2" lspci -vv -s 03:00.0
alone "Transport: rc_mlx5" ucx_info -d
ucx rc_verbs "get:bcopy"
ucx rc_mlx5 "put_lat fadd"
ucx ud_mlx5 "am_lat"
ring 2 rc_x,self
if [ -n "$long" ]; then
	ring 3 ud_mlx5,self
	ucx rc_verbs "am_lat put_lat add_lat"
	ucx rc_mlx5 "am_lat get:bcopy add_lat"
	ucx rc_mlx5 "am_bw put_bw add_mr swap cswap tag_lat tag_bw ucp_am_lat ucp_put_lat ucp_get ucp_fadd ucp_cswap stream_bw"
	ucx ud_mlx5 "am_bw"
	ucx ud_verbs "am_lat"
	ucx dc_mlx5 "am_lat put_lat get:bcopy add_lat"
	two ibv_xsrq_pingpong -g 1 -n 100
	matrix
fi
[ -z "${DVX_UPDATE-}" ] || others
[ -z "${DVX_UPDATE-}" ] || write_table >"$table"
echo "1..$n"
exit "$failed"
