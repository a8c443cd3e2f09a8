/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdvx-sim.so, the preload. The device is that of the server whose socket DVX_SIM_SOCKET names.
 * The preload runs in every process that inherits the environment, shells too, so nothing is asked
 * of the server before the first access to the device's files.
 */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "cfile.h"
#include "client.h"
#include "dm_op.h"
#include "link/link.h"
#include "paths.h"
#include "real.h"
#include "share_fork.h"

static char sysfs[PATH_MAX];

/*
 * Finds the function's tree, beside the socket. Its name is resolved to the kernel's, so that the
 * working directory and links of /proc are recognized.
 */
static void preload_find_tree(const char *socket, const char *function)
{
	const char *slash = strrchr(socket, '/');
	char dir[PATH_MAX], real_dir[PATH_MAX];
	const char *in;

	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - socket) : 1, slash ? socket : ".");
	in = real()->realpath(dir, real_dir) ? real_dir : dir;
	if (snprintf(sysfs, sizeof(sysfs), "%s/%s", in, function) >= (int)sizeof(sysfs))
		sim_refuse("the path of the sysfs tree is too long, below %s", dir);
}

/* Sets the name; false if no function has such a name. The server knows which there are. */
static bool preload_set_function(struct link_function *f, const char *name)
{
	if (*name == '.' || strchr(name, '/') || strlen(name) >= sizeof(f->name))
		return false;
	strcpy(f->name, name);
	return true;
}

static void preload_in_child(void)
{
	client_in_child();
	share_in_child();
	dm_op_in_child();
	client_map_in_child();
}

__attribute__((constructor)) static void preload_init(void)
{
	const char *socket = getenv("DVX_SIM_SOCKET");
	const char *name = getenv("DVX_SIM_FUNCTION");
	struct link_function function = {"host"};

	if (!socket) {
		sim_refuse("DVX_SIM_SOCKET is not set, so there is no device: dvx-sim run or "
			   "dvx-sim exec starts a program on one");
		/* Programs that this one starts find an empty name, and do not repeat it. */
		setenv("DVX_SIM_SOCKET", "", 1);
	}
	if (!socket || !*socket)
		return;
	if (name && *name && !preload_set_function(&function, name)) {
		sim_refuse("DVX_SIM_FUNCTION is \"%.32s\", which is no function, so there is no "
			   "device: dvx-sim ls lists those of the chips",
			   name);
		return;
	}
	cfile_server(socket);
	preload_find_tree(socket, function.name);
	client_init(sysfs, &function);
	path_moved();
	pthread_atfork(share_before_fork, share_in_parent, preload_in_child);
	setenv("SYSFS_PATH", sysfs, 1);
}

__attribute__((destructor)) static void preload_fini(void)
{
	client_fini();
}
