/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves flows of verbs: specs, DONT_TRAP, refusals, and any bytes as input. */
#include "kernel_flow_rig.h"

TEST(fx, verbs_flows)
{
	uint32_t qp = raw_qp(f), handle, second;
	struct verbs_flow v = udp_flow(qp, 53);
	struct ib_uverbs_destroy_flow bye = {0};

	assert_int_equal(create_verbs(f, &v, &handle), 0);
	delivered = 0;
	assert_int_equal(ends(f, false, 53), STEER_TIR);
	assert_int_equal(delivered, 1);
	assert_int_equal(delivered_tag, 0x77);
	assert_int_equal(ends(f, false, 54), STEER_MISS);
	assert_int_equal(FX_DESTROY(f, QP, qp), -EBUSY);
	/* other packets go to the QP of the ALL_DEFAULT flow */
	v = (struct verbs_flow){.head = {.qp_handle = qp, .flow_attr = {.type = 1, .port = 1}}};
	assert_int_equal(create_verbs(f, &v, &second), 0);
	assert_int_equal(ends(f, false, 54), STEER_TIR);
	assert_int_equal(delivered_tag, 0);
	bye.flow_handle = second;
	assert_int_equal(fx_write(f, DESTROY_FLOW, &bye, sizeof(bye), NULL, 0), 0);
	assert_int_equal(ends(f, false, 54), STEER_MISS);
	/* a second QP with the same match gets a copy */
	v = udp_flow(qp, 53);
	assert_int_equal(create_verbs(f, &v, &second), 0);
	delivered = 0;
	ends(f, false, 53);
	assert_int_equal(delivered, 1); /* a TIR that is named twice is one destination */
	bye.flow_handle = handle;
	assert_int_equal(fx_write(f, DESTROY_FLOW, &bye, sizeof(bye), NULL, 0), 0);
	assert_int_equal(ends(f, false, 53), STEER_TIR);
}

/* A rule on a representor's port takes what its vport sends; it is for received packets only. */
TEST(switchdev, representors)
{
	struct verbs_flow v = udp_flow(raw_qp(f), 53);
	uint32_t handle;

	v.head.flow_attr.port = 4; /* of 3: the PF's, the ECPF's, the uplink's */
	FX_REFUSES(f, create_verbs(f, &v, NULL), -EINVAL, "there are 3 ports");
	v.head.flow_attr.port = 1; /* packets of ends() come from its vport */
	v.head.flow_attr.flags = 4;
	FX_REFUSES(f, create_verbs(f, &v, NULL), -EINVAL, "the flag EGRESS");
	v.head.flow_attr.flags = 0;
	assert_int_equal(create_verbs(f, &v, &handle), 0);
	assert_int_equal(ends(f, false, 53), STEER_TIR);
	v.head.flow_attr.port = 3;
	v.udp.val.dst_port = htobe16(54);
	assert_int_equal(create_verbs(f, &v, &handle), 0);
	assert_int_equal(ends(f, false, 54), STEER_MISS);
}

/* Proves that DONT_TRAP packets go on to the next priority, also to one that is made later. */
TEST(fx, dont_trap)
{
	uint32_t qp = raw_qp(f), m, fl;
	struct verbs_flow v = udp_flow(qp, 53);
	struct steer_stats before;

	v.head.flow_attr.flags = 2;
	assert_int_equal(create_verbs(f, &v, NULL), 0);
	before = *steer_stats(f->v);
	ends(f, false, 53);
	assert_int_equal(steer_stats(f->v)->ends[STEER_TIR], before.ends[STEER_TIR] + 1);
	assert_int_equal(steer_stats(f->v)->ends[STEER_MISS], before.ends[STEER_MISS] + 1);
	m = good_matcher(f, 3, (struct match){0});
	fl = good_flow(f, (struct ask){.matcher = m, .flags = DROP});
	before = *steer_stats(f->v);
	ends(f, false, 53);
	assert_int_equal(steer_stats(f->v)->ends[STEER_TIR], before.ends[STEER_TIR] + 1);
	assert_int_equal(steer_stats(f->v)->ends[STEER_DROP], before.ends[STEER_DROP] + 1);
	assert_int_equal(no_flow(f, fl), 0);
	before = *steer_stats(f->v);
	ends(f, false, 53);
	assert_int_equal(steer_stats(f->v)->ends[STEER_MISS], before.ends[STEER_MISS] + 1);
}

