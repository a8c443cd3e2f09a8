/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FLOW_RIG_H
#define TESTS_FLOW_RIG_H

#include "tests/fw/fw_fixture.h"
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "obj/tir.h"
#include "steer/steer.h"

/* Flow table commands with good values; each asserts that it succeeds. */
#define RIG_FTE	     (PRM_SET_FTE_IN_BYTES + 33 * 8)
#define RIG_UDP	     17
#define RIG_DPORT_AT 36 /* offset of the destination port in a packet of rig_packet() */

struct rig_table {
	uint8_t type, level;
	uint32_t miss; /* 0: default */
	uint64_t icm;  /* software's */
};
uint32_t rig_table(struct fx *, struct rig_table);
void rig_root(struct fx *, uint8_t type, uint32_t table);
/* Makes a group of a table of this type; its mask is `bits` of UDP's destination port. */
uint32_t rig_group(struct fx *, uint8_t type, uint32_t table, uint32_t start, uint32_t end,
		   uint16_t bits);
/* Fills the mailbox (len bytes): the action, and a destination and a counter, 0 for none. */
struct rig_entry {
	uint8_t type;
	uint32_t table, group, index;
	uint16_t port, action;
	uint32_t tag, tir, to_table, to_table2, counter, modify;
};
size_t rig_fill_entry(const struct rig_entry *, uint8_t in[RIG_FTE]);
void rig_entry(struct fx *, struct rig_entry);
/* Makes an entry: its type, table, group, index, port and action, then others by name. */
#define RIG_ENTRY(f, ...) rig_entry(f, (struct rig_entry){.type = __VA_ARGS__})
void rig_delete(struct fx *, uint8_t type, uint32_t table, uint32_t index);
uint32_t rig_counter(struct fx *, uint8_t bulk);
uint64_t rig_counter_read(struct fx *, uint32_t counter, bool clear, uint64_t *octets);
/* Makes a TIR of FX_UID without a queue. */
uint32_t rig_tir(struct fx *);
void rig_tir_free(struct fx *, uint32_t tirn);

/*
 * Sends a UDP packet to this port through the function's tables. Returns where it ended, its tag
 * and bytes.
 */
struct rig_end {
	unsigned int wire, tirs;
	uint32_t tirn, tag, reg_b; /* of the last packet */
	uint8_t bytes[64];
	struct steer_stats stats; /* counts that this packet added */
};
struct rig_end rig_send(struct fx *, uint8_t type, uint16_t port);

#endif
