/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before any other preload, and only once: a client may start a client. */
static int add_preload(const char *lib)
{
	const char *old = getenv("LD_PRELOAD");
	char *list;
	int err;

	if (!old || !*old)
		return setenv("LD_PRELOAD", lib, 1);
	if (strstr(old, lib))
		return 0;
	if (asprintf(&list, "%s:%s", lib, old) < 0)
		return -1;
	err = setenv("LD_PRELOAD", list, 1);
	free(list);
	return err;
}

/* A sanitized preload comes into programs that were not built so. */
static void sanitizer_env(void)
{
#ifdef __SANITIZE_ADDRESS__
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 0);
#endif
}

int become(const struct args *a)
{
	const char *lib = preload_path();
	char socket[PATH_MAX], tree[PATH_MAX];

	if (!lib)
		return EXIT_SELF;
	registry_file(socket, a->name, "socket");
	registry_file(tree, a->name, a->function);
	sanitizer_env();
	if (add_preload(lib) || setenv("DVX_SIM_SOCKET", socket, 1) ||
	    setenv("DVX_SIM_FUNCTION", a->function, 1) || setenv("SYSFS_PATH", tree, 1)) {
		say("can't set the environment: %s", strerror(errno));
		return EXIT_SELF;
	}
	execvp(a->cmd[0], a->cmd);
	say("can't run %s: %s", a->cmd[0], strerror(errno));
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANT_RUN;
}
