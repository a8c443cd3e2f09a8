/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend.h"

const struct dvx_flow_side_row dvx_flow_sides[FLOW_SIDES] = {
	[DVX_FLOW_RX] = {"RX", "that are received", "flow_table_properties_nic_receive"},
	[DVX_FLOW_TX] = {"TX", "that are sent", "flow_table_properties_nic_transmit"},
	[DVX_FLOW_FDB] = {"FDB", "in the e-switch", "flow_table_properties_nic_esw_fdb"},
};

int dvx_flow_only(const struct dvx_flow_domain *domain, unsigned int sides, const char *call)
{
	if (sides >> domain->side & 1)
		return 0;
	return dvx_fail(EINVAL, "%s: domain is %s, this is for packets %s", call,
			dvx_flow_sides[domain->side].name,
			dvx_flow_sides[__builtin_ctz(sides)].takes);
}

static int flow_domain_check(const struct dvx_flow_domain_attr *attr)
{
	if (attr->flags & ~(uint32_t)(DVX_FLOW_NO_DUPLICATES | DVX_FLOW_HARDWARE))
		return dvx_fail(EINVAL, "dvx_flow_domain_create: attr.flags 0x%x: unknown bits",
				attr->flags);
	if (attr->side >= FLOW_SIDES)
		return dvx_fail(EINVAL, "dvx_flow_domain_create: attr.side %u is not RX, TX or FDB",
				(unsigned int)attr->side);
	return 0;
}

int dvx_flow_domain_create(struct dvx_dev *dev, const struct dvx_flow_domain_attr *user,
			   struct dvx_flow_domain **out)
{
	struct dvx_flow_domain_attr attr;
	struct dvx_flow_domain *domain;
	int err = dvx_attr_copy(&attr, user, "dvx_flow_domain_create");

	if (!err)
		err = dvx_check_not_null("dvx_flow_domain_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = flow_domain_check(&attr);
	if (err)
		return err;
	domain = calloc(1, sizeof(*domain));
	if (!domain)
		return dvx_fail(ENOMEM, "no memory for a steering domain");
	domain->dev = dev;
	domain->backend = attr.flags & DVX_FLOW_HARDWARE ? &dvx_flow_hws : &dvx_flow_dr;
	domain->side = attr.side;
	err = domain->backend->domain_create(domain, attr.flags);
	if (err) {
		free(domain);
		return err;
	}
	dvx_ref(&dev->refs);
	*out = domain;
	return 0;
}

int dvx_flow_domain_destroy(struct dvx_flow_domain *domain)
{
	int err;

	if (!domain)
		return 0;
	if (dvx_in_use(&domain->refs))
		return dvx_fail(EBUSY, "steering domain: %d tables or actions are still in it",
				domain->refs);
	err = domain->backend->domain_destroy(domain);
	if (err)
		return err;
	dvx_unref(&domain->dev->refs);
	free(domain);
	return 0;
}

bool dvx_flow_domain_has_levels(const struct dvx_flow_domain *domain)
{
	return domain->levels;
}

/* The root needs no sync: its calls return when the device has the change. */
int dvx_flow_domain_sync(struct dvx_flow_domain *domain)
{
	int err = dvx_check_not_null("dvx_flow_domain_sync", "domain", domain, NULL);

	return err || !domain->levels ? err : domain->backend->domain_sync(domain);
}

bool dvx_flow_domain_has_room(struct dvx_flow_domain *domain)
{
	return !domain->levels || domain->backend->domain_has_room(domain);
}

int dvx_flow_domain_dump(struct dvx_flow_domain *domain, FILE *to)
{
	int err = dvx_check_not_null("dvx_flow_domain_dump", "domain", domain, "to", to, NULL);

	return err ? err : domain->backend->dump(domain, NULL, to, "dvx_flow_domain_dump");
}
