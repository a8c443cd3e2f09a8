# SPDX-License-Identifier: BSD-2-Clause
# The library's ABI against the one that is kept.
dist_check_SCRIPTS += tests/abi/abi.sh
EXTRA_DIST += tests/abi/libdvx.abi tests/abi/foreign.suppr
