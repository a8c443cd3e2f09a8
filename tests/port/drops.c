/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that each packet that the chip drops without an answer is counted in the right counter, by
 * its reason, and in no other. */
#include "tests/test.h"
#include "tests/queue/queue_rig.h"
#include "queue/queue.h"
#include "transport/bth.h"

#define RC    &rig_rc_dpu
#define UC    &rig_uc
#define UD    &rig_ud_dpu
#define XRC   &rig_xrc
#define SEND  PRM_WQE_OPCODE_SEND
#define WRITE PRM_WQE_OPCODE_RDMA_WRITE

static void no_write(struct rig_pair *p)
{
	p->b.qp->rwe = false;
}

static void reset(struct rig_pair *p)
{
	queue_set_state(p->b.queue, QP_RST);
}

static void short_receive(struct rig_pair *p)
{
	rig_recv(&p->b, p->dst, 4, rig_key(p->md));
}

static void small_mtu(struct rig_pair *p)
{
	p->b.qp->mtu = 1;
}

static void no_send_queue(struct rig_pair *p)
{
	p->b.queue->rq = NULL;
}

struct row {
	const struct rig_kind *kind;
	uint8_t opcode;
	int at; /* the byte of the packet, counted from BTH, to change */
	uint8_t mask;
	uint32_t len;	/* new end of the packet; 0: unchanged */
	bool unsealed;	/* the ICRC is not updated */
	unsigned int n; /* packets sent, of which one is dropped; 0: one */
	void (*before)(struct rig_pair *);
	enum drop why;
};

static const struct row rows[] = {
	{RC, SEND, .at = 11, .mask = 1, .unsealed = true, .why = DROP_ICRC},
	{RC, SEND, .at = 0, .mask = 0x11, .why = DROP_OPCODE},
	{UD, SEND, .at = 0, .mask = 0x02, .why = DROP_OPCODE},
	{RC, WRITE, .len = 20, .why = DROP_HEADERS},
	{UD, SEND, .len = 16, .why = DROP_HEADERS},
	{RC, SEND, .at = 3, .mask = 1, .why = DROP_PKEY},
	{RC, SEND, .len = BTH_LEN + 510, .why = DROP_PADCNT},
	{RC, SEND, .at = 5, .mask = 0x40, .why = DROP_QPN},
	{RC, SEND, .at = 0, .mask = BTH_UC << 5, .why = DROP_TRANSPORT},
	{UC, SEND, .at = 0, .mask = BTH_UC << 5, .why = DROP_TRANSPORT},
	{RC, SEND, .at = -25, .mask = 1, .why = DROP_PEER},
	{UC, SEND, .at = -25, .mask = 1, .why = DROP_PEER},
	{RC, SEND, .at = 0, .mask = 0x85, .before = reset, .why = DROP_CNP},
	{RC, SEND, .before = reset, .why = DROP_STATE},
	{UC, SEND, .before = reset, .why = DROP_STATE},
	{UD, SEND, .before = reset, .why = DROP_STATE},
	{UD, SEND, .at = 15, .mask = 1, .why = DROP_QKEY},
	{UD, SEND, .before = small_mtu, .why = DROP_MTU},
	{UD, SEND, .why = DROP_NO_RECEIVE},
	{UC, SEND, .why = DROP_NO_RECEIVE},
	{UD, SEND, .before = short_receive, .why = DROP_RECEIVE},
	{UC, SEND, .before = short_receive, .why = DROP_RECEIVE},
	{UC, SEND, .at = 0, .mask = BTH_SEND_ONLY ^ BTH_SEND_MIDDLE, .why = DROP_GAP},
	{UC, WRITE, .at = 27, .mask = 1, .why = DROP_MESSAGE},
	{UC, WRITE, .before = no_write, .why = DROP_ACCESS},
	{RC, SEND, .at = 11, .mask = 0x0c, .n = 2, .why = DROP_PSN},
	{RC, SEND, .at = 0, .mask = BTH_SEND_ONLY ^ BTH_ACKNOWLEDGE, .why = DROP_STALE},
	{RC, SEND, .at = 0, .mask = BTH_SEND_ONLY ^ BTH_READ_RESP_ONLY, .why = DROP_STALE},
	{XRC, SEND, .before = no_send_queue, .why = DROP_ROLE},
};

