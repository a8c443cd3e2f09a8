/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cap.h>
#include "backend.h"

/* The backend refuses levels in a domain that has none. */
static int flow_table_check_level(const struct dvx_flow_domain *domain, uint32_t level)
{
	const void *props = level && domain->levels ? dvx_flow_props(domain) : NULL;
	uint32_t max = props ? prm_flow_table_prop_layout_get_max_ft_level(props) : 0;

	if (max && level >= max)
		return dvx_fail(ERANGE, "dvx_flow_table_create: level %u is not below %u", level,
				max);
	return 0;
}

int dvx_flow_table_create(struct dvx_flow_domain *domain, uint32_t level,
			  struct dvx_flow_table **out)
{
	struct dvx_flow_table *table;
	int err = dvx_check_not_null("dvx_flow_table_create", "domain", domain, "out", out, NULL);

	if (!err)
		err = flow_table_check_level(domain, level);
	if (err)
		return err;
	table = calloc(1, sizeof(*table));
	if (!table)
		return dvx_fail(ENOMEM, "no memory for a flow table");
	table->domain = domain;
	table->level = level;
	err = domain->backend->table_create(table);
	if (err) {
		free(table);
		return err;
	}
	dvx_ref(&domain->refs);
	*out = table;
	return 0;
}

int dvx_flow_table_destroy(struct dvx_flow_table *table)
{
	int err;

	if (!table)
		return 0;
	if (dvx_in_use(&table->refs))
		return dvx_fail(EBUSY,
				"flow table of level %u: %d matchers or actions still need it",
				table->level, table->refs);
	err = table->domain->backend->table_destroy(table);
	if (err)
		return err;
	dvx_unref(&table->domain->refs);
	free(table);
	return 0;
}

int dvx_flow_table_dump(struct dvx_flow_table *table, FILE *to)
{
	int err = dvx_check_not_null("dvx_flow_table_dump", "table", table, "to", to, NULL);

	return err ? err
		   : table->domain->backend->dump(table->domain, table, to, "dvx_flow_table_dump");
}

uint32_t dvx_flow_table_level(const struct dvx_flow_table *table)
{
	return table->level;
}

uint64_t dvx_flow_table_id(const struct dvx_flow_table *table)
{
	return (uintptr_t)table->impl;
}
