# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tap.sh and the interop tests' pair.sh.

# until_dead PID: waits for the end of a process that was killed, also of one that is no child of this shell. kill only
# sends the signal; on a busy machine the process has its files, locks and connections for a while yet.
until_dead() {
	while grep -qs '^State:.[^ZX]' "/proc/$1"/task/*/status; do sleep 0.02; done
}

# shows_up FILE TEXT PID: waits until the process has written the text; fails if it ends without.
shows_up() {
	until grep -qs -- "$2" "$1"; do
		kill -0 "$3" 2>/dev/null || grep -qs -- "$2" "$1" || return
		sleep 0.02 # other tests need the processor
	done
}

# wait_port PORT PID: waits until the server listens: the port is in the kernel's table (state 0A), in IPv4 or IPv6. Fails
# if the process ends before.
wait_port() {
	hex=$(printf ':%04X ' "$1")
	until grep -q "$hex.* 0A " /proc/net/tcp /proc/net/tcp6; do
		kill -0 "$2" 2>/dev/null || return 1
		sleep 0.05 # a poll, bounded by the server's life
	done
}
