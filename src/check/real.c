/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Finds a function in the library that has it. Plugins load libibverbs with RTLD_LOCAL, so the
 * preload's RTLD_NEXT does not reach it.
 */
static void *watch_resolve_in(const char *library, const char *name)
{
	void *lib = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
	void *at = lib ? dlsym(lib, name) : NULL;

	if (lib)
		dlclose(lib); /* the program keeps it */
	return at;
}

void *watch_resolve(const char *name)
{
	void *at = NULL;

	if (!strncmp(name, "mlx5dv_", 7))
		at = watch_resolve_in("libmlx5.so.1", name);
	else if (!strncmp(name, "ibv_", 4))
		at = watch_resolve_in("libibverbs.so.1", name);
	at = at ? at : dlsym(RTLD_NEXT, name);
	if (at)
		return at;
	fprintf(stderr, "dvx-check: no library has %s\n", name);
	abort();
}
