/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "src/sim/link/link.h"

int cmd_up(const struct args *a)
{
	struct start s = {.name = a->argv[0],
			  .trace = a->trace,
			  .set = a->set,
			  .detach = true,
			  .lifeline = -1};

	if (!registry_name_ok(s.name))
		return EXIT_USAGE;
	return start_server(&s) < 0 ? EXIT_INPUT : EXIT_DONE;
}

/* A chip that is only slow is the command's own affair. */
static bool speaks_ours(const char *name, int sock)
{
	const struct timeval patience = {.tv_sec = 1};
	struct link_message answer = {0};
	int err;

	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	err = link_ask(sock, LINK_STATUS, NULL, 0, -1, &answer);
	if (!err)
		link_message_free(&answer);
	return !err || registry_is_ours(name, err);
}

int cmd_exec(const struct args *a)
{
	const struct client c = {a->argv[0], a->function, a->argv + 1};
	int sock = registry_connect(c.chip);
	bool ours;

	if (sock < 0)
		return EXIT_SELF;
	ours = speaks_ours(c.chip, sock);
	close(sock);
	return ours ? become(&c) : EXIT_SELF;
}
