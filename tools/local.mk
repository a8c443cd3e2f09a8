# SPDX-License-Identifier: BSD-2-Clause
include tools/cli/local.mk
include tools/dvx-sim/local.mk
include tools/dvx-copy/local.mk
include tools/dvx-perf/local.mk
include tools/dvx-prm/local.mk
include tools/completion/local.mk
include tools/dvx-info/local.mk
include tools/dvx-flow/local.mk
