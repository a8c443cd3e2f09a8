/* SPDX-License-Identifier: BSD-2-Clause */
/* Version 2, ConnectX-7 and BlueField-3: version 1 with other numbers of registers. */
#include "v1.h"

#define V1_REG_C 0x90

static const uint8_t v2_dwords[UINT8_MAX + 1] = {
#define DWORD(number, dword) [number] = REWRITE_##dword,
#include "v1_dwords.def"
};
#undef V1_REG_C

static uint64_t v2_walk(struct steer_walk *w, uint64_t addr)
{
	return ste_walk_entries(&ste_v2, w, addr);
}

const struct ste_version ste_v2 = {
	V1_FUNCTIONS, .format = 2, .dwords = v2_dwords, .moves = ste_v1_moves, .walk = v2_walk,
};
