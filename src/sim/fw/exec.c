/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <dvx/prm/hws.h>
#include "cmd.h"
#include "base/inject.h"
#include "base/log.h"
#include "base/probe.h"
#include "queue/queue.h"
#include "prm/reflect.h"

/* Minimum lengths are the sizes of a command's structures. */
static const struct fw_row rows[] = {
#define ROW(OP, fn, fl, ...)                                                   \
	{.opcode = PRM_OPCODE_##OP,                                            \
	 .in_bytes = PRM_##OP##_IN_BYTES,                                      \
	 .out_bytes = (fl)&FW_CUT ? PRM_MBOX_OUT_BYTES : PRM_##OP##_OUT_BYTES, \
	 .name = #OP,                                                          \
	 .handler = fw_##fn,                                                   \
	 .flags = (fl),                                                        \
	 __VA_ARGS__},
#define COMMAND(OP, fn, fl) ROW(OP, fn, fl, .id = NULL)
#define NAMED(OP, fn, fl, ty, in, f) \
	ROW(OP, fn, fl, .type = OBJ_##ty, .id = prm_##in##_get_##f, .field = #f)
#include "commands.def"
};

static const struct {
	uint32_t syndrome;
	uint8_t status;
	const char *text;
} syndromes[] = {
#define FW_SYNDROME(number, name, status, text) \
	{FW_SYNDROME_BASE | (number), PRM_STATUS_##status, text},
#include "syndromes.def"
#undef FW_SYNDROME
};

const char *fw_syndrome_text(uint32_t syndrome)
{
	for (size_t i = 0; i < sizeof(syndromes) / sizeof(syndromes[0]); i++)
		if (syndromes[i].syndrome == syndrome)
			return syndromes[i].text;
	return NULL;
}

int fw_refuse(struct fw_cmd *c, enum fw_syndrome syndrome, const char *fmt, ...)
{
	unsigned int i = 0;
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	while (syndromes[i].syndrome != (uint32_t)syndrome)
		i++;
	return fw_refuse_as(c, syndromes[i].status, syndrome, "%s", why);
}

int fw_refuse_as(struct fw_cmd *c, uint8_t status, enum fw_syndrome syndrome, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	sim_refuse("%s (vhca %u, uid %u): %s", c->name, c->vhca->id, c->uid, why);
	memset(c->out, 0, c->out_len);
	prm_store8(c->out, 0, status);
	prm_store32(c->out, 4, (uint32_t)syndrome);
	return -1;
}

void *fw_find_or_alias(struct fw_cmd *c, enum obj_type type, uint32_t id, const char *field)
{
	void *o = obj_find_uid(c->vhca, type, id, c->uid);

	if (!o)
		fw_refuse(c, FW_SYN_NO_OBJECT, "%s 0x%x names no %s of this uid", field, id,
			  obj_type_name(type));
	return o;
}

void *fw_find(struct fw_cmd *c, enum obj_type type, uint32_t id, const char *field)
{
	struct obj *o = fw_find_or_alias(c, type, id, field);

	if (!o || !o->alias)
		return o;
	fw_refuse(c, FW_SYN_NO_OBJECT, "%s 0x%x is the alias of a %s, which cannot be used here",
		  field, id, obj_type_name(type));
	return NULL;
}

void *fw_take(struct fw_cmd *c, enum obj_type type, uint32_t id, const char *field)
{
	struct obj *o = fw_find(c, type, id, field);

	if (o)
		obj_get(o);
	return o;
}

void *fw_take_shared(struct fw_cmd *c, enum obj_type type, uint32_t id, const char *field)
{
	struct obj *o = obj_find(c->vhca, type, id);

	if (!o || o->uid)
		return fw_take(c, type, id, field);
	obj_get(o);
	return o;
}

void *fw_new(struct fw_cmd *c, enum obj_type type, size_t size)
{
	void *o = obj_new(c->vhca, type, c->uid, size);

	if (o)
		return o;
	if (obj_full(c->vhca, type))
		fw_refuse(c, FW_SYN_LIMIT, "%u %s objects exist, no more fit",
			  obj_count(c->vhca, type), obj_type_name(type));
	else
		fw_refuse(c, FW_SYN_MEMORY, "no memory for one more %s object",
			  obj_type_name(type));
	return NULL;
}

int fw_check_absent(struct fw_cmd *c, const struct fw_absent *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].value)
			return fw_refuse(c, FW_SYN_CAP_CLEAR, "%s is %u: %s", a[i].field,
					 a[i].value, a[i].why);
	return 0;
}

int fw_reply_fits(struct fw_cmd *c, size_t bytes)
{
	if (c->out_len >= bytes)
		return 0;
	return fw_refuse(c, FW_SYN_OUT_SHORT, "the reply mailbox has %zu bytes, %zu are needed",
			 c->out_len, bytes);
}

int fw_list_fits(struct fw_cmd *c, size_t head, uint64_t n, const char *list)
{
	if (c->in_len >= head && n <= (c->in_len - head) / 8)
		return fw_nothing_after(c, head + (size_t)n * 8);
	return fw_refuse(c, FW_SYN_IN_SHORT,
			 "%s needs %" PRIu64 " entries, the mailbox of %zu bytes holds %zu", list,
			 n, c->in_len, c->in_len < head ? 0 : (c->in_len - head) / 8);
}

/*
 * [I] Accepts a longer mailbox if the rest is zero: programs are built against structures of
 * several versions, whose reserved tails differ.
 */
int fw_nothing_after(struct fw_cmd *c, size_t end)
{
	const uint8_t *in = c->in;

	for (size_t i = end; i < c->in_len; i++)
		if (in[i])
			return fw_refuse(
				c, FW_SYN_IN_LONG,
				"byte %zu of the mailbox is 0x%02x, the command ends at %zu", i,
				in[i], end);
	return 0;
}

