# SPDX-License-Identifier: BSD-2-Clause
# The leaves: log, timers, maps, CRC, settings.
SIM_TESTS += tests/base/crc32 tests/base/intervals tests/base/log tests/base/maps tests/base/probe tests/base/timer \
	tests/base/setting
