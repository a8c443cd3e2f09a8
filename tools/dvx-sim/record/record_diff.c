/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvx-sim diff: whether two recordings have the same work, queue by queue. Their queues are paired by
 * their work, else by their order, as numbers and addresses differ from run to run (doc/design/0104).
 */
#include "tools/dvx-sim/dvx-sim.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recording.h"
#include "src/prm/reflect.h"

/* Fields that differ between two runs of a program: addresses, numbers of objects, PSNs, time. */
static const char *const diff_ignored[] = {
	"*addr*",      "va",	       "va_?",	     "*key",	  "*key_*",   "*rlky",
	"pd",	       "*qpn",	       "qpn_*",	     "*cqn*",	  "*srqn*",   "*eqn*",
	"*umem_id",    "*umem_offset", "*psn",	     "uar*",	  "pas",      "uid",
	"rgid_rip",    "rgid",	       "*xrcd*",     "*dbr*",	  "remote_*", "counter_*",
	"owner",       "signature",    "timestamp*", "*pointer*", "tir*",     "tis*",
	"*table_id",   "group_id",     "user_index", "uidx",	  "dqp_dct",  "*handle",
	"page_offset", "*obj_id*",     "xrqn",	     "rqn",	  "sqn",      "udp_sport",
	"dest",	       "flow_label",   "smac*",	     "rmac*",	  "wqe_id",   "*memory*",
	"cq_context",  "log_page_size"};

/* The bits of a structure that are compared. */
struct rdiff_mask {
	struct rdiff_mask *next;
	const struct prm_struct *s;
	uint8_t bits[];
};
static struct rdiff_mask *rdiff_masks;

/* The work of one queue, or the commands or calls of one kind, in their order. */
struct rdiff_stream {
	char class[80]; /* streams are paired with those of their class */
	char name[64];	/* for people: with its number */
	uint64_t key[2];
	char **items;
	size_t n, used, room; /* used, room: bytes of the last item */
	uint32_t index;	      /* of the last WQE */
	struct rdiff_stream *pair;
};
struct rdiff_side {
	struct recording r;
	struct rdiff_stream *streams;
	size_t n;
	bool failed; /* out of memory */
};

/* --- an event as text without what differs ---------------------------------------------------- */

static bool rdiff_is_ignored(const struct prm_field *f)
{
	for (size_t i = 0; i < sizeof(diff_ignored) / sizeof(diff_ignored[0]); i++)
		if (!fnmatch(diff_ignored[i], f->name, 0))
			return true;
	return false;
}

static void rdiff_mask_field(uint8_t *bits, size_t len, uint64_t at, uint64_t width)
{
	for (; width && at < (uint64_t)len * 8; at++, width--)
		bits[at / 8] &= (uint8_t) ~(0x80u >> at % 8);
}

/* Clears the bits of ignored fields of a structure that begins at a bit. */
static void rdiff_mask_fill(uint8_t *bits, size_t len, const struct prm_struct *s, uint64_t from)
{
	for (size_t i = 0; i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];
		const uint64_t at = from + f->offset;

		if (rdiff_is_ignored(f))
			rdiff_mask_field(bits, len, at, (uint64_t)f->width * f->count);
		for (uint32_t n = 0; f->type && n < f->count; n++)
			rdiff_mask_fill(bits, len, f->type, at + (uint64_t)n * f->width);
	}
}

static const struct rdiff_mask *rdiff_mask_of(const struct prm_struct *s)
{
	struct rdiff_mask *m = rdiff_masks;

	while (m && m->s != s)
		m = m->next;
	if (m)
		return m;
	m = malloc(sizeof(*m) + s->bytes);
	if (!m)
		return NULL;
	m->s = s;
	m->next = rdiff_masks;
	rdiff_masks = m;
	memset(m->bits, 0xff, s->bytes);
	rdiff_mask_fill(m->bits, s->bytes, s, 0);
	return m;
}

