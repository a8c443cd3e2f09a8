/* SPDX-License-Identifier: BSD-2-Clause */
/* A flow of Open vSwitch's data path while its parts are read: NAME(VALUE), NAME=VALUE, NAME:VALUE. */
#ifndef DVX_FLOW_IMPORT_DPCTL_H
#define DVX_FLOW_IMPORT_DPCTL_H

#include "dialect.h"

struct dpctl_read {
	struct draft d;
	const char *in_port;
	unsigned int tags;    /* VLAN tags that the types name */
	bool tunnel;	      /* the flow is for packets of a tunnel that the data path ended */
	uint64_t tunnel_port; /* 0: not given */
	/* The last output. It is a copy if an action follows. */
	bool has_output;
	struct token output;
	uint32_t output_vport, output_changes;
	bool cloned; /* a clone was read */
};

static inline struct dpctl_read *dpctl_of(struct draft *d)
{
	return (struct dpctl_read *)d;
}

/* Reads parts between commas by their rows, or by `other` those without a row. */
typedef bool (*dpctl_other_fn)(struct draft *d, const struct token *part);
bool dpctl_parts(struct draft *d, struct token at, const struct row *rows, dpctl_other_fn other);
/* Leaves a part out with the row's reason, unless it is 0. */
bool dpctl_zero(struct draft *d, const struct row *row, const struct token *part);
bool dpctl_actions_read(struct draft *d, struct token at);

#endif
