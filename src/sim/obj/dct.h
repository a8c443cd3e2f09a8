/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_DCT_H
#define SIM_OBJ_DCT_H

#include <stdbool.h>
#include <stdint.h>
#include <dvx/prm/dct.h>
#include "obj.h"

struct cq;
struct q_counter;
struct dct_priv;
struct srq;

/* A dynamically connected target (DCT). Any initiator that sends its key may connect to it. */
struct dct {
	struct obj o;
	struct obj *pd; /* referenced, like cq and srq */
	struct cq *cq;
	struct srq *srq;
	struct q_counter *counter; /* referenced; NULL: dctc.counter_set_id is 0 */
	uint32_t pdn, user_index;
	uint64_t key;
	uint32_t violations; /* packets with a wrong key */
	bool armed;	     /* the next violation raises an event */
	uint8_t state;	     /* enum dctc_state */
	bool rre, rwe, rae;
	uint8_t atomic_mode, mtu, min_rnr_nak, gid_index, hop_limit, tclass, prio;
	uint8_t inline_most; /* as inline_most of struct rq */
	uint32_t flow_label;
	struct dct_priv *priv;	     /* connections of the target */
	uint8_t ctx[PRM_DCTC_BYTES]; /* as the command set it, for QUERY */
};

#endif