TEST(fx, verbs_refuse)
{
	const uint32_t qp = raw_qp(f), rc = fx_qp(f, fx_pd(f), fx_cq(f, NULL), NULL);
	const uint32_t objects = fx_objects(f);
	static const struct {
		size_t at;
		uint8_t byte;
		int err;
	} spoils[] = {
#define AT(field) offsetof(struct verbs_flow, field)
		{AT(head.comp_mask), 1, -EINVAL},
		{AT(head.flow_attr.reserved), 1, -EINVAL},
		{AT(head.flow_attr.num_of_specs), 11, -EINVAL},
		{AT(head.flow_attr.num_of_specs), 3, -EINVAL}, /* bytes after the last spec */
		{AT(head.flow_attr.num_of_specs), 5, -EINVAL},
		{AT(head.flow_attr.size), 200, -ENOSPC},
		{AT(head.flow_attr.size) + 1, 1, -EINVAL},
		{AT(head.flow_attr.priority), 16, -ENOMEM},
		{AT(head.flow_attr.port), 2, -EINVAL},
		{AT(head.flow_attr.port), 0, -EINVAL},
		{AT(head.flow_attr.flags), 8, -EINVAL},
		{AT(head.flow_attr.type), 3, -EOPNOTSUPP},
		{AT(head.flow_attr.type), 1, -EINVAL}, /* a default flow must not have specs */
		{AT(eth.type), 0x21, -EOPNOTSUPP},
		{AT(eth.size), 7, -EINVAL},
		{AT(eth.size), 255, -EINVAL},
		{AT(eth.reserved), 1, -EINVAL},
		{AT(eth.val.ether_type), 0x86, -EINVAL}, /* beside an IPv4 spec */
		{AT(ip.mask.ttl), 1, -EOPNOTSUPP},
		{AT(ip.mask.proto), 0xff, -EINVAL}, /* protocol 0 beside a UDP spec */
		{AT(tag.tag_id) + 3, 1, -EINVAL},
		{AT(tag.type) + 1, 0x11, -EINVAL}, /* an inner tag */
		{AT(tag.size), 8, -EINVAL},
		{AT(count), 1, -EOPNOTSUPP}, /* bytes after all specs */
	};

	for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		struct verbs_flow v = udp_flow(qp, 53);

		((uint8_t *)&v)[spoils[i].at] = spoils[i].byte;
		if (create_verbs(f, &v, NULL) != spoils[i].err)
			fail_msg("spoil %zu", i);
		assert_int_equal(fx_objects(f), objects);
	}
	for (size_t len = 0; len < sizeof(struct verbs_flow); len += 5) {
		struct verbs_flow v = udp_flow(qp, 53);
		struct ib_uverbs_create_flow_resp resp;
		int err = fx_write(f, CREATE_FLOW, &v, len, &resp, sizeof(resp));

		assert_int_equal(err == 0, len >= offsetof(struct verbs_flow, count));
	}
	{
		struct verbs_flow v = udp_flow(rc, 53);

		assert_int_equal(create_verbs(f, &v, NULL), -EINVAL);
	}
}

/* Proves that any bytes are refused, or make a flow that can be destroyed. */
TEST(fx, verbs_hostile)
{
	const uint32_t qp = raw_qp(f), objects = fx_objects(f);
	unsigned int seed = 60, made = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		struct verbs_flow v = udp_flow(qp, 53);
		struct ib_uverbs_create_flow_resp resp;
		uint8_t *bytes = (uint8_t *)&v;
		size_t len = rand_r(&seed) % 4 ? sizeof(v) : (size_t)rand_r(&seed) % sizeof(v);

		for (int n = rand_r(&seed) % 5; n; n--)
			bytes[(size_t)rand_r(&seed) % sizeof(v)] =
				(uint8_t)(rand_r(&seed) % 2 ? rand_r(&seed) : rand_r(&seed) % 5);
		if (fx_write(f, CREATE_FLOW, &v, len, &resp, sizeof(resp)))
			continue;
		made++;
		ends(f, v.head.flow_attr.flags & 4, 53);
		assert_int_equal(no_flow(f, resp.flow_handle), 0);
	}
	assert_true(made > 1000);
	assert_int_equal(fx_objects(f), objects);
}
