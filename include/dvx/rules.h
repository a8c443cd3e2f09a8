/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_RULES_H
#define DVX_RULES_H

/*
 * Rules by requests (hws.h) with the bookkeeping done: the library keeps the tag and the table of each
 * rule, posts rules whose rows are full again into other tables, and adds larger tables as rules come.
 * Doorbells are for batches; dvx_rules_flush() waits until all rules are in effect.
 *
 *	dvx_rules_create(&(struct dvx_rules_attr){.size = ..., .matcher = matcher}, &rules);
 *	dvx_hws_image_make(..., 0, &image);
 *	for (i = 0; i < n; i++)
 *		dvx_rules_insert(rules, &image, tag[i], &number[i]);
 *	dvx_rules_flush(rules);
 */
#include <dvx/hws.h>

DVX_BEGIN_DECLS

/* Rules of one matcher, whose rules all come from here. */
struct dvx_rules;

struct dvx_rules_attr {
	uint32_t size;
	uint32_t reserved;
	struct dvx_flow_matcher *matcher;
};
int dvx_rules_create(const struct dvx_rules_attr *attr, struct dvx_rules **out);
/* Its rules stay on the device until the matcher is destroyed. */
int dvx_rules_destroy(struct dvx_rules *rules);

/*
 * Writes a rule with a tag that no other rule here has, and sets its number. `image` is one of
 * dvx_hws_image_make() without DVX_HWS_SPILL, with its values; it is not used after the call.
 */
int dvx_rules_insert(struct dvx_rules *rules, const struct dvx_hws_image *image, const void *tag,
		     uint32_t *number);
/* Gives a rule other actions; packets meet the old ones or the new ones. */
int dvx_rules_update(struct dvx_rules *rules, uint32_t number, const struct dvx_hws_image *image);
/* Deletes a rule. Its number may be the next rule's. */
int dvx_rules_delete(struct dvx_rules *rules, uint32_t number);
/*
 * Waits until all changes are in effect. Fails if one is not: these calls all return the error of an
 * earlier rule that found no room, with its number in the sentence.
 */
int dvx_rules_flush(struct dvx_rules *rules);
/* Returns how many rules there are. */
uint32_t dvx_rules_count(const struct dvx_rules *rules);

DVX_END_DECLS

#endif
