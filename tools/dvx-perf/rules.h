/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_RULES_H
#define DVX_PERF_RULES_H

#include "options.h"
#include "result.h"

enum rules_op { RULES_INSERT, RULES_UPDATE, RULES_DELETE, RULES_OPS };
extern const char *const rules_op_names[RULES_OPS];

/* Fields that rules compare: rules_keys.c. */
struct rules_key {
	const char *word, *name;
	/* Sets the values of rule `i`, under full masks. */
	int (*set)(struct dvx_flow_match *, uint32_t i);
};
extern const struct rules_key rules_keys[];
const struct rules_key *rules_key_find(const char *word);
void rules_offer_keys(const char *command, const char *first, const char *field);

/* Blocks of a request ring for each outstanding rule, which may be posted twice. */
#define RULES_BLOCKS  (4 * DVX_RULE_BLOCKS)

#define RULES_ACTIONS 2 /* an update replaces one by the other */

/* A matcher, and what an engine needs for its rules. */
struct rules_bench {
	const struct perf_args *args; /* with defaults filled in */
	const struct rules_key *key;
	struct dvx_dev *dev;
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *table;
	struct dvx_flow_matcher *matcher;
	struct dvx_flow_action *action[RULES_ACTIONS];
	uint8_t *acts;		      /* which action each rule has */
	struct dvx_flow_rule **rules; /* of the flow API */
	struct rules_posts *posts;    /* of requests: rules_posts.c */
	uint64_t retried;	      /* rules that had no room in the first table */
};

/* A way to write rules. The calls return 0, or -errno with libdvx's sentence. */
struct rules_engine {
	const char *word, *name;
	uint32_t domain_flags;
	int (*open)(struct rules_bench *);
	/* Does it for rules first .. first + n - 1; all is in effect when it returns. */
	int (*apply)(struct rules_bench *, enum rules_op, uint32_t first, uint32_t n);
	int (*close)(struct rules_bench *);
};
#define RULES_ENGINES 3
extern const struct rules_engine rules_sws, rules_hws, rules_requests;

struct rules_result {
	const struct rules_engine *engine;
	enum rules_op op;
	uint64_t samples;	 /* of the latency */
	double latency[FIGURES]; /* ns */
	double rate;		 /* rules a second */
	uint64_t retried;
};

struct rules_of {
	const struct perf_args *args;
	const struct perf_site *site;
	const struct rules_key *key;
};

/* rules_report.c: these return exit codes. */
int rules_begin(const struct rules_of *);
int rules_print(const struct rules_of *, const struct rules_result *);
int rules_end(const struct rules_of *, const struct rules_result *, size_t n);
int rules_plot(const struct rules_of *, const struct rules_result *, size_t n);

#endif
