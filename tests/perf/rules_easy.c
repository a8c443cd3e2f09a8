/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules by dvx_rules_insert() (rules.h) and their deletion, for rules.sh: UDP ports that are dropped. */
#include <stdio.h>
#include <stdlib.h>
#include <dvx/dvx.h>

static void must(int err)
{
	if (!err)
		return;
	fprintf(stderr, "rules_easy: %s\n", dvx_strerror(err));
	exit(1);
}

static void ports(struct dvx_flow_match *m, uint32_t i)
{
	*m = (struct dvx_flow_match){0};
	must(dvx_flow_match_ip_version(m, DVX_FLOW_OUTER, 4));
	must(dvx_flow_match_port(m, DVX_FLOW_OUTER, DVX_FLOW_SRC, DVX_FLOW_UDP, (uint16_t)i,
				 0xffff));
	must(dvx_flow_match_port(m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, (uint16_t)(i >> 16),
				 0xffff));
}

int main(int argc, char **argv)
{
	const uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
	struct dvx_flow_domain_attr rx = {
		.size = sizeof(rx), .side = DVX_FLOW_RX, .flags = DVX_FLOW_HARDWARE};
	struct dvx_flow_match match;
	struct dvx_flow_matcher_attr fields = {
		.size = sizeof(fields), .match = &match, .expected_rules = n};
	struct dvx_flow_action *drop;
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .match = &match, .actions = &drop, .action_count = 1};
	struct dvx_rules_attr attr = {.size = sizeof(attr)};
	uint32_t *number = calloc(n, sizeof(*number));
	uint8_t tag[DVX_TAG_BYTES];
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *table;
	struct dvx_hws_image image;
	struct dvx_rules *rules;
	struct dvx_dev *dev;

	must(number ? 0 : -ENOMEM);
	must(dvx_dev_open(NULL, &dev));
	must(dvx_flow_domain_create(dev, &rx, &domain));
	must(dvx_flow_table_create(domain, 1, &table));
	must(dvx_flow_action_create_drop(domain, &drop));
	ports(&match, 0);
	must(dvx_flow_matcher_create(table, &fields, &rule.matcher));
	must(dvx_hws_image_make(&rule, 0, &image));
	attr.matcher = rule.matcher;
	must(dvx_rules_create(&attr, &rules));
	for (uint32_t i = 0; i < n; i++) {
		ports(&match, i);
		must(dvx_hws_tag_make(rule.matcher, &match, tag));
		must(dvx_rules_insert(rules, &image, tag, &number[i]));
	}
	must(dvx_rules_flush(rules));
	for (uint32_t i = 0; i < n; i++)
		must(dvx_rules_delete(rules, number[i]));
	must(dvx_rules_flush(rules));
	printf("%u rules\n", n);
	return 0; /* all objects end with the process */
}
