# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tap.sh and the interop tests' pair.sh.

# until_dead PID: waits for the end of a process that was killed, also of one that is no child of this shell. kill only
# sends the signal; on a busy machine the process has its files, locks and connections for a while yet.
until_dead() {
	while grep -qs '^State:.[^ZX]' "/proc/$1"/task/*/status; do sleep 0.02; done
}
