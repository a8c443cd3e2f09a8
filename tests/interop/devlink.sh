#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that iproute2's devlink sees the PCI device and the mode of its e-switch, which only the manager has, and that
# the mode can't be changed.
. "$top_srcdir/tests/tap.sh"
command -v devlink >/dev/null || PATH=$PATH:/usr/sbin:/sbin
command -v devlink >/dev/null || skip_all "iproute2's devlink is not installed"

chips="plain reps"
slot=pci/0000:03:00.0
check "a BlueField in legacy mode" "$dvx_sim" up plain --vfs 1
check "a ConnectX in switchdev mode" "$dvx_sim" up reps --vfs 1 --switchdev --set chip=cx6dx,wqe_inline_l2=1
on() { # CHIP FUNCTION ARGUMENTS...
	chip=$1 f=$2
	shift 2
	timeout 120 "$dvx_sim" exec "$chip" -f "$f" -- devlink "$@"
}
check "the device" says 0 "^$slot$" on plain dpu dev show
check "... by its name" says 0 "^$slot$" on plain host dev show "$slot"
check "... no other" says 1 'No such device' on plain host dev show pci/0000:04:00.0
check "legacy mode" says 0 "^$slot: mode legacy inline-mode none encap-mode none" on plain dpu dev eswitch show "$slot"
check "switchdev mode" says 0 "^$slot: mode switchdev inline-mode link encap-mode none" on reps host dev eswitch show "$slot"
check "a function that manages no e-switch has no mode" says 1 'not supported' on plain host dev eswitch show "$slot"
check "... nor has a VF" says 1 'not supported' on reps vf0 dev eswitch show "$slot"
if [ "$(id -u)" = 0 ]; then
	check "setting the present mode" says 0 '' on plain dpu dev eswitch set "$slot" mode legacy
	check "another one is refused, with what to do" says 1 'dvx-sim up --set switchdev=1' \
		on plain dpu dev eswitch set "$slot" mode switchdev
fi
check "a port for the wire" says 0 "^$slot/131071: type eth flavour physical port 0 splittable false" on plain host port show
check "... a VF's own port" says 0 ': type eth flavour virtual splittable false' on reps vf0 port show
check "all else is refused" says 1 'not supported' on plain dpu dev info "$slot"
plan
