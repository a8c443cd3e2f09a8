/* SPDX-License-Identifier: BSD-2-Clause */
#include "byte_access.h"

#ifdef __x86_64__
#include <string.h>

#define REX_W 8u
#define REX_R 4u

enum { MOV_FROM_REG = 0x88, MOV_TO_REG = 0x8a, MOV_CONSTANT = 0xc6, TWO_BYTES = 0x0f };
enum { MOVZX = 0xb6, MOVSX = 0xbe };

static const int greg[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
			     REG_RSI, REG_RDI, REG_R8,	REG_R9,	 REG_R10, REG_R11,
			     REG_R12, REG_R13, REG_R14, REG_R15};

struct prefixes {
	bool narrow; /* operands have 16 bits */
	uint8_t rex; /* 0: no REX */
};

/* Skips prefixes. Segments and address size change only the address, which the fault has. */
static const uint8_t *prefixes_read(const uint8_t *at, struct prefixes *p)
{
	*p = (struct prefixes){0};
	for (; memchr("\x66\x67\x2e\x36\x3e\x26\x64\x65", *at, 8); at++)
		p->narrow |= *at == 0x66;
	if ((*at & 0xf0) == 0x40)
		p->rex = *at++;
	return at;
}

/* Returns the end of ModRM, SIB and displacement, or NULL if the operand is a register. */
static const uint8_t *operand_end(const uint8_t *at)
{
	const uint8_t mod = *at >> 6, rm = *at & 7;
	uint8_t base = rm;

	if (mod == 3)
		return NULL;
	at++;
	if (rm == 4)
		base = *at++ & 7;
	if (mod == 0)
		return base == 5 ? at + 4 : at;
	return at + (mod == 1 ? 1 : 4);
}

/* Finds the register. Without REX, 4 to 7 are the second bytes of the first four registers. */
static void register_find(struct byte_access *a, const struct prefixes *p, uint8_t modrm,
			  ucontext_t *uc)
{
	const uint8_t n = (uint8_t)((modrm >> 3 & 7) | (p->rex & REX_R ? 8 : 0));
	const bool high = a->bits == 8 && !p->rex && n >= 4;

	a->whole = (uint64_t *)&uc->uc_mcontext.gregs[greg[high ? n - 4 : n]];
	a->low = (uint8_t *)a->whole + high;
}

static const uint8_t *opcode_read(struct byte_access *a, const struct prefixes *p,
				  const uint8_t *at, uint8_t *op)
{
	*op = *at++;
	a->store = *op == MOV_FROM_REG || *op == MOV_CONSTANT;
	if (*op == TWO_BYTES) {
		*op = *at++;
		a->sign = (*op & 0xfe) == MOVSX;
		a->bits = p->rex & REX_W ? 64 : p->narrow ? 16 : 32;
		return *op == MOVZX || *op == MOVSX ? at : NULL;
	}
	return a->store || *op == MOV_TO_REG ? at : NULL;
}

bool byte_access_read(struct byte_access *a, ucontext_t *uc)
{
	const uint8_t *const start = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP];
	const uint8_t *at, *modrm;
	struct prefixes p;
	uint8_t op;

	*a = (struct byte_access){.bits = 8};
	modrm = opcode_read(a, &p, prefixes_read(start, &p), &op);
	at = modrm ? operand_end(modrm) : NULL;
	if (!at || (op == MOV_CONSTANT && *modrm & 0x38))
		return false;
	register_find(a, &p, *modrm, uc);
	a->value = op == MOV_CONSTANT ? *at++ : *a->low;
	a->length = (uint8_t)(at - start);
	return true;
}

void byte_access_done(const struct byte_access *a, ucontext_t *uc, uint8_t loaded)
{
	const uint64_t wide = a->sign ? (uint64_t)(int8_t)loaded : loaded;

	uc->uc_mcontext.gregs[REG_RIP] += a->length;
	if (a->store)
		return;
	if (a->bits == 8)
		*a->low = loaded;
	else if (a->bits == 16)
		memcpy(a->whole, &wide, 2);
	else
		*a->whole = a->bits == 32 ? (uint32_t)wide : wide;
}
#else
/* On other machines the device does not offer these operations (obj/memic.h). */
bool byte_access_read(struct byte_access *a, ucontext_t *uc)
{
	(void)a;
	(void)uc;
	return false;
}

void byte_access_done(const struct byte_access *a, ucontext_t *uc, uint8_t loaded)
{
	(void)a;
	(void)uc;
	(void)loaded;
}
#endif
