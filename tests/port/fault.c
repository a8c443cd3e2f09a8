/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the port has the faults that were set, that a seed reproduces them, that a reliable
 * connection repairs them or reports an error, and that nothing passes a link that is down.
 */
#include "tests/test.h"
#include <errno.h>
#include "tests/queue/queue_rig.h"
#include "port/fault_rates.h"
#include "queue/queue.h"

#define SECOND	 1000000000ull
#define MESSAGES 40u
#define PIECE	 (RIG_BUF / MESSAGES / 64 * 64)

/* --- texts ---------------------------------------------------------------------------------- */

TEST(none, test_texts)
{
	char why[FAULT_WHY];
	struct fault_rates r;

	assert_int_equal(fault_rates_parse(&r, "drop=0.01,dup=1%,reorder=1,delay=1.5us", why), 0);
	assert_int_equal(r.drop, FAULT_ONE / 100);
	assert_int_equal(r.dup, FAULT_ONE / 100);
	assert_int_equal(r.reorder, FAULT_ONE);
	assert_int_equal(r.corrupt, 0);
	assert_int_equal(r.delay, 1500);
	assert_int_equal(r.seed, 1);
	assert_int_equal(fault_rates_parse(&r, "seed=18446744073709551615", why), 0);
	assert_int_equal(r.seed, UINT64_MAX);
}

/* A wrong text changes nothing, and the message names the wrong word. */
TEST(none, test_wrong_texts)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{"", "is none of"},
		{"drop", "is none of"},
		{"drip=1", "\"drip\" is none of"},
		{"drop=", "drop must be a share"},
		{"drop=1.01", "drop must be a share"},
		{"drop=-1", "drop must be a share"},
		{"drop=nan", "drop must be a share"},
		{"drop=0x1", "drop must be a share"},
		{"drop=101%", "drop must be a share"},
		{"drop=.1,", "drop must be"},
		{"drop=0.1,", "\"\" is none of"},
		{"delay=5", "delay must be a time"},
		{"delay=61s", "delay must be a time"},
		{"delay=1h", "delay must be a time"},
		{"seed=0", "seed must be a number"},
		{"seed=1x", "seed must be a number"},
		{"seed=18446744073709551616", "seed must be a number"},
		{"seed=00000000000000000000000000000000000000000000000000000000000000001",
		 "seed must"},
	};

	for (unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct fault_rates r = {.drop = 7};
		char why[FAULT_WHY] = "";

		assert_int_equal(fault_rates_parse(&r, wrong[i].text, why), -1);
		if (!strstr(why, wrong[i].why))
			fail_msg("\"%s\": %s", wrong[i].text, why);
		assert_int_equal(r.drop, 7);
	}
}

/* --- RC under faults ------------------------------------------------------------------------ */

struct outcome {
	struct fault_counts counts;
	struct port_stats stats;
	uint64_t ns;
};

static void set_faults(struct rig_pair *p, const char *text)
{
	struct fault_rates r;
	char why[FAULT_WHY];

	if (fault_rates_parse(&r, text, why))
		fail_msg("%s", why);
	port_set_faults(p->rig.dev.port, &r);
}

static void one_message(struct rig_pair *p, unsigned int i)
{
	static const uint8_t ops[] = {PRM_WQE_OPCODE_RDMA_WRITE, PRM_WQE_OPCODE_RDMA_READ,
				      PRM_WQE_OPCODE_SEND};
	const uint32_t off = i * PIECE, len = 1 + i * 619 % PIECE;
	const uint8_t op = ops[i % 3], *cqe;

	memset(op == PRM_WQE_OPCODE_RDMA_READ ? p->src + off : p->dst + off, 0, PIECE);
	for (uint32_t k = 0; k < len; k++)
		(op == PRM_WQE_OPCODE_RDMA_READ ? p->dst : p->src)[off + k] = (uint8_t)(k * 7 + i);
	if (op == PRM_WQE_OPCODE_SEND)
		rig_recv(&p->b, p->dst + off, len, rig_key(p->md));
	rig_do(p, op, off, len);
	rig_pass(&p->rig, 5 * SECOND);
	cqe = rig_poll(&p->ca);
	if (!cqe || prm_cqe64_get_opcode(cqe) != PRM_CQE_OPCODE_REQ)
		fail_msg("message %u: %s", i, cqe ? "failed" : "never completed");
	assert_memory_equal(p->src + off, p->dst + off, len);
	cqe = rig_poll(&p->cb);
	assert_int_equal(cqe != NULL, op == PRM_WQE_OPCODE_SEND);
	assert_null(rig_poll(&p->cb));
}

/* Sends 40 messages of all three kinds; asserts that each arrives once and unchanged. */
static struct outcome messages(const char *text)
{
	struct rig_pair *p = rig_pair_open(&rig_rc);
	struct fault_rates r;
	struct outcome o = {0};

	set_faults(p, text);
	for (unsigned int i = 0; i < MESSAGES; i++)
		one_message(p, i);
	port_faults(p->rig.dev.port, &r, &o.counts);
	o.stats = *p->a.queue->o.vhca->stats;
	o.ns = p->rig.now;
	rig_pair_close(p);
	return o;
}

