/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains lines about the device, its driver and its objects, from the tables of topics. */
#include "explain.h"

#include <string.h>
#include "said.h"

static void tell_opcode(struct finding *f, unsigned int op)
{
	fact(f, "opcode", op);
	fact_name(f, "opcode_name", prm_opcode_name(op));
	tell(f, "command", NULL, "opcode 0x%x %s: %s; dvx-prm show %s has its fields", op,
	     prm_opcode_name(op), prm_command_in(op)->text, prm_command_in(op)->name);
}

/*
 * What the line's word and its number (or errno) say; the number knows better what to do. Errnos
 * are negative in the tables: a reason of RDMA_CM may have the same number.
 */
static void tell_details(struct finding *f, const struct topic *t, const struct said *s)
{
	bool bare = !*s->word && !said_has(s, SAID_ERRNO);
	const struct topic_detail *word = topic_of_word(s->topic, bare ? TOPIC_NO_ERRNO : s->word);
	const struct topic_detail *number = NULL;
	const char *remedy = t->remedy;

	if (said_has(s, SAID_NUMBER))
		number = topic_of_number(s->topic, (int64_t)s->value[SAID_NUMBER]);
	else if (said_has(s, SAID_ERRNO))
		number = topic_of_errno(s->topic, (int64_t)s->value[SAID_ERRNO]);
	if (word)
		tell(f, "detail", NULL, "%s", word->text);
	if (number)
		tell(f, "detail", NULL, "%s", number->text);
	if (word && word->remedy)
		remedy = word->remedy;
	if (number && number->remedy)
		remedy = number->remedy;
	if (remedy)
		tell(f, "remedy", NULL, "%s", remedy);
	tell(f, "source", NULL, "%s%s", t->source,
	     remedy ? " (the remedy is dvx's own advice)" : "");
}

/* Reads of a device that is gone from PCI give ones. */
static bool health_is_gone(const struct health *h)
{
	for (size_t i = 0; i < sizeof(h->bytes); i++)
		if (h->bytes[i] && h->bytes[i] != 0xff)
			return false;
	return h->bytes[0] == 0xff;
}

static void tell_reason(struct finding *f, const struct health *h)
{
	const struct prm_enum *e = prm_find_enum("health_syndrome");
	uint64_t synd = field(f, "health_buffer", 0, "synd");

	if (!health_has(h, "synd")) {
		tell(f, "what", NULL, "the line with synd, which names the reason, is not here");
		return;
	}
	fact(f, "health_syndrome", synd);
	if (health_is_gone(h)) {
		tell(f, "what", "synd",
		     "all fields are ones: reads of the device do not work, it is gone from PCI "
		     "(slot, link, power, or another reset); the report itself says nothing");
		return;
	}
	tell(f, "what", "synd", "reason 0x%02x %s: %s", (unsigned int)synd, prm_enum_name(e, synd),
	     *prm_enum_text(e, synd) ? prm_enum_text(e, synd) : "no public source has it");
	tell_cause(f, e, synd);
}

static void explain_health(struct finding *f, const struct said *s, const struct topic *t)
{
	const struct dump *line = f->d;
	struct dump d = *line;

	d.bytes = s->health.bytes;
	d.len = sizeof(s->health.bytes);
	f->d = &d;
	snprintf(f->what, sizeof(f->what), "%s%s%s", t->what, *s->health.device ? " of " : "",
		 s->health.device);
	tell(f, "lines", NULL, "%zu lines of the report are here", s->times);
	if (*s->health.firmware) {
		tell(f, "firmware", NULL, "firmware %s", s->health.firmware);
		fact_name(f, "firmware", s->health.firmware);
	}
	if (*s->health.device)
		fact_name(f, "device", s->health.device);
	tell_reason(f, &s->health);
	if (health_has(&s->health, "ext_synd"))
		fact(f, "ext_synd", field(f, "health_buffer", 0, "ext_synd"));
	tell(f, "known", NULL, "%s", t->known);
	tell_details(f, t, s);
	part(f, prm_find_struct("health_buffer"), 0, d.len);
	f->d = line;
}

void explain_topic(struct finding *f, const struct said *s)
{
	const struct topic *t = &topics[s->topic];

	fact_name(f, "topic", t->name);
	if (s->topic == TOPIC_HEALTH_REPORT) {
		explain_health(f, s, t);
		return;
	}
	snprintf(f->what, sizeof(f->what), "%s, reported by %s", t->what, s->who);
	if (*s->call)
		tell(f, "about", NULL, "%s", s->call);
	if (*s->word)
		fact_name(f, "word", s->word);
	if (said_has(s, SAID_COMMAND))
		tell_opcode(f, said_value(s, SAID_COMMAND));
	if (said_has(s, SAID_NUMBER))
		fact(f, "number", s->value[SAID_NUMBER]);
	if (said_has(s, SAID_QPN))
		fact(f, "number_of_object", s->value[SAID_QPN]);
	if (said_has(s, SAID_ERRNO))
		tell_errno(f, s);
	tell(f, "known", NULL, "%s", t->known);
	tell_details(f, t, s);
}
