/* SPDX-License-Identifier: BSD-2-Clause */
/* Completes names of structures, enumerations, fields and their values. */
#include "dvx-prm.h"
#include "tools/cli/complete.h"

static void offer_structs(const char *command, const char *first, const char *field)
{
	(void)command, (void)first, (void)field;
	for (size_t i = 0; i < prm_struct_count; i++)
		complete_offer(prm_structs[i].name, "");
}

static void offer_enums(const char *command, const char *first, const char *field)
{
	(void)command, (void)first, (void)field;
	for (size_t i = 0; i < prm_enum_count; i++)
		complete_offer(prm_enums[i]->name, "");
}

static void offer_fields(const char *command, const char *first, const char *field)
{
	const struct prm_struct *s = first ? prm_find_struct(first) : NULL;

	(void)command, (void)field;
	for (size_t i = 0; s && i < s->field_count; i++)
		complete_offer(s->fields[i].name, "=");
}

static void offer_values(const char *command, const char *first, const char *field)
{
	const struct prm_struct *s = prm_find_struct(first);
	uint64_t bit;
	const struct prm_field *f = s ? prm_find_field(s, field, &bit) : NULL;

	(void)command;
	for (size_t i = 0; f && f->values && i < f->values->count; i++)
		complete_offer(f->values->values[i].name, "");
}

const struct cli_words prm_words[PRM_WORDS] = {
	{"STRUCT", offer_structs},
	{"ENUM", offer_enums},
	{"FIELD", offer_fields},
	{"VALUE", offer_values},
};
