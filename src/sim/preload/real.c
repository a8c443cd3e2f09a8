/* SPDX-License-Identifier: BSD-2-Clause */
#include "real.h"

#include <dlfcn.h>
#include <stdbool.h>

const struct real *real(void)
{
	static struct real table;
	static bool ready;

	if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		return &table;
		/* Two threads may both come here: they store the same pointers. */
#define X(fn) *(void **)&table.fn = dlsym(RTLD_NEXT, #fn);
	REAL_FUNCTIONS(X)
#undef X
	__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	return &table;
}
