/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "where.h"

static double client_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int try_connect(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	memcpy(to.sun_path, path, sizeof(to.sun_path));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		int err = errno;

		close(fd);
		return -err;
	}
	return fd;
}

static bool client_nobody(int fd)
{
	return fd == -ENOENT || fd == -ECONNREFUSED;
}

/* Tries the user's own daemon first, then the machine's. */
static int try_all(const struct where *w)
{
	int fd = try_connect(w->socket), other;

	if (!client_nobody(fd) || !w->service[0])
		return fd;
	other = try_connect(w->service);
	return client_nobody(other) ? fd : other;
}

int client_connect(const struct args *a, int *code)
{
	double until = client_now() + a->wait;
	struct where w;
	int fd;

	*code = where_to_ask(a, &w);
	if (*code)
		return -1;
	while (client_nobody(fd = try_all(&w))) {
		if (client_now() >= until)
			break;
		poll(NULL, 0, 20);
	}
	if (fd >= 0)
		return fd;
	*code = EXIT_INPUT;
	if (client_nobody(fd))
		message_print("no daemon holds %s%s rules (%s); start one: dvx-flow daemon",
			      w.device[0] ? w.device : "these", w.device[0] ? "'s" : "", w.socket);
	else
		message_print("%s: %s", w.socket, strerror(-fd));
	return -1;
}

static int client_send_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return -1;
		bytes += sent;
		n -= (size_t)sent;
	}
	return 0;
}

static int read_exactly(int fd, char *to, size_t n)
{
	while (n) {
		ssize_t got = read(fd, to, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		to += got;
		n -= (size_t)got;
	}
	return 0;
}

static int client_receive(int fd, struct flow_msg *m)
{
	char start[MSG_START], *bytes;
	int64_t size;
	int ret = -1;

	if (read_exactly(fd, start, sizeof(start)))
		return -1;
	size = msg_size(start, sizeof(start), MSG_HEAD_MAX, MSG_BODY_MAX);
	bytes = size > 0 ? malloc((size_t)size) : NULL;
	if (!bytes)
		return -1;
	memcpy(bytes, start, sizeof(start));
	if (!read_exactly(fd, bytes + sizeof(start), (size_t)size - sizeof(start)))
		ret = msg_unpack(bytes, m);
	free(bytes);
	return ret;
}

static uint32_t client_number(const struct flow_msg *m, const char *name)
{
	return (uint32_t)json_integer_value(json_object_get(m->head, name));
}

/* Prints mistakes. The daemon reports only the first one, the client finds all. */
static void client_point(const struct rules_text *s, uint32_t line, uint32_t column,
			 const char *error)
{
	struct ruleset set;

	if (s->unread && rules_read(s->name, s->text, s->len, &set))
		return;
	if (s->unread)
		ruleset_free(&set);
	rules_point(s, line, column, error);
}

static int verdict(const struct flow_msg *m, const struct rules_text *source)
{
	int code = (int)json_integer_value(json_object_get(m->head, "exit"));
	const char *error = json_string_value(json_object_get(m->head, "error"));
	uint32_t line = client_number(m, "line"), column = client_number(m, "column");

	if (!error)
		error = "the daemon refused the request and gave no reason";
	if (code && line && source)
		client_point(source, line, column, error);
	else if (code && line) {
		message_set_place(NULL, line, column);
		message_print("line %u, column %u: %s", line, column, error);
	} else if (code) {
		message_print("%s", error);
	}
	return code;
}

/*
 * Reports an interrupt: the daemon goes on, as it does not notice before its answer that a client
 * has gone.
 */
static void client_interrupted(int number)
{
	static const char text[] = "\ndvx-flow: interrupted, but the daemon goes on with the "
				   "request: `dvx-flow list' shows "
				   "the rules in effect\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	raise(number);
}

void client_begin_change(void)
{
	const struct sigaction act = {.sa_handler = client_interrupted,
				      .sa_flags = (int)SA_RESETHAND};

	static const int numbers[] = {SIGINT, SIGTERM};
	struct sigaction before;

	for (size_t i = 0; i < 2; i++)
		if (!sigaction(numbers[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &act, NULL);
}

int client_ask(int fd, json_t *head, const struct rules_text *rules, struct flow_msg *answer,
	       progress_fn progress, void *arg)
{
	size_t len;
	char *bytes = msg_pack(head, rules ? rules->text : NULL, rules ? rules->len : 0, &len);
	int code;

	*answer = (struct flow_msg){0};
	/*
	 * A daemon that refused the request may have closed the socket. Its answer can still be
	 * read.
	 */
	if (bytes)
		client_send_all(fd, bytes, len);
	free(bytes);
	while (bytes && !client_receive(fd, answer)) {
		if (json_object_get(answer->head, "exit")) {
			code = verdict(answer, rules);
			if (code)
				msg_free(answer);
			return code;
		}
		if (progress)
			progress(arg, answer->head);
		msg_free(answer);
	}
	message_print("the daemon ended or closed the connection before it answered");
	return EXIT_INPUT;
}

int client_once(const struct args *a, json_t *head, struct flow_msg *answer)
{
	int code, fd = client_connect(a, &code);

	if (fd < 0) {
		json_decref(head);
		return code;
	}
	code = client_ask(fd, head, NULL, answer, NULL, NULL);
	close(fd);
	return code;
}
