/* SPDX-License-Identifier: BSD-2-Clause */
/* Software's tables: STE's walk comes here; until then a packet that meets one is lost. */
#include "priv.h"

uint64_t ste_walk(struct steer_walk *w, uint64_t addr)
{
	return steer_lost(w, "steering entries (address 0x%llx) are not walked yet",
			  (unsigned long long)addr);
}
