/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_FLOW_SPEC_H
#define KERNEL_FLOW_SPEC_H

/* Translation of verbs' specs to a match and actions, for flow_create.c. */
#include <rdma/ib_user_verbs.h>
#include "objects.h"

struct spec_sum {
	struct uverbs_file *f;
	struct flow *fl;
	struct fs_match match;
	struct fs_act act;
	bool multicast; /* the first spec matches multicast only */
	unsigned int n;
	uint32_t before; /* type of the spec before this one */
};

/* Adds all specs of a flow; 0, or -errno after logging a sentence. */
int flow_add_specs(struct spec_sum *, const struct ib_uverbs_flow_attr *, const uint8_t *bytes);

#endif