/* --- reserved bits: those that belong to no field of a structure --- */

#define UID_AT 2u

/*
 * Clears n bits from bit on. [I] Reserved bits are checked in all commands; it is known of a QP's
 * context, where a device refuses unknown bits (UCX pull 10478).
 */
static void reserved_clear_bits(uint8_t *p, uint64_t bit, uint64_t n)
{
	for (; n && bit % 8; bit++, n--)
		p[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
	memset(p + bit / 8, 0, n / 8);
	for (bit += n / 8 * 8, n %= 8; n; bit++, n--)
		p[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
}

/* Clears all bits that belong to a field, including each alternative of a union. */
static void reserved_clear_fields(const struct prm_struct *s, uint8_t *p)
{
	for (size_t i = 0; i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];

		for (uint32_t n = 0; f->type && n < f->count; n++)
			reserved_clear_fields(f->type, p + (f->offset + n * f->width) / 8);
		if (!f->type)
			reserved_clear_bits(p, f->offset, (uint64_t)f->width * f->count);
	}
}

/*
 * Appends to path the names that lead to the innermost structure with this bit, and makes *bit
 * relative to that structure.
 */
static void reserved_name(const struct prm_struct *s, uint64_t *bit, char *path, size_t size)
{
	for (size_t i = 0; i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];
		const size_t at = strlen(path);

		if (!f->type || *bit < f->offset ||
		    *bit >= f->offset + (uint64_t)f->width * f->count)
			continue;
		snprintf(path + at, size - at, "%s%s", at ? "." : "", f->name);
		*bit = (*bit - f->offset) % f->width;
		reserved_name(f->type, bit, path, size);
		return;
	}
}

static int reserved_refuse(struct fw_cmd *c, const struct prm_struct *s, const uint8_t *left)
{
	uint64_t bit = 0;
	char path[128] = "";

	while (!(left[bit / 8] & 0x80u >> bit % 8))
		bit++;
	reserved_name(s, &bit, path, sizeof(path));
	return fw_refuse(c, FW_SYN_RESERVED, "bit 0x%" PRIx64 " of %s is set: it is reserved", bit,
			 *path ? path : s->name);
}

int fw_check_reserved(struct fw_cmd *c, const struct prm_struct *s, size_t at)
{
	uint8_t left[1024];

	if (!s || s->bytes > sizeof(left) || c->in_len < at + s->bytes)
		return 0;
	memcpy(left, (const uint8_t *)c->in + at, s->bytes);
	reserved_clear_fields(s, left);
	if (!at) /* the kernel writes the uid into all commands, but queries have no such field */
		memset(left + UID_AT, 0, 2);
	for (size_t i = 0; i < s->bytes; i++)
		if (left[i])
			return reserved_refuse(c, s, left);
	return 0;
}

/* --- execution --- */

static const struct fw_row *fw_exec_find_row(uint16_t opcode)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}

/* Checks of every command, made before its handler reads a field. */
static int fw_exec_admit(struct fw_cmd *c, const struct fw_row *row)
{
	if (!row)
		return fw_refuse(c, FW_SYN_OPCODE, "opcode 0x%x is not implemented", c->opcode);
	if ((row->flags & FW_KERNEL) && c->uid)
		return fw_refuse(c, FW_SYN_PRIVILEGED, "uid is %u, only the kernel (0) may do this",
				 c->uid);
	if (c->in_len < row->in_bytes || c->in_len % 4)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, %u and whole dwords are needed",
				 c->in_len, row->in_bytes);
	if (fw_reply_fits(c, row->out_bytes))
		return -1;
	if (!(row->flags & FW_OP_MOD) && c->op_mod)
		return fw_refuse(c, FW_SYN_OP_MOD, "op_mod is 0x%x, this command has only 0",
				 c->op_mod);
	if (!(row->flags & FW_TAIL) && fw_nothing_after(c, row->in_bytes))
		return -1;
	if (fw_check_reserved(c, prm_command_in(c->opcode), 0))
		return -1;
	c->obj = row->id ? fw_find(c, row->type, row->id(c->in), row->field) : NULL;
	return row->id && !c->obj ? -1 : 0;
}

/* Returns whether the command meets a requested fault (base/inject.h), and answers it then. */
static bool fw_exec_injected(struct fw_cmd *c)
{
	const struct inject_fault *f =
		inject_active(INJECT_COMMAND) ? inject_count(INJECT_COMMAND, c->opcode) : NULL;

	if (!f)
		return false;
	sim_note("%s: answered by a requested fault", c->name);
	prm_store8(c->out, 0, f->status);
	prm_store32(c->out, 4, f->syndrome);
	return true;
}

void fw_exec(struct vhca *v, const void *in, size_t in_len, void *out, size_t out_len)
{
	struct fw_cmd c = {
		.vhca = v,
		.in = in,
		.in_len = in_len,
		.out = out,
		.out_len = out_len,
	};
	const struct fw_row *row;

	memset(out, 0, out_len);
	if (in_len < 8) {
		c.name = "command";
		fw_refuse(&c, FW_SYN_IN_SHORT, "the mailbox has %zu bytes, not even a header of 8",
			  in_len);
		return;
	}
	c.opcode = prm_load16(in, 0);
	c.uid = prm_load16(in, 2);
	c.op_mod = prm_load16(in, 6);
	row = fw_exec_find_row(c.opcode);
	c.name = row ? row->name : prm_opcode_name(c.opcode);
	queues_settle_all(v->dev);
	if (!fw_exec_injected(&c) && fw_exec_admit(&c, row) == 0)
		row->handler(&c);
	probe(PROBE_COMMAND, .command = &c);
}
