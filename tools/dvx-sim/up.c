/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <stdlib.h>
#include <unistd.h>

int cmd_up(const struct args *a)
{
	struct start s = {.name = a->argv[0],
			  .trace = a->trace,
			  .set = a->set,
			  .detach = true,
			  .lifeline = -1};

	if (!registry_name_ok(s.name))
		return EXIT_FAILURE;
	return start_server(&s) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int cmd_exec(const struct args *a)
{
	const struct client c = {a->argv[0], a->function, a->argv + 1};
	int sock = registry_connect(c.chip);

	if (sock < 0)
		return EXIT_SELF;
	close(sock);
	return become(&c);
}
