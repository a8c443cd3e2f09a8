/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a chip that are requested one by one: base/inject.h. */
#include "dvx-sim.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "src/sim/base/inject.h"
#include "src/sim/link/link.h"

#define FILE_MOST 65536u /* bytes */

static struct inject_message {
	struct link_inject head;
	struct inject_fault faults[INJECT_MOST];
} inject_given;

bool inject_names_file(const char *arg)
{
	return strcmp(arg, "off") && (!strchr(arg, '=') || strchr(arg, '/'));
}

/* Reads a whole file. Returns its length, or -1 with errno. */
static ssize_t inject_load(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && len < size && (n = read(fd, text + len, size - len)) > 0)
		len += (size_t)n;
	if (fd >= 0)
		close(fd);
	errno = len == size ? EFBIG : errno;
	return n < 0 || len == size ? -1 : (ssize_t)len;
}

bool inject_read(const char *path, char why[INJECT_SENTENCE])
{
	static char text[FILE_MOST];
	const ssize_t len = inject_load(path, text, sizeof(text));
	struct inject_error e;
	int n;

	if (len < 0) {
		snprintf(why, INJECT_SENTENCE, "%s: %s", path, strerror(errno));
		return false;
	}
	n = inject_parse(text, (size_t)len, inject_given.faults, &e);
	if (n < 0) {
		message_set_place(path, e.line, e.column);
		snprintf(why, INJECT_SENTENCE, "%s:%u:%u: %s", path, e.line, e.column, e.why);
		return false;
	}
	inject_given.head.n = (uint32_t)n;
	return true;
}

static bool inject_ask(const char *name, const void *body, size_t len, struct link_message *answer)
{
	int sock = registry_connect(name), err;

	if (sock < 0)
		return false;
	err = link_ask(sock, LINK_INJECT, body, len, -1, answer);
	close(sock);
	if (err && registry_is_ours(name, err))
		message_print("%s does not answer", name);
	return !err;
}

bool inject_set_all(const char *name, const struct inject_fault *faults, size_t n)
{
	struct inject_message m = {.head.n = (uint32_t)n};
	struct link_message answer = {0};
	bool ok;

	memcpy(m.faults, faults, n * sizeof(*faults));
	ok = inject_ask(name, &m, sizeof(m.head) + n * sizeof(*faults), &answer);
	link_message_free(&answer);
	return ok;
}

bool inject_get_all(const char *name, struct inject_fault *faults, size_t n)
{
	struct link_message answer = {0};
	bool ok = inject_ask(name, NULL, 0, &answer) && answer.h.len == n * sizeof(*faults);

	if (ok)
		memcpy(faults, answer.body, answer.h.len);
	link_message_free(&answer);
	return ok;
}

bool inject_send(const char *name)
{
	return inject_set_all(name, inject_given.faults, inject_given.head.n);
}

bool inject_clear(const char *name)
{
	inject_given.head.n = 0;
	return inject_send(name);
}

void inject_print_text(const char *name)
{
	struct link_message answer = {0};
	const struct inject_fault *f;
	char line[128];

	if (!inject_ask(name, NULL, 0, &answer))
		return;
	f = (const void *)answer.body;
	for (size_t n = answer.h.len / sizeof(*f); n; n--, f++) {
		inject_print(f, line, sizeof(line));
		printf("%10u  seen: %s%s\n", f->seen, line, f->seen >= f->nth ? " (done)" : "");
	}
	link_message_free(&answer);
}

json_t *inject_json(const char *name)
{
	struct link_message answer = {0};
	json_t *list = json_array();
	const struct inject_fault *f;
	char line[128];

	if (!inject_ask(name, NULL, 0, &answer))
		return list;
	f = (const void *)answer.body;
	for (size_t n = answer.h.len / sizeof(*f); n; n--, f++) {
		inject_print(f, line, sizeof(line));
		json_array_append_new(list,
				      json_pack("{s:s, s:I, s:b}", "fault", line, "seen",
						(json_int_t)f->seen, "done", f->seen >= f->nth));
	}
	link_message_free(&answer);
	return list;
}
