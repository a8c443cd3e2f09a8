# SPDX-License-Identifier: BSD-2-Clause
# systemd looks below /usr and /usr/local.
systemdunitdir = $(prefix)/lib/systemd/system
sysusersdir = $(prefix)/lib/sysusers.d
nodist_systemdunit_DATA =
include tools/cli/local.mk
include tools/dvx-sim/local.mk
include tools/dvx-check/local.mk
include tools/dvx-verify/local.mk
include tools/dvx-copy/local.mk
include tools/dvx-perf/local.mk
include tools/dvx-prm/local.mk
include tools/completion/local.mk
include tools/dvx-info/local.mk
include tools/dvx-flow/local.mk
