/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-sim stat --compare: what differs between two files of its JSON. */
#include "stat.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include "tools/dvx-sim/dvx-sim.h"
#include "tools/cli/json.h"

#define NOISE 0.001 /* of a number: smaller differences are not printed */

static json_t *compare_load(const char *path)
{
	json_error_t e;
	json_t *root = json_load_file(path, 0, &e);

	if (!root)
		message_print("%s:%d:%d: %s", path, e.line < 0 ? 1 : e.line,
			      e.column < 0 ? 1 : e.column, e.text);
	else if (!json_is_array(json_object_get(root, "classes")))
		message_print("%s:1:1: expected an object with an array \"classes\", as dvx-sim "
			      "stat --json prints",
			      path);
	else
		return root;
	json_decref(root);
	return NULL;
}

static const json_t *compare_class(const json_t *root, const char *name)
{
	const json_t *list = json_object_get(root, "classes");
	json_t *o;
	size_t i;

	json_array_foreach (list, i, o)
		if (!strcmp(json_str(o, "class"), name))
			return o;
	return NULL;
}

/* Returns a member, a number or a pair; NAN: there is none. */
static struct bounds compare_number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	const json_t *least = json_is_array(v) ? json_array_get(v, 0) : v,
		     *most = json_is_array(v) ? json_array_get(v, 1) : v;

	if (!json_is_number(least) || !json_is_number(most))
		return (struct bounds){(double)NAN, (double)NAN};
	return (struct bounds){json_number_value(least), json_number_value(most)};
}

static bool compare_differs(double a, double b)
{
	return isnan(a) != isnan(b) || fabs(a - b) > NOISE * (fabs(a) + fabs(b)) / 2;
}

/* Prints a column that differs. Returns whether B is dearer. */
static bool compare_column(const char *class, const struct stat_column *c, const json_t *a,
			   const json_t *b)
{
	const struct bounds was = compare_number(a, c->key), is = compare_number(b, c->key);
	char from[32], to[32];

	if (!compare_differs(was.least, is.least) && !compare_differs(was.most, is.most))
		return false;
	stat_text(from, sizeof(from), c, was);
	stat_text(to, sizeof(to), c, is);
	printf("%s %s: %s -> %s", class, c->key, from, to);
	if (was.most > 0 && is.most >= 0)
		printf(" (%+.1f%%)", 100 * (is.most - was.most) / was.most);
	putchar('\n');
	return c->kind == STAT_COST &&
	       ((is.most > was.most && compare_differs(was.most, is.most)) ||
		(is.least > was.least && compare_differs(was.least, is.least)));
}

static unsigned int compare_all(const json_t *a, const json_t *b)
{
	unsigned int dearer = 0;

	for (unsigned int class = 0; class < STAT_CLASSES; class ++) {
		const char *name = stat_class_name(class);
		const json_t *was = compare_class(a, name), *is = compare_class(b, name);

		if (!was != !is)
			printf("%s: only in %s\n", name,
			       was ? "the first file" : "the second file");
		for (size_t i = 0; was && is && i < stat_ncolumns; i++)
			dearer += compare_column(name, &stat_columns[i], was, is);
	}
	return dearer;
}

int stat_compare(const char *path_a, const char *path_b)
{
	json_t *a = compare_load(path_a), *b = a ? compare_load(path_b) : NULL;
	int rc = EXIT_INPUT;

	if (b)
		rc = compare_all(a, b) ? EXIT_NO : EXIT_DONE;
	json_decref(a);
	json_decref(b);
	return rc;
}
