/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of a row that are data: capabilities, and firmware commands with the answer that is
 * expected. rows.pl has their grammar.
 */
#include "verify.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mlx5dv.h>
#include "src/prm/reflect.h"

#define MAILBOX	   8192
#define STEP_BYTES 2048
#define OBJECTS	   8

/* A command being made, and the objects of those before. */
struct steps {
	struct bench *b;
	struct dvx_obj *objects[OBJECTS];
	uint32_t ids[OBJECTS];
	size_t count;
	const struct prm_struct *in_layout, *out_layout;
	size_t in_len;
	uint64_t in[MAILBOX / 8], out[MAILBOX / 8];
	uint8_t status;
	uint32_t syndrome;
};

/* Ends the process because of a mistake in the table, which tests find. */
static _Noreturn void step_wrong(const char *what, const char *word)
{
	conclude(VERDICT_OPEN, "a mistake of dvx-verify: %s %s", what, word);
}

/* Registers the upper half of the buffer. */
static uint32_t step_umem(struct bench *b, uint32_t access)
{
	struct dvx_umem *umem;

	NEED(dvx_umem_reg(b->dev, b->buf + BENCH_BYTES / 2, BENCH_BYTES / 2, access, &umem));
	return dvx_umem_id(umem);
}

static uint32_t step_cq(struct bench *b)
{
	struct dvx_cq_attr attr = {.size = sizeof(attr), .entries = 1024, .uar = b->uar};
	struct dvx_cq *cq;

	NEED(dvx_cq_create(b->dev, &attr, &cq));
	return cq->cqn;
}

static uint32_t step_eqn(struct bench *b)
{
	uint32_t eqn;

	NEED(-mlx5dv_devx_query_eqn(dvx_dev_ibv(b->dev), 0, &eqn));
	return eqn;
}

