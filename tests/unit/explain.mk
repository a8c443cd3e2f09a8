# SPDX-License-Identifier: BSD-2-Clause
# What dvx-prm explain makes of dumps.
dist_check_SCRIPTS += tests/unit/dvx_prm_explain.sh
TESTS += tests/unit/dvx_prm_explain.sh
