# SPDX-License-Identifier: BSD-2-Clause
# Sourced: two ends of a program on one device, as TAP. A missing program is a skip, a hang a failure.
: "${top_builddir:=$PWD}"
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
	timeout 60 "$sim" up "$chip" >"$dir/up" 2>&1 && return
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

# The server listens when the port is in the kernel's table (state 0A), in IPv4 or IPv6.
wait_port()
{
	hex=$(printf ':%04X ' "$1")
	until grep -q "$hex.* 0A " /proc/net/tcp /proc/net/tcp6; do
		kill -0 "$2" 2>/dev/null || return 1
		sleep 0.05 # a poll, bounded by the server's life
	done
}

# Below those that the kernel hands out by itself; each test has a range of its own, since they run side by side.
free_port()
{
	port=$((20000 + $(basename "$0" | cksum | awk '{ print $1 % 60 }') * 200 + ($$ * 7 + n * 13) % 180))
	while grep -q "$(printf ':%04X ' "$port")" /proc/net/tcp /proc/net/tcp6; do
		port=$((port + 1))
	done
}

# perftest measures the CPU's clock for its report; on a busy machine it gives up ("Correlation coefficient
# r^2: 0.70 < 0.9") and fails, unless it is told not to care.
any_clock=-F

# pair SERVER_FUNCTION PROGRAM ARGS...: both ends must exit with 0. $other: the client's chip, if not the same
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
	wait "$server" || bad=1
	result "$bad" "$name"
}
