/* SPDX-License-Identifier: BSD-2-Clause */
#include "v1.h"

#define V1_REG_C 0x8c

static const uint8_t v1_dwords[UINT8_MAX + 1] = {
#define DWORD(number, dword) [number] = REWRITE_##dword,
#include "v1_dwords.def"
};
#undef V1_REG_C

static uint64_t v1_walk(struct steer_walk *w, uint64_t addr)
{
	return ste_walk_entries(&ste_v1, w, addr);
}

const struct ste_version ste_v1 = {
	V1_FUNCTIONS, .format = 1, .dwords = v1_dwords, .moves = ste_v1_moves, .walk = v1_walk,
};
