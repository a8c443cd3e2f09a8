/* SPDX-License-Identifier: BSD-2-Clause */
/* Creates rules of one matcher below the root, for count.sh: IPv4 5-tuples that are dropped. */
#include <stdio.h>
#include <stdlib.h>
#include <dvx/dvx.h>

static void must(int err)
{
	if (!err)
		return;
	fprintf(stderr, "rule_create: %s\n", dvx_strerror(err));
	exit(1);
}

static void five_tuple(struct dvx_flow_match *m, uint32_t i)
{
	*m = (struct dvx_flow_match){0};
	must(dvx_flow_match_ipv4(m, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0x0a000000 + i, 32));
	must(dvx_flow_match_ipv4(m, DVX_FLOW_OUTER, DVX_FLOW_DST, 0x0b000001, 32));
	must(dvx_flow_match_port(m, DVX_FLOW_OUTER, DVX_FLOW_SRC, DVX_FLOW_UDP,
				 (uint16_t)(1000 + i), 0xffff));
	must(dvx_flow_match_port(m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, 53, 0xffff));
}

int main(int argc, char **argv)
{
	uint32_t rules = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
	struct dvx_flow_domain_attr rx = {.size = sizeof(rx), .side = DVX_FLOW_RX};
	struct dvx_flow_match match;
	struct dvx_flow_matcher_attr fields = {.size = sizeof(fields), .match = &match};
	struct dvx_flow_action *drop;
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .match = &match, .actions = &drop, .action_count = 1};
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *table;
	struct dvx_flow_rule *made;
	struct dvx_dev *dev;

	must(dvx_dev_open(NULL, &dev));
	must(dvx_flow_domain_create(dev, &rx, &domain));
	must(dvx_flow_table_create(domain, 1, &table));
	must(dvx_flow_action_create_drop(domain, &drop));
	five_tuple(&match, 0);
	must(dvx_flow_matcher_create(table, &fields, &rule.matcher));
	for (uint32_t i = 0; i < rules; i++) {
		five_tuple(&match, i);
		must(dvx_flow_rule_create(&rule, &made));
	}
	printf("%u rules\n", rules);
	return 0; /* all objects end with the process */
}
