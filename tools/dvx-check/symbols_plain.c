/* SPDX-License-Identifier: BSD-2-Clause */
/* Built without libdw: places are files and offsets, as addr2line takes them. */
#include "dvx-check.h"

void symbol_find(const char *module, uint64_t offset, struct symbol *s)
{
	(void)module, (void)offset;
	*s = (struct symbol){.line = 0};
}
