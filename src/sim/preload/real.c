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
		/* Two threads may run this at once: they store the same pointers. */
#define X(function, ...)		       *(void **)&table.function = dlsym(RTLD_NEXT, #function);
#define X_PATH(result, failure, function, ...) X(function)
	HOOKS_PATH(X_PATH)
	HOOKS_PATHS(X) HOOKS_WRITTEN(X) HOOKS_FD(X)
#undef X_PATH
#undef X
		__atomic_store_n(&ready, true, __ATOMIC_RELEASE);
	return &table;
}
