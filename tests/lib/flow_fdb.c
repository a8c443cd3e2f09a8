/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests names of vports, and that refusals of FDB domains name field, side and device. */
#include "tests/test.h"
#include "flow_fake_rig.h"

static int manager_setup(uint8_t format)
{
	struct fake manager = {.eswitch = true, .format = format};

	return fake_setup(&(void *){&manager});
}

static int fdb_setup(UNUSED void **state)
{
	return manager_setup(1);
}

static int old_setup(UNUSED void **state)
{
	return manager_setup(0);
}

#define FIXTURE_fake(name) FIXTURE(name, void *no_state, fake_setup, fake_teardown)
#define FIXTURE_fdb(name, setup)                            \
	static void name##_on(struct stage *s);             \
	FIXTURE(name, void *no_state, setup, fake_teardown) \
	{                                                   \
		struct stage stage;                         \
                                                            \
		fake_open_stage(&stage, DVX_FLOW_FDB, 1);   \
		name##_on(&stage);                          \
		fake_close_stage(&stage);                   \
	}                                                   \
	static void name##_on(struct stage *s)

static void vport_named(const char *name, uint32_t number)
{
	uint32_t got = 77;
	char text[32];

	assert_int_equal(dvx_flow_vport_number(name, &got), 0);
	assert_int_equal(got, number);
	dvx_flow_vport_name(number, text, sizeof(text));
	assert_string_equal(text, name);
}

TEST(none, names)
{
	static const char *const wrong[] = {"",	    "vf",   "vf1000", "vf+1",
					    "vf1x", "vf 1", "PF",     "sf0"};
	uint32_t got = 77;
	char text[32];

	vport_named("pf", 0);
	vport_named("vf0", 1);
	vport_named("vf999", 1000);
	vport_named("ecpf", 0xfffe);
	vport_named("uplink", 0xffff);
	dvx_flow_vport_name(0x8000, text, sizeof(text));
	assert_string_equal(text, "vport 32768");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(dvx_flow_vport_number(wrong[i], &got), -ENOENT);
	assert_int_equal(got, 77);
}

TEST(none, matched)
{
	struct dvx_flow_match m = {0};
	uint64_t value, mask;

	assert_int_equal(dvx_flow_match_vport(&m, 0x10000), -ERANGE);
	assert_int_equal(dvx_flow_match_vport(&m, DVX_FLOW_UPLINK), 0);
	assert_int_equal(dvx_flow_match_get(&m, "misc_parameters.source_port", &value, &mask), 0);
	assert_int_equal(value, 0xffff);
	assert_int_equal(mask, 0xffff);
}

/* libmlx5 makes such a domain, and refuses all but its root without a reason. */
TEST(fake, no_manager)
{
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .side = DVX_FLOW_FDB};
	struct dvx_flow_domain *none = NULL;

	fake_refused(dvx_flow_domain_create(dev, &attr, &none), -EOPNOTSUPP,
		     "attr.side FDB: mlx5_9", "eswitch_manager");
	attr.side = (enum dvx_flow_side)3;
	fake_refused(dvx_flow_domain_create(dev, &attr, &none), -EINVAL, "attr.side 3",
		     "RX, TX or FDB");
}

/* Actions that are of the function's own tables, and the other way round. */
TEST(fdb, other_domains, fdb_setup)
{
	struct dvx_flow_action *action = NULL;
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher *mt;
	struct stage rx;

	fake_refused(dvx_flow_action_create_tag(s->domain, 1, &action), -EINVAL, "domain is FDB",
		     "packets that are received");
	fake_open_stage(&rx, DVX_FLOW_RX, 1);
	fake_refused(dvx_flow_action_create_vport(rx.domain, 0, &action), -EINVAL, "domain is RX",
		     "packets in the e-switch");
	fake_close_stage(&rx);
	fake_refused(dvx_flow_action_create_vport(s->domain, 0x10000, &action), -ERANGE,
		     "vport 0x10000", "16 bits");
	dvx_flow_match_set(&m, "metadata_reg_a", 1, 1);
	fake_refused(fake_try_matcher(s, &m, &mt), -EOPNOTSUPP, "metadata_reg_a", "in the FDB");
}

/* Tries a rule with this action and drop; the source is matched if it is not UINT32_MAX. */
static int fdb_try(struct stage *s, struct dvx_flow_action *action, uint32_t source)
{
	struct dvx_flow_action *vport, *actions[2];
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	int ret;

	dvx_flow_match_vlan(&m, DVX_FLOW_OUTER, 5, 0xfff);
	if (source != UINT32_MAX)
		dvx_flow_match_vport(&m, source);
	assert_int_equal(fake_try_matcher(s, &m, &mt), 0);
	assert_int_equal(dvx_flow_action_create_vport(s->domain, 0, &vport), 0);
	actions[0] = action;
	actions[1] = vport;
	ret = fake_try_rule(mt, &m, actions, 2, &r);
	if (!ret)
		assert_int_equal(dvx_flow_rule_destroy(r), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	assert_int_equal(dvx_flow_action_destroy(vport), 0);
	return ret;
}

/* Tunnels end on the RX side alone: the rule must name the uplink. */
TEST(fdb, decap, fdb_setup)
{
	struct dvx_flow_action *decap;

	assert_int_equal(dvx_flow_action_create_decap_l2(s->domain, &decap), 0);
	fake_refused(fdb_try(s, decap, UINT32_MAX), -EOPNOTSUPP, "source_port: a decapsulation",
		     "only on the RX side: name the uplink as source");
	fake_refused(fdb_try(s, decap, 1), -EOPNOTSUPP, "mlx5_9", "name the uplink");
	assert_int_equal(fdb_try(s, decap, 0xffff), 0);
	assert_int_equal(dvx_flow_action_destroy(decap), 0);
}

/* Entries of format 0 begin tunnels and push tags on the TX side alone, and pop on the RX side. */
TEST(fdb, old_format, old_setup)
{
	static const uint8_t header[14];
	struct dvx_flow_action *encap, *push, *pop;

	assert_int_equal(dvx_flow_action_create_encap_l2(s->domain, header, 14, &encap), 0);
	assert_int_equal(dvx_flow_action_create_push_vlan(s->domain, 0x8100, 5, &push), 0);
	assert_int_equal(dvx_flow_action_create_pop_vlan(s->domain, &pop), 0);
	fake_refused(fdb_try(s, encap, 0xffff), -EOPNOTSUPP,
		     "an encapsulation on mlx5_9 (ConnectX-5, -6)",
		     "only on the TX side: name a source (not uplink)");
	fake_refused(fdb_try(s, push, UINT32_MAX), -EOPNOTSUPP, "a VLAN push", "TX side");
	fake_refused(fdb_try(s, pop, 1), -EOPNOTSUPP, "a VLAN pop", "RX side");
	assert_int_equal(fdb_try(s, encap, 1), 0);
	assert_int_equal(fdb_try(s, push, 0), 0);
	assert_int_equal(fdb_try(s, pop, 0xffff), 0);
	assert_int_equal(dvx_flow_action_destroy(encap), 0);
	assert_int_equal(dvx_flow_action_destroy(push), 0);
	assert_int_equal(dvx_flow_action_destroy(pop), 0);
}
