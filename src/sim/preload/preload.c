/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdvx-sim.so: what LD_PRELOAD puts into a program. With DVX_SIM_SOCKET in the environment the
 * device is a server's; without, the program gets a chip of its own. This runs in every process
 * that inherits the environment, shells too: nothing is made until somebody looks for a device.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "base/log.h"
#include "client.h"
#include "sysfs.h"
#include "obj/profile.h"

static char sysfs[PATH_MAX];

/* A name that nobody can have taken before. Its pid tells a later one whether it is stale. */
static void private_sysfs(void)
{
	const char *tmp = getenv("TMPDIR");
	uint64_t salt = 0;

	if (getrandom(&salt, sizeof(salt), GRND_NONBLOCK) < 0)
		salt = (uintptr_t)&salt;
	snprintf(sysfs, sizeof(sysfs), "%s/" CLIENT_TREE "%d.%016llx", tmp && *tmp ? tmp : "/tmp",
		 getpid(), (unsigned long long)salt);
}

/* The server keeps one tree for each function beside its socket. */
static void server_sysfs(const char *socket, const char *function)
{
	const char *slash = strrchr(socket, '/');

	snprintf(sysfs, sizeof(sysfs), "%.*s/%s", slash ? (int)(slash - socket) : 1,
		 slash ? socket : ".", function);
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
		transport_link_to(socket);
	} else {
		private_sysfs();
	}
	setenv("SYSFS_PATH", sysfs, 1);
	client_init(socket && *socket ? &transport_link : &transport_embedded, sysfs,
		    (unsigned int)index);
}

__attribute__((destructor)) static void preload_fini(void)
{
	client_fini();
}