/* Each fault alone: it happens, no other does, and the messages arrive. */
TEST(none, test_each)
{
	struct outcome o = messages("drop=0.03");

	assert_true(o.counts.dropped && o.stats.queues.out_of_sequence &&
		    o.stats.queues.local_ack_timeout_err);
	assert_int_equal(o.counts.doubled + o.counts.reordered + o.counts.corrupted, 0);
	o = messages("dup=0.05");
	assert_true(o.counts.doubled && o.stats.queues.duplicate_request);
	assert_int_equal(o.counts.dropped + o.counts.reordered + o.counts.corrupted, 0);
	o = messages("reorder=0.03");
	assert_true(o.counts.reordered && o.stats.queues.out_of_sequence);
	assert_int_equal(o.counts.dropped + o.counts.doubled + o.counts.corrupted, 0);
	o = messages("corrupt=0.03");
	assert_true(o.counts.corrupted);
	assert_int_equal(o.stats.rx_icrc_errors, o.counts.corrupted);
	assert_int_equal(o.counts.dropped + o.counts.doubled + o.counts.reordered, 0);
}

/* All faults together; a seed reproduces them, another seed gives others. */
TEST(none, test_seeds)
{
	char text[100];
	struct outcome last = {0};

	for (unsigned int seed = 1; seed <= 6; seed++) {
		struct outcome o, again;

		snprintf(text, sizeof(text),
			 "drop=1%%,dup=1%%,reorder=2%%,corrupt=1%%,delay=2us,seed=%u", seed);
		o = messages(text);
		again = messages(text);
		assert_memory_equal(&o, &again, sizeof(o));
		assert_int_not_equal(memcmp(&o, &last, sizeof(o)), 0);
		assert_true(o.counts.delayed > 500);
		last = o;
	}
}

/*
 * A wire that loses or damages everything: RC retries as often as its context says, then reports an
 * error.
 */
TEST(none, test_hopeless)
{
	static const char *const texts[] = {"drop=1", "corrupt=1"};

	for (unsigned int i = 0; i < 2; i++) {
		struct rig_pair *p = rig_pair_open(&rig_rc);
		struct fault_counts c;
		struct fault_rates r;

		set_faults(p, texts[i]);
		memset(p->dst, 0, 64);
		rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 64);
		rig_pass(&p->rig, 5 * SECOND);
		rig_sent(&p->ca, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
		assert_int_equal(p->dst[0], 0);
		port_faults(p->rig.dev.port, &r, &c);
		assert_int_equal(c.dropped + c.corrupted, 8);
		rig_pair_close(p);
	}
}

/* A packet and its acknowledgement are each delayed, by the chip's clock. */
TEST(pair, test_delay)
{
	set_faults(p, "delay=3us");
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 64);
	rig_pass(&p->rig, 5999);
	assert_memory_equal(p->src, p->dst, 64);
	assert_null(rig_poll(&p->ca));
	rig_pass(&p->rig, 1);
	rig_sent(&p->ca, 0);
}

/* A packet with a long delay does not hold up those that are delayed for less time after it. */
TEST(pair, test_delay_changes)
{
	set_faults(p, "delay=60s");
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 64);
	set_faults(p, "delay=3us");
	rig_pass(&p->rig, SECOND);
	rig_sent(&p->ca, 0);
}

/* Delayed packets for a queue do not reach the next one of its number. */
TEST(pair, test_delayed_for_another)
{
	set_faults(p, "delay=1s");
	memset(p->dst, 0, 64);
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 64);
	rig_restart(&p->a, &p->b);
	rig_pass(&p->rig, 2 * SECOND);
	assert_int_equal(p->dst[1], 0);
}

/* A delayed packet does not pass a link that went down meanwhile. */
TEST(pair, test_delayed_link)
{
	struct fault_counts c;
	struct fault_rates r;

	set_faults(p, "delay=3us");
	memset(p->dst, 0, 64);
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 64);
	port_set_link(p->rig.dev.port, false);
	rig_pass(&p->rig, 3000);
	port_faults(p->rig.dev.port, &r, &c);
	assert_int_equal(c.down, 1);
	assert_int_equal(p->dst[1], 0);
}

/* Messages become descriptors again when the faults are gone. */
TEST(pair, test_observed)
{
	assert_false(port_observed(p->rig.dev.port));
	set_faults(p, "drop=0.001");
	assert_true(port_observed(p->rig.dev.port));
	set_faults(p, "drop=0");
	assert_false(port_observed(p->rig.dev.port));
}

/*
 * A link that is down for less time than the retries take is not noticed; for more time, an error
 * is reported.
 */
TEST(pair, test_link)
{
	const uint64_t wait = 4096ull << 14;
	struct fault_counts c;
	struct fault_rates r;

	port_set_link(p->rig.dev.port, false);
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 64);
	rig_pass(&p->rig, 3 * wait);
	assert_null(rig_poll(&p->ca));
	port_set_link(p->rig.dev.port, true);
	rig_pass(&p->rig, wait);
	rig_sent(&p->ca, 0);
	assert_memory_equal(p->src, p->dst, 64);
	port_faults(p->rig.dev.port, &r, &c);
	assert_in_range(c.down, 3, 4);
	port_set_link(p->rig.dev.port, false);
	assert_int_equal(port_inject(p->rig.dev.port, p->src, 64), -ENETDOWN);
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 64);
	rig_pass(&p->rig, 8 * wait);
	rig_sent(&p->ca, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
}
