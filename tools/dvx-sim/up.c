/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <stdlib.h>
#include <unistd.h>

int cmd_up(const struct args *a)
{
	struct start s = {.name = a->name, .trace = a->trace, .set = a->set, .detach = true,
			  .lifeline = -1};

	return start_server(&s) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int cmd_exec(const struct args *a)
{
	int sock = registry() ? registry_connect(a->name) : -1;

	if (sock < 0)
		return EXIT_SELF;
	close(sock);
	return become(a);
}