/* Appends a structure's fields that are compared; what follows the structure is not. */
static void rdiff_add_struct(char *text, size_t size, const struct prm_struct *s,
			     const uint8_t *bytes, size_t len)
{
	const struct rdiff_mask *m = s ? rdiff_mask_of(s) : NULL;
	const size_t used = strlen(text);
	uint8_t *copy;

	if (!m)
		return;
	len = len < s->bytes ? len : s->bytes;
	copy = malloc(len + 1);
	for (size_t i = 0; copy && i < len; i++)
		copy[i] = bytes[i] & m->bits[i];
	if (copy)
		prm_print_line(text + used, size - used, s, copy, len);
	free(copy);
}

static void rdiff_command(const struct record_command *c, char *text, size_t size)
{
	size_t at;
	const struct prm_struct *reply = recorded_reply(c, &at);

	rdiff_add_struct(text, size, prm_command_in(c->opcode), recorded_in(c), c->in_kept);
	if (strlen(text) + 8 < size)
		strcat(text, " -> ");
	rdiff_add_struct(text, size, reply, recorded_out(c) + at, c->out_kept - at);
}

static void rdiff_text(const struct record_head *h, char *text, size_t size)
{
	const struct record_wqe *w = record_body(h);
	const struct record_cqe *c = record_body(h);
	const struct record_eqe *e = record_body(h);
	const struct record_call *call = record_body(h);
	const struct record_post *p = record_body(h);
	const struct record_completion *done = record_body(h);

	*text = 0;
	if (h->kind == RECORD_COMMAND)
		rdiff_command(record_body(h), text, size);
	else if (h->kind == RECORD_WQE)
		rdiff_add_struct(text, size, prm_find_struct(w->layout), (const uint8_t *)(w + 1),
				 w->kept);
	else if (h->kind == RECORD_CQE)
		rdiff_add_struct(text, size, prm_find_struct(recorded_layout(c)), c->bytes,
				 sizeof(c->bytes));
	else if (h->kind == RECORD_EQE)
		rdiff_add_struct(text, size, prm_find_struct("eqe"), e->bytes, sizeof(e->bytes));
	else if (h->kind == RECORD_CALL)
		snprintf(text, size, "%s errno %d", (const char *)(call + 1), call->err);
	else if (h->kind == RECORD_POST)
		snprintf(text, size, "%s bytes %u pieces %u flags 0x%x errno %d",
			 recorded_opcode(p), p->bytes, p->sges, p->flags, p->err);
	else
		snprintf(text, size, "status %u opcode %u bytes %u vendor_err 0x%x", done->status,
			 done->opcode, done->bytes, done->vendor_err);
	recorded_clean(text);
}

/* --- streams --------------------------------------------------------------------------------- */

/* Sets class, name and key of the stream that a CQE belongs to: its queue, by its side. */
static void rdiff_stream_of_cqe(const struct record_cqe *c, struct rdiff_stream *s)
{
	const unsigned int opcode = prm_bits_get(c->bytes, 63 * 8, 4) & 15;
	const bool sends = opcode == PRM_CQE_OPCODE_REQ || opcode == PRM_CQE_OPCODE_REQ_ERR;
	uint64_t qpn = 0;

	prm_field_get(prm_find_struct("cqe64"), c->bytes, sizeof(c->bytes), "qpn", &qpn);
	snprintf(s->class, sizeof(s->class), "completions of %s", sends ? "sends" : "receives");
	snprintf(s->name, sizeof(s->name), "qp 0x%x", (unsigned int)qpn);
	s->key[0] = c->vhca;
	s->key[1] = qpn;
}

