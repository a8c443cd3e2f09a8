/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CAPS_H
#define TESTS_CAPS_H

#include "tests/lib/lib_rig.h"

const uint8_t *caps_page(struct rig *, uint16_t type);
/* Checks an object that CREATE makes and its DESTROY frees. */
void caps_object(struct rig *, uint32_t opcode, uint8_t *in, size_t len);
struct ibv_cq *caps_cq(struct rig *);

/* Uses one feature or several. */
typedef void caps_use(struct rig *);
caps_use rc_works, dm_works, odp_works, windows_work, lists_work, null_works, loopback_works,
	dma_works, memory_works, shared_objects_work, overrun_ignored, cq_resized, cq_moderated,
	cq_padded, cq_compressed, clock_page_works, clock_ticks, counters_work, steering_works,
	reserved_qpns_work, scheduling_works, rates_work, raw_queues_work, srq_works, domains_work,
	event_queues_work, gids_fit, aliases_work, striding_works, q_counters_work, ece_works,
	meters_work;

#endif
