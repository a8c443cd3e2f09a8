/* SPDX-License-Identifier: BSD-2-Clause */
/* Many rules: all or none. */
#include <stdio.h>
#include "backend.h"

#define EVERY 1024u

/*
 * If next() returns an errno that a libdvx call inside it failed with, the sentence of that call is
 * kept.
 */
static int ask_next(const struct dvx_flow_bulk *bulk, size_t i, struct dvx_flow_rule_attr *attr)
{
	int err;

	dvx_restore(&(struct dvx_error){.err = 0});
	err = bulk->next(bulk->arg, i, attr);
	if (!err || (err < 0 && dvx_last_error()->err == -err))
		return err;
	return dvx_fail(err < 0 ? -err : ECANCELED, "the caller gave up");
}

static int flow_bulk_one(const struct dvx_flow_bulk *bulk, size_t i, bool more,
			 struct dvx_flow_rule **rule)
{
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr)};
	int err;

	/* The caller's struct may have another size than ours. */
	if (!bulk->next)
		return dvx_flow_rule_new(
			(const void *)((const char *)bulk->attrs + i * bulk->attrs->size), more,
			rule);
	err = ask_next(bulk, i, &attr);
	if (err)
		return err;
	return dvx_flow_rule_new(&attr, more, rule);
}

/* The domain of the rules; `mixed`: they have several. */
struct bulk_domain {
	struct dvx_flow_domain *is;
	bool mixed;
};

static int flow_bulk_insert(const struct dvx_flow_bulk *bulk, size_t n,
			    struct dvx_flow_rule **rules, size_t *done, struct bulk_domain *domain)
{
	size_t every = bulk->every ? bulk->every : EVERY;
	int err;

	for (*done = 0; *done < n; ++*done) {
		if (bulk->progress && *done && !(*done % every) && bulk->progress(bulk->arg, *done))
			return dvx_fail(ECANCELED, "the caller gave up");
		err = flow_bulk_one(bulk, *done, *done + 1 < n, &rules[*done]);
		if (err)
			return err;
		domain->mixed |= domain->is && domain->is != rules[*done]->matcher->table->domain;
		domain->is = rules[*done]->matcher->table->domain;
	}
	return 0;
}

/* The device may refuse a rule that was on its way. Sets *bad to the first one. */
static int flow_bulk_settle(struct dvx_flow_rule **rules, size_t n,
			    const struct bulk_domain *domain, size_t *bad)
{
	int err = 0;

	if (!n || (!domain->mixed && (!domain->is->backend->domain_took_all ||
				      domain->is->backend->domain_took_all(domain->is))))
		return 0;
	for (*bad = 0; *bad < n && !err; *bad += !err) {
		struct dvx_flow_rule *r = rules[*bad];
		const struct dvx_flow_backend *backend = r->matcher->table->domain->backend;

		err = backend->domain_took_all ? backend->rule_settle(r) : 0;
	}
	return err;
}

/* Puts the rule's number before the sentence. */
static int say_which(struct dvx_error *why, size_t i)
{
	char what[sizeof(why->what)];

	if (!why->opcode) {
		memcpy(what, why->what, sizeof(what));
		snprintf(why->what, sizeof(why->what), "rule %zu: %.130s", i, what);
	}
	return dvx_restore(why);
}

int dvx_flow_rules_insert(const struct dvx_flow_bulk *user, size_t n, struct dvx_flow_rule **rules)
{
	struct bulk_domain domain = {.mixed = false};
	struct dvx_flow_rule **made;
	struct dvx_flow_bulk bulk;
	size_t done, bad;
	int err = dvx_struct_copy(&bulk, user, "dvx_flow_rules_insert", "bulk");

	if (!err && n)
		err = dvx_check_not_null("dvx_flow_rules_insert", "rules", rules, NULL);
	if (err)
		return err;
	if (!bulk.attrs == !bulk.next)
		return dvx_fail(
			EINVAL,
			"dvx_flow_rules_insert: either bulk.attrs or bulk.next must be set");
	made = calloc(n ? n : 1, sizeof(struct dvx_flow_rule *));
	if (!made)
		return dvx_fail(ENOMEM, "no memory for %zu rules", n);
	err = flow_bulk_insert(&bulk, n, made, &done, &domain);
	bad = done;
	if (!err)
		err = flow_bulk_settle(made, n, &domain, &bad);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		dvx_flow_rules_delete(made, done);
		err = say_which(&why, bad);
	} else if (n) {
		memcpy(rules, made, n * sizeof(struct dvx_flow_rule *));
	}
	free(made);
	return err;
}

int dvx_flow_rules_delete(struct dvx_flow_rule **rules, size_t n)
{
	struct dvx_error first = {0};
	int err = 0, e;

	if (n && (err = dvx_check_not_null("dvx_flow_rules_delete", "rules", rules, NULL)))
		return err;
	while (n--) {
		e = dvx_flow_rule_destroy(rules[n]);
		if (!e)
			rules[n] = NULL;
		else if (!err) {
			err = e;
			first = *dvx_last_error();
		}
	}
	return err ? dvx_restore(&first) : 0;
}
