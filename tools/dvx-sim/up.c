/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

int cmd_up(const struct sim_args *a)
{
	struct start s = {.name = a->argv[0],
			  .trace = a->trace,
			  .set = a->set,
			  .fault = a->fault,
			  .wire = a->wire,
			  .ip = a->ip,
			  .netdev = a->netdev,
			  .hostile = a->hostile,
			  .detach = true,
			  .lifeline = -1};

	if (!registry_name_ok(s.name))
		return EXIT_USAGE;
	if (start_server(&s) < 0)
		return EXIT_INPUT;
	if (a->inject && !inject_send(s.name))
		return EXIT_INPUT;
	if (a->check && !check_begin(NULL, s.name))
		return EXIT_INPUT;
	if (s.wire)
		wire_note_alone(s.name);
	return EXIT_DONE;
}
