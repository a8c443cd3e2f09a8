/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that budget.sh counts: batches of rules that are written by requests (hws.h), on rings
 * in plain memory. Each is called with RULES rules at a time. budget_rules ROUNDS FUNCTION...
 */
#include <stdio.h>
#define BLOCKS 128u
#include "plain_rings.h"
#include "rule_batches.h"

static volatile bool failed;

/* Completions of batches whose last rule alone is signaled. */
NOINLINE int poll_rules(void)
{
	struct dvx_wc wc;
	int n, done = 0;

	while ((n = dvx_cq_poll(&cq, &wc)) == 1) {
		failed = dvx_rule_failed(&wc);
		done++;
	}
	return n ? n : done;
}

/* Completes the last rule of each batch that is in the ring. */
static void complete_batches(void)
{
	static uint32_t done;
	uint32_t blocks = RULES * DVX_RULE_BYTES / DVX_BLOCK;

	for (uint32_t i = sq.ci; i != sq.pi; i += blocks, done++) {
		uint8_t *cqe = cq_buf[done % BLOCKS];

		prm_cqe64_set_wqe_counter(cqe, (i + blocks - 2) & 0xffff);
		prm_cqe64_set_qpn(cqe, sq.qpn);
		cqe[63] = (uint8_t)(PRM_CQE_OPCODE_REQ << 4 | (done / BLOCKS & 1));
	}
}

static int rules_row(const char *what, long rounds)
{
	for (long i = 0; i < rounds; i++) {
		uint64_t cookie = (uint64_t)i * RULES;
		int err;

		if (!strcmp(what, "post_rules"))
			err = post_rules(tags, cookie);
		else if (!strcmp(what, "post_tuples"))
			err = post_tuples(tuples, cookie);
		else if (!strcmp(what, "post_arguments"))
			err = post_arguments(tags, arguments, cookie);
		else if (!strcmp(what, "post_deletions"))
			err = post_deletions(tags, cookie);
		else if (!strcmp(what, "post_all_rules"))
			err = post_all_rules(tags, cookie);
		else if (!strcmp(what, "post_all_tuples"))
			err = post_all_tuples(tuples, cookie);
		else if (!strcmp(what, "post_all_arguments"))
			err = post_all_arguments(tags, arguments, cookie);
		else if (!strcmp(what, "post_all_deletions"))
			err = post_all_deletions(tags, cookie);
		else
			err = post_rules(tags, cookie);
		if (err)
			return 98;
		if (strcmp(what, "poll_rules")) {
			sq.ci = sq.pi;
			continue;
		}
		complete_batches();
		if (poll_rules() != 1 || sq.ci != sq.pi || failed)
			return 97;
	}
	return 0;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) / RULES : 0;
	static struct dvx_cq_queue queues[2];

	rings_init();
	rules_init();
	queues[sq.qpn & 1] = (struct dvx_cq_queue){.number = sq.qpn, .sq = &sq, .room = BLOCKS};
	cq.queues = queues;
	cq.queue_mask = 1;
	for (int i = 2, err; i < argc; i++) {
		err = rules_row(argv[i], rounds);
		if (err)
			return err;
		row_counted();
	}
	return 0;
}