static void only(const struct drops *d, enum drop why)
{
	for (enum drop i = DROP_NONE + 1; i < DROPS; i++)
		if (d->n[i] != (i == why))
			fail_msg("%s: %llu packets", drop_cause(i), (unsigned long long)d->n[i]);
}

static void change(const struct row *r, struct frame *f)
{
	uint32_t len;
	uint8_t *bth = rig_bth(f, &len);

	bth[r->at] ^= r->mask;
	if (!r->unsealed)
		rig_reseal(f, r->len ? r->len : len);
}

static void drops_one(const struct row *r)
{
	struct rig_pair *p = rig_pair_open(r->kind);
	struct port *port = p->rig.dev.port;
	struct rq *rq = p->b.queue->rq;
	struct frame *held = NULL;

	port_set_hook(port, rig_hold_frame, &held);
	rig_do(p, r->opcode, 0, 512);
	port_set_hook(port, NULL, NULL);
	assert_non_null(held);
	change(r, held);
	if (r->before)
		r->before(p);
	for (unsigned int i = 0; i < r->n || !i; i++)
		port_receive(port, held->data, held->len, false);
	rig_settle(&p->rig);
	only(&p->b.queue->o.vhca->drops, r->why);
	only(&p->rig.dev.drops, DROP_NONE);
	p->b.queue->rq = rq;
	frame_free(held);
	rig_pair_close(p);
}

TEST(none, each_of_a_function)
{
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("# %u: %s\n", i, drop_cause(rows[i].why));
		drops_one(&rows[i]);
	}
}

TEST(none, a_burst_is_as_many_as_its_packets)
{
	struct rig_pair *p = rig_pair_open(UC);

	rig_do(p, SEND, 0, 3000);
	rig_settle(&p->rig);
	assert_int_equal(p->b.queue->o.vhca->drops.n[DROP_NO_RECEIVE], 3);
	rig_pair_close(p);
}

/* --- at the port ----------------------------------------------------------------------------- */

struct at_port {
	struct rig_pair *p;
	struct device *dev;
	uint8_t frame[60];
};

static int port_setup(void **state)
{
	struct at_port *t = calloc(1, sizeof(*t));

	t->p = rig_pair_open(&rig_rc);
	t->dev = &t->p->rig.dev;
	memcpy(t->frame, t->dev->vhca[0].mac, 6);
	t->frame[6] = 2;
	t->frame[12] = 0x88;
	*state = t;
	return 0;
}

static int port_teardown(void **state)
{
	struct at_port *t = *state;

	rig_pair_close(t->p);
	free(t);
	return 0;
}

#define FIXTURE_port(name) FIXTURE(name, struct at_port *t, port_setup, port_teardown)

TEST(port, nobody_has_the_address)
{
	t->frame[3] ^= 1;
	port_receive(t->dev->port, t->frame, sizeof(t->frame), false);
	rig_settle(&t->p->rig);
	only(&t->dev->drops, DROP_UNCLAIMED);
	only(&t->dev->vhca[0].drops, DROP_NONE);
}

TEST(port, no_rule_takes_it)
{
	port_receive(t->dev->port, t->frame, sizeof(t->frame), false);
	rig_settle(&t->p->rig);
	only(&t->dev->vhca[0].drops, DROP_NO_RULE);
	only(&t->dev->drops, DROP_NONE);
}

/* IPv4 to port 4791 whose lengths contradict each other is no RoCE packet. */
TEST(port, malformed)
{
	static const uint8_t ip[28] = {
		0x45, 0, 0, 46, [6] = 0x40, [8] = 1, [9] = 17, [22] = 0x12, 0xb7, 0, 99};

	t->frame[12] = 0x08;
	memcpy(t->frame + 14, ip, sizeof(ip));
	port_receive(t->dev->port, t->frame, sizeof(t->frame), false);
	rig_settle(&t->p->rig);
	only(&t->dev->vhca[0].drops, DROP_NO_RULE);
}

TEST(port, too_long_to_leave)
{
	static const uint8_t bytes[PORT_PACKET_MAX + 1];

	port_transmit(&t->dev->vhca[0], bytes, sizeof(bytes));
	only(&t->dev->vhca[0].drops, DROP_LENGTH);
}

/* A sender that sends more than the chip takes costs it no more memory. */
TEST(port, too_many)
{
	for (unsigned int i = 0; i < 65537; i++)
		port_receive(t->dev->port, t->frame, sizeof(t->frame), false);
	only(&t->dev->drops, DROP_FULL);
}