/* Returns whether an event is compared, and sets its stream. */
static bool rdiff_stream_of(const struct record_head *h, struct rdiff_stream *s)
{
	const struct record_command *cmd = record_body(h);
	const struct record_wqe *w = record_body(h);
	const struct record_eqe *e = record_body(h);
	const struct record_post *p = record_body(h);
	const struct record_completion *done = record_body(h);
	const char *call = (const char *)((const struct record_call *)record_body(h) + 1);

	*s = (struct rdiff_stream){0};
	switch (h->kind) {
	case RECORD_COMMAND:
		snprintf(s->class, sizeof(s->class), "%s %s",
			 cmd->vhca == RECORD_NO_VHCA ? "DevX calls" : "commands",
			 prm_opcode_name(cmd->opcode));
		return true;
	case RECORD_WQE:
		snprintf(s->class, sizeof(s->class), "WQEs of %s", recorded_ring(w->ring));
		snprintf(s->name, sizeof(s->name), "%s 0x%x", recorded_queue(w->ring), w->queue);
		s->key[0] = w->vhca;
		s->key[1] = w->queue;
		return true;
	case RECORD_CQE:
		rdiff_stream_of_cqe(record_body(h), s);
		return true;
	case RECORD_EQE: /* when a CQ has an event depends on time */
		snprintf(s->class, sizeof(s->class), "events %s", prm_event_name(e->bytes[1]));
		return e->bytes[1] != PRM_EVENT_COMP;
	case RECORD_CALL:
		snprintf(s->class, sizeof(s->class), "calls %.*s", (int)strcspn(call, " "), call);
		recorded_clean(s->class);
		return true;
	case RECORD_POST:
		snprintf(s->class, sizeof(s->class), "posts to %s", recorded_ring(p->ring));
		snprintf(s->name, sizeof(s->name), "%s 0x%x", recorded_queue(p->ring), p->queue);
		s->key[0] = p->ring == RECORD_SRQ ? h->pid : 0; /* a handle is the process's */
		s->key[1] = p->queue;
		return true;
	case RECORD_COMPLETION:
		snprintf(s->class, sizeof(s->class), "polled completions of %s",
			 done->status			   ? "failed requests"
			 : record_is_receive(done->opcode) ? "receives"
							   : "sends");
		snprintf(s->name, sizeof(s->name), "qp 0x%x", done->qp);
		s->key[1] = done->qp;
		return true;
	default:
		return false;
	}
}

static struct rdiff_stream *rdiff_find(struct rdiff_side *side, const struct rdiff_stream *s)
{
	struct rdiff_stream *more;

	for (size_t i = 0; i < side->n; i++)
		if (!memcmp(side->streams[i].key, s->key, sizeof(s->key)) &&
		    !strcmp(side->streams[i].class, s->class))
			return &side->streams[i];
	more = realloc(side->streams, (side->n + 1) * sizeof(*more));
	if (!more)
		return NULL;
	side->streams = more;
	side->streams[side->n] = *s;
	return &side->streams[side->n++];
}

/* Whether an event is a further part of the last item: the segments of a WQE. */
static bool rdiff_continues(const struct rdiff_stream *s, const struct record_head *h)
{
	const struct record_wqe *w = record_body(h);

	return h->kind == RECORD_WQE && s->n && s->index == w->index &&
	       strcmp(w->layout, "wqe_ctrl_seg") != 0;
}

/* Appends to the last item, whose room doubles. */
static bool rdiff_join(struct rdiff_stream *s, const char *text)
{
	const size_t used = s->used + strlen(text) + 2;
	char **last = &s->items[s->n - 1], *more = *last;

	if (used >= s->room) {
		more = realloc(more, 2 * used);
		if (!more)
			return false;
		*last = more;
		s->room = 2 * used;
	}
	snprintf(more + s->used, s->room - s->used, "; %s", text);
	s->used = used;
	return true;
}

static bool rdiff_add(struct rdiff_stream *s, const struct record_head *h, const char *text)
{
	char **more;

	if (rdiff_continues(s, h))
		return rdiff_join(s, text);
	more = s->n & (s->n - 1) ? s->items
				 : realloc(s->items, (s->n ? 2 * s->n : 1) * sizeof(*more));
	if (!more)
		return false;
	s->items = more;
	s->used = strlen(text);
	s->room = s->used + 1;
	s->items[s->n] = strdup(text);
	return s->items[s->n++];
}

static bool rdiff_take(struct rdiff_side *side)
{
	static char text[RECORDED_TEXT];
	struct rdiff_stream like, *s;

	for (size_t i = 0; i < side->r.n; i++) {
		const struct record_head *h = side->r.events[i];

		if (!rdiff_stream_of(h, &like))
			continue;
		s = rdiff_find(side, &like);
		rdiff_text(h, text, sizeof(text));
		if (!s || !rdiff_add(s, h, text)) {
			message_print("out of memory for %s", side->r.path);
			return false;
		}
		if (h->kind == RECORD_WQE)
			s->index = ((const struct record_wqe *)record_body(h))->index;
	}
	return true;
}

