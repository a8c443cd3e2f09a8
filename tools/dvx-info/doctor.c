/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor.h"
#include <stdio.h>
#include <string.h>
#include "tools/cli/library.h"
#include "facts.h"

static void doctor_open_device(struct doctor *d)
{
	struct dvx_dev_info *list;
	size_t n;

	if (d->elsewhere && !d->which) {
		snprintf(d->error, sizeof(d->error), "the facts are another host's");
		fact_pci(d->pci, sizeof(d->pci));
		return;
	}
	if (dvx_dev_open(d->which, &d->dev))
		snprintf(d->error, sizeof(d->error), "%s", library_error());
	if (dvx_dev_list(&list, &n))
		return;
	d->devices = n;
	for (size_t i = 0; i < n; i++)
		if (d->dev && !strcmp(list[i].name, dvx_dev_name(d->dev)))
			snprintf(d->pci, sizeof(d->pci), "%s", list[i].pci);
	dvx_dev_list_free(list);
}

static size_t doctor_count(const json_t *lines, enum level level)
{
	size_t n = 0, i;
	json_t *l;

	json_array_foreach (lines, i, l)
		n += !strcmp(json_str(l, "level"), level_names[level]);
	return n;
}

static void print_lines(const json_t *lines)
{
	size_t fails = doctor_count(lines, LEVEL_FAIL), warns = doctor_count(lines, LEVEL_WARN), i;
	json_t *l;

	json_array_foreach (lines, i, l) {
		printf("%-4s  %-12s  %s\n", json_str(l, "level"), json_str(l, "check"),
		       json_str(l, "text"));
		if (*json_str(l, "remedy"))
			printf("      %-12s  $ %s\n", "", json_str(l, "remedy"));
	}
	printf("%zu checks: %zu FAIL, %zu WARN.\n", json_array_size(lines), fails, warns);
}

int info_cmd_doctor(const struct info_args *a)
{
	struct doctor d = {.lines = json_array(),
			   .which = a->argc ? a->argv[0] : a->device,
			   .elsewhere = a->root};
	json_t *root;
	int code;

	if (a->root && !fact_folder(a->root)) {
		message_print("%s is no folder", a->root);
		json_decref(d.lines);
		return EXIT_INPUT;
	}
	facts_from(a->root ? a->root : "");
	doctor_open_device(&d);
	doctor_rdma(&d);
	doctor_mem(&d);
	doctor_host(&d);
	doctor_peer(&d);
	code = doctor_count(d.lines, LEVEL_FAIL) ? EXIT_NO : EXIT_DONE;
	if (a->json) {
		root = json_pack("{ss sO}", "device", d.dev ? dvx_dev_name(d.dev) : "", "checks",
				 d.lines);
		code = json_out(root) ? EXIT_INPUT : code;
	} else {
		print_lines(d.lines);
	}
	json_decref(d.lines);
	dvx_dev_close(d.dev);
	return code;
}
