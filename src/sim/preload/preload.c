/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdvx-sim.so, the preload. With DVX_SIM_SOCKET in the environment the device is a server's;
 * without it the program gets its own chip. The preload runs in every process that inherits the
 * environment, shells too, so nothing is made before the first access to the device's files.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "base/log.h"
#include "client.h"
#include "real.h"
#include "sysfs.h"
#include "obj/profile.h"

static char sysfs[PATH_MAX];

/*
 * Resolves the tree's name to the kernel's, so that the working directory and links of /proc are
 * recognized.
 */
static void sysfs_in(const char *dir, const char *name)
{
	char real_dir[PATH_MAX];

	if (snprintf(sysfs, sizeof(sysfs), "%s/%s",
		     real()->realpath(dir, real_dir) ? real_dir : dir, name) >= (int)sizeof(sysfs))
		sim_refuse("the path of the sysfs tree is too long, below %s", dir);
}

/*
 * Makes a name that no other process can have. Its pid shows later processes whether it is stale.
 * Returns the length of the part that all such names share.
 */
static size_t private_sysfs(void)
{
	const char *tmp = getenv("TMPDIR");
	uint64_t salt = 0;
	char name[64];

	if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) < 0)
		salt = (uintptr_t)&salt;
	snprintf(name, sizeof(name), CLIENT_TREE "%d.%016llx", getpid(),
		 (unsigned long long)salt);
	sysfs_in(tmp && *tmp ? tmp : "/tmp", name);
	return strlen(sysfs) - strlen(name) + strlen(CLIENT_TREE);
}

/* Sets the server's tree: it keeps one per function beside its socket. */
static void server_sysfs(const char *socket, const char *function)
{
	const char *slash = strrchr(socket, '/');
	char *dir = strndup(slash ? socket : ".", slash ? (size_t)(slash - socket) : 1);

	if (dir)
		sysfs_in(dir, function);
	free(dir);
}

__attribute__((constructor)) static void preload_init(void)
{
	const char *socket = getenv("DVX_SIM_SOCKET");
	const char *function = getenv("DVX_SIM_FUNCTION");
	const struct profile *profile = &profile_bluefield2;
	char names[FUNCTION_NAMES];
	int index;

	if (function && !*function)
		function = NULL;
	index = profile_function(profile, function, names);
	if (index < 0) {
		sim_refuse("DVX_SIM_FUNCTION is \"%s\"; it can be %s, so there is no device",
			   function, names);
		return;
	}
	if (socket && *socket) {
		server_sysfs(socket, profile->functions[index].name);
		backend_socket_at(socket);
		client_init(&backend_socket, sysfs, strlen(sysfs), (unsigned int)index);
	} else {
		size_t common = private_sysfs();

		client_init(&backend_embedded, sysfs, common, (unsigned int)index);
	}
	setenv("SYSFS_PATH", sysfs, 1);
}

__attribute__((destructor)) static void preload_fini(void)
{
	client_fini();
}
