# SPDX-License-Identifier: BSD-2-Clause
# Sourced: two ends of a program on one device, as TAP. A missing program is a skip, a hang a failure.
: "${top_builddir:=$PWD}"
. "$(dirname "$0")/../until.sh"
sim=$top_builddir/tools/dvx-sim/dvx-sim
chip=pair$$
dir=$(mktemp -d)
# The test has a registry of its own, apart from other chips of the user.
XDG_RUNTIME_DIR=$dir
export XDG_RUNTIME_DIR
n=0
failed=0
bound=300

clean()
{
	timeout 60 "$sim" down "$chip" >/dev/null 2>&1
	rm -rf "$dir"
}
trap clean EXIT
trap 'exit 1' INT TERM

plan()
{
	echo "1..$1"
	timeout 60 "$sim" up "$chip" ${chip_options-} >"$dir/up" 2>&1 && return
	echo "Bail out! dvx-sim up: $(tail -n 1 "$dir/up")"
	exit 1
}

# In DVX_RAN, a file, programs.sh finds what ran: program and arguments, exit code.
result()
{
	n=$((n + 1))
	[ -z "${DVX_RAN-}" ] || printf '%s\t%s\n' "$2" "$1" >>"$DVX_RAN"
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		failed=1
		echo "not ok $n - $2"
		sed 's/^/# server: /' "$dir/server" | tail -n 15
		sed 's/^/# client: /' "$dir/client" | tail -n 15
	fi
}

# refused TEXT COMMAND...: a command that would bring a chip `refused` up fails, and prints why
refused()
{
	text=$1
	shift
	if timeout 60 "$@" >"$dir/server" 2>&1; then
		timeout 60 "$sim" down refused
		return 1
	fi
	grep -q -- "$text" "$dir/server"
}

# Below those that the kernel hands out by itself; each script of this folder has a range of its own, since they run
# side by side: two that look for a free port at once would take the same, and a client would meet the other's server.
scripts_before()
{
	printf '%s\n' "$(dirname "$0")"/*.sh | awk -F / -v me="$(basename "$0")" '$NF == me { print NR - 1 }'
}
port_range=$((20000 + $(scripts_before) * 200))
free_port()
{
	port=$((port_range + ($$ * 7 + n * 13) % 180))
	while grep -q "$(printf ':%04X ' "$port")" /proc/net/tcp /proc/net/tcp6; do
		port=$((port + 1))
	done
}

# perftest measures the CPU's clock for its report; on a busy machine it gives up ("Correlation coefficient
# r^2: 0.70 < 0.9") and fails, unless it is told not to care.
any_clock=-F

# unheard SERVER CLIENT: exit codes. The last acknowledgement was lost and its sender is gone: then one end had all,
# and the other can't know. The programs have no farewell of their own, so any NIC shows this.
unheard()
{
	[ -n "${lossy-}" ] && { [ "$1" = 0 ] || [ "$2" = 0 ]; } &&
		grep -q "transport retry counter exceeded (12)" "$dir/server" "$dir/client"
}

# pair SERVER_FUNCTION PROGRAM ARGS...: both ends must exit with 0. $other: the client's chip, if not the same
# $lossy: the wire loses packets
pair()
{
	function=$1
	shift
	name="$*"
	[ "$function" = host ] || name="$name ($function serves)"
	[ -z "${other-}" ] || name="$name, two chips"
	if ! command -v "$1" >/dev/null; then
		n=$((n + 1))
		echo "ok $n - $name # SKIP $1 is not installed"
		return
	fi
	free_port
	program=$1
	shift
	case $program in ib_*) set -- $any_clock "$@" ;; esac
	timeout "$bound" "$sim" exec "$chip" --function "$function" -- "$program" -p "$port" "$@" \
		>"$dir/server" 2>&1 &
	server=$!
	: >"$dir/client"
	bad=1
	if wait_port "$port" "$server"; then
		timeout "$bound" "$sim" exec "${other:-$chip}" -- "$program" -p "$port" "$@" localhost \
			>"$dir/client" 2>&1
		bad=$?
	fi
	wait "$server"
	served=$?
	[ "$bad$served" = 00 ] || unheard "$served" "$bad"
	result $? "$name"
}

# --- RDMA_CM
state=LISTEN

# The ids of programs that ended are gone: the chip heard of each end before ls could connect. Else
# a client would take an old server's for the new one's.
none_left()
{
	"$sim" ls >"$dir/client" 2>&1
	! grep -q "cm_id $state" "$dir/client" || result 1 "no id is left of a program that ended"
}

# listens PID [STATE]: some id of the chip listens, or has another state.
listens()
{
	until "$sim" ls 2>/dev/null | grep -q "cm_id ${2:-LISTEN}"; do
		kill -0 "$1" 2>/dev/null || return 1
	done
}

# perftest 4.5 listens a second time after both ends have shaken hands. A client that is faster is refused, tries again
# and dies of a segmentation fault in its own code; so it does with any device. The address sanitizer ends it with 1.
listened_late()
{
	{ [ "$1" = 139 ] || grep -q 'SUMMARY: AddressSanitizer: SEGV .*/librdmacm' "$dir/client"; } &&
		grep -q 'Failed to connect RDMA CM events' "$dir/client"
}

# rping's main thread closes the channel of events while another thread goes back into rdma_get_cm_event(). If the
# close comes before that thread's write(), the write() fails with EBADF, as a kernel's does, and the thread ends rping
# (mended in 2025: rdma-core's pull request 1622).
closed_early()
{
	[ "$1" = 255 ] && grep -q 'DISCONNECT EVENT' "$2" &&
		[ "$(tail -n 1 "$2")" = 'rdma_get_cm_event: Bad file descriptor' ]
}

# cm FUNCTION "SERVER" "CLIENT": both must exit with 0. "SERVER &": it serves until it is killed.
# $state: that of the server's id when the client may begin. $other: the client's chip, if not the same
cm()
{
	name="$3"
	[ "$1" = host ] || name="$name ($1 serves)"
	[ -z "${other-}" ] || name="$name, two chips"
	if ! command -v "${2%% *}" >/dev/null; then
		n=$((n + 1))
		echo "ok $n - $name # SKIP ${2%% *} is not installed"
		return
	fi
	none_left
	# shellcheck disable=SC2086 # words
	timeout "$bound" "$sim" exec "$chip" --function "$1" -- ${2% &} >"$dir/server" 2>&1 &
	server=$!
	: >"$dir/client"
	bad=1
	if listens "$server" "$state"; then
		# shellcheck disable=SC2086
		timeout "$bound" "$sim" exec "${other:-$chip}" -- $3 >"$dir/client" 2>&1
		bad=$?
	fi
	early=
	if closed_early $bad "$dir/client"; then early=client bad=0; fi
	[ $bad = 0 ] || kill "$server"
	if listened_late $bad; then
		wait "$server"
		n=$((n + 1))
		echo "ok $n - $name # SKIP the server of perftest listened too late for its client"
		return
	fi
	case $2 in *' &') kill "$server" ;; esac 2>/dev/null
	wait "$server" 2>/dev/null
	served=$?
	if closed_early $served "$dir/server"; then early=server served=0; fi
	case $2 in *' &') ;; *) [ $served = 0 ] || bad=1 ;; esac
	result "$bad" "$name${early:+ # SKIP the $early closed its channel before its own thread came back to it}"
}
