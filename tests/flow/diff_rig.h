/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts dvx-flow's rules on the device with libdvx, and sends packets through them from a raw queue.
 */
#ifndef TESTS_DIFF_RIG_H
#define TESTS_DIFF_RIG_H

#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <dvx/dvx.h>
#include <dvx/flow.h>
#include <dvx/rxq.h>
#include "rules/compile.h"
#include "daemon/generation.h"
#include "flow_random.h"

#define QUEUES	    2
#define ENTRIES	    1024	      /* entries of each receive queue */
#define PACKET_ROOM (PACKET_MAX + 96) /* bytes of a packet that rules made longer */
#define BATCH	    256
#define RULES_MAX   24
#define SHORTEST    60 /* a port pads shorter frames */
#define RULES_OWN   3  /* the rig's own rules: LAST_RULES */
#define RULES_ALL   (RULES_OWN + RULES_MAX)
#define LINE_BYTES  512u /* the longest rule; random matches have half of it */
#define LIST_RULES  75u	 /* rules of an access list */
#define LIST_WAYS   2u	 /* rules that lead from it to others */
#define TEXT_MAX    ((RULES_OWN + LIST_RULES + LIST_WAYS) * LINE_BYTES)

/* Each queue's last packet ends a batch, because completions of two queues have no order. */
#define LAST_TAG     0xfffffeu
#define LAST_RULES_0 "send in eth dst 02:ff:00:00:00:00 to queue 0 tag 16777214"
#define LAST_RULES_1 "send in eth dst 02:ff:00:00:00:01 to queue 1 tag 16777214"
#define LAST_RULES_2 "pass out eth dst 02:ff:00:00:00:00/ff:ff:ff:ff:ff:fe"
#define LAST_RULES   LAST_RULES_0 "\n" LAST_RULES_1 "\n" LAST_RULES_2 "\n"

#define OK(call)                                                                               \
	do {                                                                                   \
		int ok_err = (call);                                                           \
		if (ok_err) {                                                                  \
			printf("Bail out! %s: %d: %s\n", #call, ok_err, dvx_strerror(ok_err)); \
			exit(1);                                                               \
		}                                                                              \
	} while (0)

#define RIG_VPORTS 3

struct queue {
	struct dvx_cq *cq;
	struct dvx_rxq *rxq;
	struct dvx_rq *rq;
	uint8_t *buf; /* PACKET_ROOM bytes for each entry */
	struct dvx_flow_action *action;
};

struct rig {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	struct queue queue[QUEUES];
	struct ibv_pd *ibpd;
	struct ibv_cq *ibcq;
	struct ibv_qp *sender;
	struct ibv_mr *mr;
	uint8_t *out; /* PACKET_MAX bytes for each packet of a batch */
	struct lane {
		struct dvx_flow_domain *domain;
		struct dvx_flow_table *root, *table;
		struct dvx_flow_matcher *all;
		struct dvx_flow_rule *way;
		struct dvx_flow_action *to_table, *drop, *pass, *count[RULES_ALL];
	} lane[RULE_DIRS];
	struct rig_vport { /* destinations of RULE_SWITCH */
		uint32_t number;
		struct dvx_flow_action *to;
	} vport[RIG_VPORTS];
	struct dvx_flow_action *tag[RULES_ALL];
	struct dvx_flow_counter *counter;
	struct held_option *option; /* of random rules */
	struct base_tables base;      /* for the daemon's code; its steering is the rig's, too */
};

/* Returns whether the device takes the rule's matchers, as a list has them. */
bool rig_has_matchers(struct rig *r, const char *line);

/* One compiled rule file in the device. */
struct installed {
	bool root;		 /* in the root tables of the firmware, not in those below */
	struct generation *held; /* by the daemon's code; NULL: by the rig */
	struct ruleset set;
	struct program program;
	struct dvx_flow_matcher **matcher[RULE_DIRS];
	struct changes *changes[RULES_ALL];
	struct piece {
		uint32_t dir, matcher, entry, rule;
		struct dvx_flow_rule *rule_in;
	} * piece;
	size_t npieces;
};

void rig_open(struct rig *r);
/* Opens the e-switch's lane as well, whose rules send to these vports. */
void rig_open_switch(struct rig *r, const uint32_t vports[RIG_VPORTS]);
void rig_close(struct rig *r);

/* Returns false if the parser refuses the file. */
bool file_compile(struct installed *in, const char *text);
/* Returns how many masks the compiled rules have. Hardware steering has a definer for each, of 240. */
size_t file_count_masks(const struct installed *in);
/* The refusal of one more. */
#define NO_DEFINER "no match definer left"
/* The most matchers in a root table besides the rule that leads to the other table. */
#define ROOT_MATCHERS 15

/*
 * Inserts the entries in random order, and deletes and inserts every third one again. Files begin
 * with LAST_RULES; the other rules' tags are their indexes.
 */
void file_install(struct rig *r, struct installed *in, struct dice *d);
/* Deletes all but the first rules. */
void file_cut(struct rig *r, struct installed *in, size_t rules);
void file_uninstall(struct installed *in);

/*
 * Opens the rig for this steering. With hws, random rules are those that the device takes; rig_refused
 * counts the others.
 */
void rig_open_by_daemon(struct rig *r, const char *steering);
extern uint64_t rig_refused;

/* Like file_install(), by the daemon's code, which also has tables, mirrors, spreads and codes. */
void file_hold(struct rig *r, struct installed *in);
void file_drop(struct installed *in);

/* --- diff_file.c: random files, which begin with LAST_RULES --- */

/* Returns whether the device takes the rule; NULL: it takes all that the parser takes. */
extern bool (*file_takes)(const char *line);

/* The chip pops VLAN tags of received packets only, and pushes those of sent ones. By rig_open(). */
extern bool file_one_side;

/*
 * Makes a random file of 1 to RULES_MAX rules. both: some are for outgoing packets; all: with all
 * changes of packets, otherwise only the root's.
 */
void file_random(struct dice *d, bool both, bool all, char text[TEXT_MAX]);
/* Writes a random rule without changes, which the parser takes and which has few entries. */
void file_line(struct dice *d, const char *dir, uint32_t number, char line[LINE_BYTES]);
/* Returns whether the parser takes the rule and it has few enough entries. */
bool file_line_good(const char *line);
/* Makes a random file with several tables, mirrors, and spreads over the queues. */
void file_random_ways(struct dice *d, char text[TEXT_MAX]);
/*
 * Makes an access list of LIST_RULES rules, half of which send, spread and change their packets.
 * Some lists have a mirror inside, and a second table.
 */
void file_random_list(struct dice *d, char text[TEXT_MAX]);

/*
 * Sends the packets (at most BATCH) and one final packet for each queue. Returns when all are sent.
 */
void packets_send(struct rig *r, const struct made_packet *p, uint32_t n);
/*
 * Waits up to 20 seconds for a queue's next completion, and returns its bytes. Their buffer is
 * posted again at the next doorbell.
 */
const uint8_t *packet_receive(struct rig *r, int queue, uint32_t *tag, uint32_t *len);

#endif
