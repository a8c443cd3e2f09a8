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

/* A dynamically connected target: any initiator that shows its key may connect to it. */
struct dct {
	struct obj o;
	struct obj *pd; /* referenced, as are cq and srq */
	struct cq *cq;
	struct srq *srq;
	struct q_counter *counter; /* likewise; NULL: dctc.counter_set_id is 0 */
	uint32_t pdn, user_index;
	uint64_t key;
	uint32_t violations; /* packets with another key */
	bool armed;	     /* the next of them makes an event */
	uint8_t state;	     /* enum dctc_state */
	bool rre, rwe, rae;
	uint8_t atomic_mode, mtu, min_rnr_nak, gid_index, hop_limit, tclass, prio;
	uint8_t inline_most; /* struct rq's */
	uint32_t flow_label;
	struct dct_priv *priv;	     /* its connections */
	uint8_t ctx[PRM_DCTC_BYTES]; /* as the command gave it, for QUERY */
};

#endif
