# SPDX-License-Identifier: BSD-2-Clause
dist_check_SCRIPTS += tests/unit/layers.pl
TESTS += tests/unit/layers.pl
include tests/unit/prm.mk
include tests/unit/copy.mk
include tests/unit/info.mk
include tests/unit/dp.mk
include tests/unit/fw.mk
include tests/unit/flow.mk
include tests/unit/lib.mk
include tests/unit/kernel.mk
include tests/unit/host.mk
include tests/unit/setting.mk
include tests/unit/explain.mk
include tests/unit/rules.mk
