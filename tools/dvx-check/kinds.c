/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CLASS_WRONG "wrong"
#define CLASS_LUCK  "right on mlx5 by luck"

static const struct kind_row kind_rows[CHECK_KINDS] = {
#define CHECK_KIND(kind, name, class, sentence, first, second, advice) \
	[CHECK_##kind] = {name, CLASS_##class, sentence, {first, second}, advice},
#include "src/check/kinds.def"
#undef CHECK_KIND
};

const struct kind_row *kind_row(uint32_t kind)
{
	return &kind_rows[kind];
}

void kind_sentence(const struct check_finding *f, char *text, size_t size)
{
	const char *at = kind_rows[f->kind].sentence;
	size_t n = 0;

	for (; *at && n + 1 < size; at++) {
		if (*at == '{' && at[1] >= '0' && at[1] <= '1' && at[2] == '}') {
			n += (size_t)snprintf(text + n, size - n, "%" PRIu64, f->n[at[1] - '0']);
			at += 2;
		} else {
			text[n++] = *at;
		}
	}
	text[n < size ? n : size - 1] = 0;
}

const char *kind_opcode(uint32_t opcode)
{
	static const char *const names[] = {"RDMA_WRITE",
					    "RDMA_WRITE_WITH_IMM",
					    "SEND",
					    "SEND_WITH_IMM",
					    "RDMA_READ",
					    "ATOMIC_CMP_AND_SWP",
					    "ATOMIC_FETCH_AND_ADD",
					    "LOCAL_INV",
					    "BIND_MW",
					    "SEND_WITH_INV",
					    "TSO"};

	if (opcode < sizeof(names) / sizeof(names[0]))
		return names[opcode];
	return opcode == CHECK_NO_OPCODE ? NULL : "receive";
}
