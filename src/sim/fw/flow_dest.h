/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FW_FLOW_DEST_H
#define SIM_FW_FLOW_DEST_H

/* Destinations and counters of entries, and the contexts of tunnels that begin there. */
#include <stddef.h>
#include <stdint.h>

struct flow_actions;
struct flow_reformat;
struct flow_table;
struct fw_cmd;

/* Returns 0 if the lists agree with the action and fit the mailbox; otherwise refuses. */
int fw_flow_dest_check_lists(struct fw_cmd *, const void *flow_context, uint32_t action);

/*
 * Take references to the n objects of a list into the actions, counters behind destinations. Return
 * 0, or -1 after a refusal with the references so far.
 */
int fw_flow_dest_take(struct fw_cmd *, const struct flow_table *, uint32_t n,
		      struct flow_actions *);
int fw_flow_dest_take_counters(struct fw_cmd *, uint32_t n, struct flow_actions *);

/* Return the bytes of both lists in a reply, and write them. */
size_t fw_flow_dest_list_bytes(const struct flow_actions *);
void fw_flow_dest_put(const struct flow_actions *, uint8_t *to);

/* Finds a context that begins a tunnel, for an entry of this table; NULL after a refusal. */
struct flow_reformat *fw_flow_reformat_begin(struct fw_cmd *, const struct flow_table *,
					     uint32_t id);

#endif
