/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and texts of numbers; needs the enums only, not the structures. */
#include <errno.h>
#include <string.h>
#include "src/prm/reflect.h"

const struct prm_enum *prm_find_enum(const char *name)
{
	for (size_t i = 0; i < prm_enum_count; i++)
		if (!strcmp(prm_enums[i]->name, name))
			return prm_enums[i];
	return NULL;
}

const struct prm_enum_value *prm_enum_find(const struct prm_enum *e, uint64_t value)
{
	for (size_t i = 0; e && i < e->count; i++)
		if (e->values[i].value == value)
			return &e->values[i];
	return NULL;
}

const char *prm_enum_name(const struct prm_enum *e, uint64_t value)
{
	const struct prm_enum_value *v = prm_enum_find(e, value);

	return v ? v->name : "?";
}

const char *prm_enum_text(const struct prm_enum *e, uint64_t value)
{
	const struct prm_enum_value *v = prm_enum_find(e, value);

	return v ? v->text : "";
}

const char *prm_opcode_name(uint32_t opcode)
{
	return prm_enum_name(prm_find_enum("opcode"), opcode);
}

const char *prm_status_name(uint32_t status)
{
	return prm_enum_name(prm_find_enum("status"), status);
}

const char *prm_status_text(uint32_t status)
{
	return prm_enum_text(prm_find_enum("status"), status);
}

const char *prm_syndrome_name(uint32_t syndrome)
{
	return prm_enum_name(prm_find_enum("syndrome"), syndrome);
}

const char *prm_syndrome_text(uint32_t syndrome)
{
	return prm_enum_text(prm_find_enum("syndrome"), syndrome);
}

const char *prm_wqe_opcode_name(uint32_t opcode)
{
	return prm_enum_name(prm_find_enum("wqe_opcode"), opcode);
}

const char *prm_cqe_opcode_name(uint32_t opcode)
{
	return prm_enum_name(prm_find_enum("cqe_opcode"), opcode);
}

const char *prm_event_name(uint32_t type)
{
	return prm_enum_name(prm_find_enum("event"), type);
}

int prm_status_errno(uint32_t status)
{
	const struct prm_enum_value *v = prm_enum_find(prm_find_enum("status"), status);

	return v ? v->err : EIO;
}
