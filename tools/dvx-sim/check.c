/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of dvx-check that a chip applies: findings about what only a device sees (src/sim/lab/check.h). */
#include "dvx-sim.h"

#include <unistd.h>
#include "src/sim/link/link.h"

bool check_begin(void *none, const char *chip)
{
	const uint32_t on = 1;
	struct why w;

	(void)none;
	if (!why_ask(chip, LINK_CHECK, &on, sizeof(on), &w))
		return false;
	why_forget(&w);
	return true;
}

void check_end(void *found, const char *chip)
{
	struct why w;

	if (!why_ask(chip, LINK_CHECK, NULL, 0, &w))
		return;
	if (w.n) {
		message_print("the device's rules found:");
		why_print(stderr, &w);
	}
	*(bool *)found = w.n;
	why_forget(&w);
}

int sim_cmd_check(const struct sim_args *a)
{
	const char *name = a->argv[0];
	int sock = registry_connect(name), rc = EXIT_DONE;
	struct why w;

	if (sock < 0)
		return EXIT_INPUT;
	close(sock);
	if (!why_ask(name, LINK_CHECK, NULL, 0, &w))
		return EXIT_INPUT;
	if (a->json)
		rc = why_print_json(name, &w);
	else if (w.n)
		why_print(stdout, &w);
	else
		puts("Nothing was found.");
	rc = rc || !w.n ? rc : EXIT_FINDINGS;
	why_forget(&w);
	return rc;
}
