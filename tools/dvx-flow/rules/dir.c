/* SPDX-License-Identifier: BSD-2-Clause */
#include "rule.h"

const struct rule_dir_row rule_dirs[RULE_DIRS] = {
	[RULE_IN] = {.name = "in",
		     .packets = "incoming",
		     .end = "other programs' rules, the kernel",
		     .from_vport = true,
		     .to = "to queue 0",
		     .to_queue = true,
		     .decap = true},
	[RULE_OUT] = {.name = "out",
		      .packets = "outgoing",
		      .end = "the wire",
		      .sqn = true,
		      .encap = true},
	[RULE_SWITCH] = {.name = "switch",
			 .packets = "switched",
			 .end = "the function of the e-switch's manager; its own packets: the wire",
			 .from_vport = true,
			 .sqn = true,
			 .to = "to vf0",
			 .to_vport = true,
			 .decap = true,
			 .encap = true},
};