/* --- comparison ------------------------------------------------------------------------------ */

/* Returns the first item that differs; n of both: none does. */
static size_t rdiff_first(const struct rdiff_stream *a, const struct rdiff_stream *b)
{
	const size_t n = a->n < b->n ? a->n : b->n;
	size_t i = 0;

	while (i < n && !strcmp(a->items[i], b->items[i]))
		i++;
	return i;
}

/* Pairs streams of a class: those with the same items, or (any) in their order. */
static void rdiff_pair(struct rdiff_side *a, struct rdiff_side *b, bool any)
{
	for (struct rdiff_stream *x = a->streams; x < a->streams + a->n; x++)
		for (struct rdiff_stream *y = b->streams; !x->pair && y < b->streams + b->n; y++) {
			if (y->pair || strcmp(x->class, y->class) != 0 ||
			    (!any && (x->n != y->n || rdiff_first(x, y) != x->n)))
				continue;
			x->pair = y;
			y->pair = x;
		}
}

static void rdiff_print_item(char sign, const struct rdiff_stream *s, size_t i)
{
	if (s && i < s->n)
		printf("%c %s\n", sign, s->items[i]);
}

/* Prints the first difference of two streams; one of them may be missing. */
static void rdiff_print(const struct rdiff_stream *a, const struct rdiff_stream *b)
{
	const struct rdiff_stream *s = a ? a : b;
	const size_t at = a && b ? rdiff_first(a, b) : 0;

	printf("%s%s%s", s->class, *s->name ? " of " : "", s->name);
	if (a && b && strcmp(a->name, b->name) != 0)
		printf(" (%s)", b->name);
	printf(": %zu and %zu, the first difference is number %zu\n", a ? a->n : 0, b ? b->n : 0,
	       at + 1);
	rdiff_print_item('-', a, at);
	rdiff_print_item('+', b, at);
}

static bool rdiff_print_all(const struct rdiff_side *a, const struct rdiff_side *b)
{
	bool differ = false;

	for (const struct rdiff_stream *x = a->streams; x < a->streams + a->n; x++)
		if (!x->pair || x->n != x->pair->n || rdiff_first(x, x->pair) != x->n) {
			rdiff_print(x, x->pair);
			differ = true;
		}
	for (const struct rdiff_stream *y = b->streams; y < b->streams + b->n; y++)
		if (!y->pair) {
			rdiff_print(NULL, y);
			differ = true;
		}
	return differ;
}

static void rdiff_free(struct rdiff_side *side)
{
	for (size_t i = 0; i < side->n; i++) {
		for (size_t n = 0; n < side->streams[i].n; n++)
			free(side->streams[i].items[n]);
		free(side->streams[i].items);
	}
	free(side->streams);
	recording_free(&side->r);
}

static int rdiff_compare(struct rdiff_side *a, struct rdiff_side *b)
{
	const int lacks_a = recording_judge(&a->r), lacks_b = recording_judge(&b->r);
	bool differ;

	if (lacks_a == EXIT_INPUT || lacks_b == EXIT_INPUT || !rdiff_take(a) || !rdiff_take(b))
		return EXIT_INPUT;
	rdiff_pair(a, b, false);
	rdiff_pair(a, b, true);
	differ = rdiff_print_all(a, b);
	return differ || lacks_a || lacks_b ? EXIT_NO : EXIT_DONE;
}

int cmd_record_diff(const struct sim_args *args)
{
	struct rdiff_side a = {0}, b = {0};
	int code = EXIT_INPUT;

	if (recording_load(&a.r, args->argv[0]) && recording_load(&b.r, args->argv[1]))
		code = rdiff_compare(&a, &b);
	rdiff_free(&a);
	rdiff_free(&b);
	while (rdiff_masks) {
		struct rdiff_mask *m = rdiff_masks;

		rdiff_masks = m->next;
		free(m);
	}
	return code;
}
