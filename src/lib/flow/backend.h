/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A backend makes the flow API's objects on a device. The API's files check arguments, count
 * references and sort a rule's actions before they call; a backend knows how a device takes the
 * rest, and why it refuses. Each function returns 0, or -errno with the sentence of dvx_fail().
 * `impl` of an object belongs to the backend, which may keep it for longer than the object.
 */
#ifndef DVX_FLOW_BACKEND_H
#define DVX_FLOW_BACKEND_H

#include "priv.h"

struct dvx_flow_backend {
	bool pops_or_pushes; /* rules of RX domains do not pop and push VLAN tags */

	/* Also sets domain->levels. flags: enum dvx_flow_domain_flags. */
	int (*domain_create)(struct dvx_flow_domain *domain, uint32_t flags);
	int (*domain_destroy)(struct dvx_flow_domain *domain);
	/*
	 * Waits until each rule inserted or removed so far has taken effect. Fails once if the
	 * device has refused some, unless these were removed.
	 */
	int (*domain_sync)(struct dvx_flow_domain *domain);
	/*
	 * NULL: always. Waits likewise. Returns whether the device has taken all rules since the
	 * domain was made.
	 */
	bool (*domain_took_all)(struct dvx_flow_domain *domain);
	/* domain_sync() and domain_has_room() are called only for domains with levels. */
	bool (*domain_has_room)(struct dvx_flow_domain *domain);
	/* Dumps one table, or with NULL all tables; `call` begins the sentence. */
	int (*dump)(const struct dvx_flow_domain *domain, const struct dvx_flow_table *table,
		    FILE *to, const char *call);

	int (*table_create)(struct dvx_flow_table *table);
	int (*table_destroy)(struct dvx_flow_table *table);

	/* `value` has the IP versions that all rules will have, or 0 for those that are open. */
	int (*matcher_create)(struct dvx_flow_matcher *matcher, const uint8_t *value);
	int (*matcher_destroy)(struct dvx_flow_matcher *matcher);
	uint64_t (*matcher_id)(const struct dvx_flow_matcher *matcher, uint8_t version);

	/* Makes one of any kind. */
	int (*action_create)(struct dvx_flow_action *action, const char *call);
	int (*action_destroy)(struct dvx_flow_action *action);

	/*
	 * Both return when the change is on its way to the device; domain_sync() waits for it. By
	 * then `value`, and a rule that was removed, may be gone. more: another rule of the domain
	 * follows at once, unless that fails; they may be sent together.
	 */
	int (*rule_insert)(struct dvx_flow_rule *rule, const uint8_t *value, bool more);
	int (*rule_remove)(struct dvx_flow_rule *rule);
	/*
	 * Waits until the device has taken or refused the rule. For backends with
	 * domain_took_all().
	 */
	int (*rule_settle)(struct dvx_flow_rule *rule);
};

/* rule.c: dvx_flow_rule_create(); more: as in rule_insert() */
int dvx_flow_rule_new(const struct dvx_flow_rule_attr *user, bool more, struct dvx_flow_rule **out);

extern const struct dvx_flow_backend dvx_flow_dr;  /* dr.c: libmlx5's mlx5dv_dr */
extern const struct dvx_flow_backend dvx_flow_hws; /* lib/hws: hardware steering */

#endif