/* Returns what $NAME stands for, with what is behind it in *end. */
static uint64_t step_thing(const struct steps *s, const char *name, char **end)
{
	static const char *const things[] = {"pd", "uar", "umem", "readonly", "key", "cq", "eqn"};
	struct bench *b = s->b;
	uint64_t n = strtoull(name, end, 10);
	size_t i = 0;

	if (*end != name)
		return n && n <= s->count ? s->ids[n - 1] : 0;
	*end = (char *)(uintptr_t)name + strspn(name, "abcdefghijklmnopqrstuvwxyz");
	while (i < sizeof(things) / sizeof(things[0]) &&
	       (strlen(things[i]) != (size_t)(*end - name) ||
		strncmp(things[i], name, strlen(things[i])) != 0))
		i++;
	switch (i) {
	case 0:
		return dvx_pd_number(b->pd);
	case 1:
		return dvx_uar_index(b->uar);
	case 2:
		return step_umem(b, DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	case 3:
		return step_umem(b, 0);
	case 4:
		return b->key;
	case 5:
		return step_cq(b);
	case 6:
		return step_eqn(b);
	}
	step_wrong("no thing is called", name);
}

/* Returns a number, a name of the enum `values`, or $ and a thing of the bench. */
static uint64_t step_value(const struct steps *s, const char *word, const struct prm_enum *values)
{
	char *end;
	uint64_t v = strtoull(word, &end, 0);

	if (end != word && !*end)
		return v;
	if (*word == '$') {
		v = step_thing(s, word + 1, &end);
		return v + strtoull(end, NULL, 0);
	}
	for (size_t i = 0; values && i < values->count; i++)
		if (!strcmp(values->values[i].name, word))
			return values->values[i].value;
	step_wrong("no value is called", word);
}

static const struct prm_field *step_field(const struct prm_struct *layout, const char *path,
					  uint64_t *bit)
{
	const struct prm_field *f = prm_find_field(layout, path, bit);

	if (!f)
		step_wrong("no field is called", path);
	if (f->width > 64 || f->type)
		step_wrong("no number:", path);
	return f;
}

/* ---- Capabilities ---- */

static bool step_compare(uint64_t is, const char *op, uint64_t want)
{
	switch (*op) {
	case '=':
		return is == want;
	case '!':
		return is != want;
	case '>':
		return is >= want;
	case '<':
		return is <= want;
	case '&':
		return (is & want) == want;
	case '~':
		return !(is & want);
	}
	step_wrong("no operator is called", op);
}

/* "PAGE.FIELD OP VALUE"; `otherwise` is the answer if it is not so. */
static void step_cap(struct steps *s, char *text, enum verdict otherwise)
{
	const struct prm_enum *types = prm_find_enum("hca_cap_type");
	char *save, *page_name = strtok_r(text, ".", &save), *path = strtok_r(NULL, " ", &save);
	char *op = strtok_r(NULL, " ", &save), *value = strtok_r(NULL, " ", &save);
	uint64_t type = step_value(s, page_name, types), bit, is, want;
	const struct prm_struct *layout = prm_capability((uint32_t)type);
	const struct prm_field *f = step_field(layout, path, &bit);
	const void *page;

	want = step_value(s, value, f->values);
	NEED(dvx_dev_cap_page(s->b->dev, (uint16_t)type, &page));
	is = prm_bits_get(page, bit, f->width);
	if (!step_compare(is, op, want))
		conclude(otherwise, "%s.%s is %#llx, not %s %s", page_name, path,
			 (unsigned long long)is, op, value);
}

/* ---- Commands ---- */

static void step_begin(struct steps *s, const char *name)
{
	const struct prm_enum *opcodes = prm_find_enum("opcode");
	uint64_t opcode = step_value(s, name, opcodes);

	s->in_layout = prm_command_in((uint32_t)opcode);
	s->out_layout = prm_command_out((uint32_t)opcode);
	s->in_len = s->in_layout->bytes;
	memset(s->in, 0, sizeof(s->in));
	memset(s->out, 0, sizeof(s->out));
	prm_field_set(s->in_layout, s->in, sizeof(s->in), "opcode", opcode);
}

/* Returns the layout of the command's general object; NULL: it has none. */
static const struct prm_struct *step_object(const struct steps *s)
{
	uint64_t type;

	if (prm_field_get(s->in_layout, s->in, sizeof(s->in), "obj_type", &type))
		return NULL;
	return prm_object((uint32_t)type);
}

/* Finds a field of a mailbox, or of the general object behind its header ("obj.PATH"). */
static const struct prm_field *step_path(const struct steps *s, const struct prm_struct *mailbox,
					 const char *path, uint64_t *bit)
{
	const struct prm_struct *object = step_object(s);
	const struct prm_field *f;

	if (strncmp(path, "obj.", 4) != 0)
		return step_field(mailbox, path, bit);
	if (!object)
		step_wrong("no layout of the object with", path);
	f = step_field(object, path + 4, bit);
	*bit += 8ull * mailbox->bytes;
	return f;
}

/* Sets a field "PATH=VALUE", a byte "byteN=VALUE", or the mailbox's length "len=BYTES". */
static void step_assign(struct steps *s, char *word)
{
	char *value = strchr(word, '=');
	const struct prm_field *f;
	uint64_t bit, v;
	size_t at;

	if (!value)
		step_wrong("no value for", word);
	*value++ = 0;
	if (!strcmp(word, "len")) {
		s->in_len = (size_t)step_value(s, value, NULL);
	} else if (sscanf(word, "byte%zu", &at) == 1) {
		((uint8_t *)s->in)[at % sizeof(s->in)] = (uint8_t)step_value(s, value, NULL);
	} else {
		f = step_path(s, s->in_layout, word, &bit);
		v = step_value(s, value, f->values);
		if (bit + f->width > 8 * sizeof(s->in))
			step_wrong("too far:", word);
		if (s->in_len < (bit + f->width + 7) / 8)
			s->in_len = (size_t)(bit + f->width + 7) / 8;
		prm_bits_set(s->in, bit, f->width, v);
		if (!strncmp(word, "obj.", 4))
			s->in_len = s->in_layout->bytes + step_object(s)->bytes;
	}
}

static bool step_is(const char *name, const char *kinds)
{
	char kind[16];
	int n;

	for (; sscanf(kinds, "%15s%n", kind, &n) == 1; kinds += n)
		if (!strncmp(name, kind, strlen(kind)))
			return true;
	return false;
}

/* Keeps a new object, whose number is behind the header of the command's output. */
static void step_keep(struct steps *s, struct dvx_obj *obj)
{
	uint32_t id = (uint32_t)prm_bits_get(s->out, 64, 32);

	if (s->count == OBJECTS)
		step_wrong("too many objects", "");
	if (prm_find_field(s->out_layout, "obj_id", &(uint64_t){0}) == NULL)
		id &= 0xffffff;
	s->objects[s->count] = obj;
	s->ids[s->count++] = id;
}

/* Sends the command; DevX takes those of objects by other calls. */
static int step_call(struct steps *s, const char *name)
{
	const struct prm_struct *object = step_object(s);
	size_t out_len =
		s->out_layout->bytes + (object && step_is(name, "QUERY_") ? object->bytes : 0);
	struct dvx_obj *last = s->count ? s->objects[s->count - 1] : NULL;
	struct dvx_obj *obj;
	int err;

	if (step_is(name, "CREATE_ ALLOC_ ATTACH_ SET_FLOW_TABLE_ENTRY")) {
		err = dvx_obj_create(s->b->dev, s->in, s->in_len, s->out, out_len, &obj);
		if (!err)
			step_keep(s, obj);
		return err;
	}
	if (last && step_is(name, "QUERY_"))
		return dvx_obj_query(last, s->in, s->in_len, s->out, out_len);
	if (last && step_is(name, "MODIFY_ RST2 INIT2 RTR2 RTS2 2RST 2ERR SQERR2 DRAIN_ ARM_"))
		return dvx_obj_modify(last, s->in, s->in_len, s->out, out_len);
	return dvx_cmd(s->b->dev, s->in, s->in_len, s->out, out_len);
}

static void step_send(struct steps *s, const char *name)
{
	int err = step_call(s, name);
	const struct dvx_error *e = dvx_last_error();

	s->status = err ? e->status : 0;
	s->syndrome = err ? e->syndrome : 0;
	if (err && !e->status)
		conclude(VERDICT_OPEN, "%s: %s; the kernel returned no status of the firmware",
			 name, dvx_strerror(err));
}

/* Compares the answer with "STATUS[|STATUS...] [FIELD=VALUE...]". */
static void step_expect(const struct steps *s, const char *name, char *text)
{
	char *save, *word = strtok_r(text, " ", &save), *value, wanted[64], *rest, *one;
	const struct prm_field *f;
	uint64_t bit, is;
	bool as_wanted = false;
	size_t at;

	snprintf(wanted, sizeof(wanted), "%s", word);
	for (one = strtok_r(word, "|", &rest); one; one = strtok_r(NULL, "|", &rest))
		as_wanted |= strcmp(one, "REFUSED") != 0
				     ? s->status == step_value(s, one, prm_find_enum("status"))
				     : s->status != 0;
	EXPECT(as_wanted, "%s: %s (0x%x), syndrome 0x%x, not %s", name, prm_status_name(s->status),
	       s->status, s->syndrome, wanted);
	while ((word = strtok_r(NULL, " ", &save))) {
		value = strchr(word, '=');
		if (!value)
			step_wrong("no value for", word);
		*value++ = 0;
		if (sscanf(word, "byte%zu", &at) == 1) {
			is = ((const uint8_t *)s->out)[at % sizeof(s->out)];
			f = NULL;
		} else {
			f = step_path(s, s->out_layout, word, &bit);
			is = prm_bits_get(s->out, bit, f->width);
		}
		EXPECT(is == step_value(s, value, f ? f->values : NULL), "%s: %s is %#llx, not %s",
		       name, word, (unsigned long long)is, value);
	}
}

/* "COMMAND FIELD=VALUE... [-> ...]" */
static void step_command(struct steps *s, char *text, bool must)
{
	char *expected = strstr(text, " -> "), *save, *word, *name;

	if (!expected == must)
		step_wrong("an answer must be expected of cmd alone:", text);
	if (expected)
		*expected = 0;
	name = strtok_r(text, " ", &save);
	if (!s->b->pd)
		bench_make(s->b);
	step_begin(s, name);
	while ((word = strtok_r(NULL, " ", &save)))
		step_assign(s, word);
	step_send(s, name);
	if (must)
		step_expect(s, name, expected + 4);
	else if (s->status)
		conclude(VERDICT_OPEN, "%s, which the check needs: %s (0x%x), syndrome 0x%x", name,
			 prm_status_name(s->status), s->status, s->syndrome);
}

void steps_run(struct bench *b, const char *const *steps)
{
	struct steps *s = calloc(1, sizeof(*s));
	char line[STEP_BYTES], *text;

	if (!s)
		conclude(VERDICT_OPEN, "no memory");
	s->b = b;
	for (; *steps; steps++) {
		snprintf(line, sizeof(line), "%s", *steps);
		text = strchr(line, ' ') + 1;
		if (!strncmp(line, "cap ", 4))
			step_cap(s, text, VERDICT_CONTRADICTED);
		else if (!strncmp(line, "if ", 3))
			step_cap(s, text, VERDICT_OPEN);
		else
			step_command(s, text, !strncmp(line, "cmd ", 4));
	}
	free(s);
}
