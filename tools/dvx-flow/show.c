/* SPDX-License-Identifier: BSD-2-Clause */
/* list, and what it shares with stats: members of what the daemon answers. */
#include <stdio.h>

#include "client.h"
#include "show.h"

json_int_t show_number(const json_t *j, const char *key)
{
	return json_integer_value(json_object_get(j, key));
}

const char *show_text(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s ? s : "";
}

json_t *show_take(struct flow_msg *answer)
{
	json_t *j = json_incref(answer->head);

	json_object_del(j, "exit");
	msg_free(answer);
	return j;
}

int cmd_list(const struct args *a)
{
	struct flow_msg answer;
	json_t *j, *rule;
	size_t i;
	int code = client_once(a, json_pack("{s:s}", "do", "list"), &answer);

	if (code)
		return code;
	j = show_take(&answer);
	if (a->json)
		return json_out(j);
	json_array_foreach (json_object_get(j, "rules"), i, rule)
		printf("%s%6" JSON_INTEGER_FORMAT "  %s\n", i ? "" : "    ID  RULE\n",
		       show_number(rule, "id"), show_text(rule, "text"));
	if (!json_array_size(json_object_get(j, "rules")))
		printf("no rules: everything on %s goes the default way\n", show_text(j, "device"));
	json_decref(j);
	return EXIT_DONE;
}
