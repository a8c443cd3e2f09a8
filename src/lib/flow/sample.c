/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of some packets, at random: a firmware sampler between a rule and the next table. */
#include <dvx/prm/cap.h>
#include "priv.h"

#define CALL "dvx_flow_action_create_sample"

static int flow_sample_check_to(const struct dvx_flow_domain *domain,
				const struct dvx_flow_action *to)
{
	const bool fdb = domain->side == DVX_FLOW_FDB;

	if (to->domain != domain)
		return dvx_fail(EINVAL, CALL ": to is not of the domain");
	if (to->kind != (fdb ? ACTION_VPORT : ACTION_QUEUE))
		return dvx_fail(EOPNOTSUPP, CALL ": to is no %s action: libmlx5 copies to no other",
				fdb ? "vport" : "queue, rss or qp");
	/* libmlx5 44 leaves out the number of the ECPF's vport, so the copy would go to 0. */
	if (fdb && to->number == DVX_FLOW_ECPF)
		return dvx_fail(EOPNOTSUPP,
				CALL ": to is vport 0xfffe (ecpf), which libmlx5 cannot "
				     "put into a sampler");
	return 0;
}

/* Format 0 loses register C0 behind a sampler of the FDB's TX side. */
static int flow_sample_check_caps(const struct dvx_flow_domain *domain)
{
	const void *props = dvx_flow_props(domain), *cap;
	int err = props ? 0 : -dvx_last_error()->err;

	if (!err)
		err = dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);
	if (err)
		return err;
	if (!prm_flow_table_prop_layout_get_log_max_ft_sampler_num(props))
		return dvx_fail(EOPNOTSUPP, CALL ": %s lacks %s.log_max_ft_sampler_num",
				dvx_dev_name(domain->dev), dvx_flow_props_name(domain));
	if (domain->side == DVX_FLOW_FDB && !prm_cmd_hca_cap_get_steering_format_version(cap))
		return dvx_fail(EOPNOTSUPP,
				CALL
				": samplers in the FDB of %s (ConnectX-5, -6) lose register C0 "
				"of packets from functions",
				dvx_dev_name(domain->dev));
	return 0;
}

static int flow_sample_check(const struct dvx_flow_domain *domain, uint32_t ratio,
			     const struct dvx_flow_action *to, const struct dvx_flow_table *table)
{
	int err = dvx_flow_only(domain, SIDE_RX | SIDE_FDB, CALL);

	if (!err && !ratio)
		err = dvx_fail(EINVAL, CALL ": ratio is 0: one packet of so many is copied");
	if (!err && table->domain != domain)
		err = dvx_fail(EINVAL, CALL ": table is not of this domain");
	if (!err && !table->level)
		err = dvx_fail(EINVAL, CALL ": table is the root (level 0)");
	if (!err)
		err = flow_sample_check_to(domain, to);
	return err ? err : flow_sample_check_caps(domain);
}

int dvx_flow_action_create_sample(struct dvx_flow_domain *domain, uint32_t ratio,
				  struct dvx_flow_action *to, struct dvx_flow_table *table,
				  struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {
		.domain = domain, .kind = ACTION_SAMPLE, .number = ratio, .bytes = sizeof(to)};
	int err = dvx_check_not_null(CALL, "domain", domain, "to", to, "table", table, "out", out,
				     NULL);

	if (!err)
		err = flow_sample_check(domain, ratio, to, table);
	if (err)
		return err;
	want.table = table;
	want.target = &table->refs;
	want.level = table->level;
	err = dvx_flow_action_new(&want, &to, CALL, out);
	if (!err)
		dvx_ref(&to->refs);
	return err;
}
