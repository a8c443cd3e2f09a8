/* SPDX-License-Identifier: BSD-2-Clause */
/* libdvx's actions for the changes that a rule makes to its packets. */
#include <stdlib.h>
#include <string.h>
#include <dvx/flow.h>

#include "generation.h"
#include "dvx-flow.h"

static const struct rule_change *changes_find(const struct rule *r, enum rule_change_kind kind)
{
	for (size_t i = 0; i < r->nchanges; i++)
		if (r->change[i].kind == kind)
			return &r->change[i];
	return NULL;
}

static uint32_t ipv4_number(const uint8_t *a)
{
	return (uint32_t)a[0] << 24 | (uint32_t)a[1] << 16 | (uint32_t)a[2] << 8 | a[3];
}

static int set_address(struct dvx_flow_rewrites *list, const struct rule_change *c,
		       enum dvx_flow_end end)
{
	return c->of == 4 ? dvx_flow_rewrite_ipv4(list, end, ipv4_number(c->addr))
			  : dvx_flow_rewrite_ipv6(list, end, c->addr);
}

/* Appends the rewrites of this change, if it is one. Other changes are actions of their own. */
static int changes_rewrite(struct dvx_flow_rewrites *list, const struct rule *r,
			   const struct rule_change *c)
{
	const char *ttl = r->outer.ip == 6 ? "ipv6_hop_limit" : "ipv4_ttl";
	enum dvx_flow_end dst =
		c->kind == CHANGE_ETH_DST || c->kind == CHANGE_IP_DST || c->kind == CHANGE_DPORT
			? DVX_FLOW_DST
			: DVX_FLOW_SRC;

	switch (c->kind) {
	case CHANGE_ETH_SRC:
	case CHANGE_ETH_DST:
		return dvx_flow_rewrite_mac(list, dst, c->addr);
	case CHANGE_IP_SRC:
	case CHANGE_IP_DST:
		return set_address(list, c, dst);
	case CHANGE_SPORT:
	case CHANGE_DPORT:
		return dvx_flow_rewrite_port(list, dst, (enum dvx_flow_proto)c->of,
					     (uint16_t)c->value);
	case CHANGE_TTL:
		return dvx_flow_rewrite_set(list, ttl, c->value);
	case CHANGE_DEC_TTL:
		return dvx_flow_rewrite_add(list, ttl, 0xff);
	case CHANGE_DSCP:
		return dvx_flow_rewrite_set(list, "ip_dscp", c->value);
	case CHANGE_VLAN:
		return dvx_flow_rewrite_set(list, "first_vid", c->value);
	default:
		return 0;
	}
}

static int changes_refused(const struct rule *r, const struct rule_change *c, struct flow_fault *f)
{
	return locate_error(f, r, c->at);
}

static int make_rewrites(struct dvx_flow_domain *domain, const struct rule *r, struct changes *out,
			 struct flow_fault *f)
{
	struct dvx_flow_rewrites list = {0};

	for (size_t i = 0; i < r->nchanges; i++)
		if (changes_rewrite(&list, r, &r->change[i]))
			return changes_refused(r, &r->change[i], f);
	if (!list.count)
		return 0;
	if (dvx_flow_action_create_modify(domain, &list, &out->action[out->n]))
		return changes_refused(r, &r->change[0], f);
	out->n++;
	return 0;
}

/* Ends a tunnel; packets of one that carries IP get an Ethernet header. */
static int changes_decap(struct dvx_flow_domain *domain, const struct rule_change *c,
			 struct dvx_flow_action **out)
{
	return c->value ? dvx_flow_action_create_decap_l3(domain, c->addr, c->value, out)
			: dvx_flow_action_create_decap_l2(domain, out);
}

static int changes_encap(struct dvx_flow_domain *domain, const struct rule_encap *e,
			 struct dvx_flow_action **out)
{
	return e->l3 ? dvx_flow_action_create_encap_l3(domain, e->header, e->bytes, out)
		     : dvx_flow_action_create_encap_l2(domain, e->header, e->bytes, out);
}

int changes_make(struct dvx_flow_domain *domain, const struct rule *r, struct changes *out,
		 struct flow_fault *f)
{
	const struct rule_change *decap = changes_find(r, CHANGE_DECAP);
	const struct rule_change *pop = changes_find(r, CHANGE_POP);
	const struct rule_change *push = changes_find(r, CHANGE_PUSH);
	const struct rule_change *encap = changes_find(r, CHANGE_ENCAP);

	if (decap && changes_decap(domain, decap, &out->action[out->n]))
		return changes_refused(r, decap, f);
	out->n += decap != NULL;
	if (pop && dvx_flow_action_create_pop_vlan(domain, &out->action[out->n]))
		return changes_refused(r, pop, f);
	out->n += pop != NULL;
	if (push && dvx_flow_action_create_push_vlan(domain, 0x8100, (uint16_t)push->value,
						     &out->action[out->n]))
		return changes_refused(r, push, f);
	out->n += push != NULL;
	if (encap && changes_encap(domain, r->encap, &out->action[out->n]))
		return changes_refused(r, encap, f);
	if (encap)
		out->encap = out->action[out->n++];
	return make_rewrites(domain, r, out, f);
}

void changes_free(struct changes *c)
{
	while (c && c->n)
		dvx_flow_action_destroy(c->action[--c->n]);
	free(c);
}

void changes_visit_rewrites(const struct changes *c, rewrites_fn visit, void *arg)
{
	struct dvx_flow_rewrites list;

	for (uint32_t i = 0; c && i < c->n; i++)
		if (!dvx_flow_action_rewrites(c->action[i], &list))
			visit(arg, dvx_flow_action_id(c->action[i]), &list);
}
