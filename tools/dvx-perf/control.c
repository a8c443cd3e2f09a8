/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "exits.h"
#include "control.h"
#include "tools/cli/json.h"
#include "tools/cli/message.h"
#include "tools/cli/tcp.h"

#define HELLO_MS 10000 /* a peer that is silent for longer does not know the protocol */
#define SLICE_MS 250   /* latency of a signal that comes just before poll() */

int control_wait(int fd, short events, const volatile sig_atomic_t *stop, int ms)
{
	struct pollfd p = {.fd = fd, .events = events};

	for (; !stop || !*stop; ms -= ms > 0 ? SLICE_MS : 0) {
		int n = poll(&p, 1, ms >= 0 && ms < SLICE_MS ? ms : SLICE_MS);

		if (n > 0)
			return 1;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (ms >= 0 && ms <= SLICE_MS)
			return -ETIMEDOUT;
	}
	return 0;
}

static int control_died(const struct control *t, int err)
{
	if (!err || err == ECONNRESET || err == EPIPE)
		message_print("%s died or closed the connection", t->peer);
	else
		message_print("connection to %s: %s", t->peer, strerror(err));
	return EXIT_PEER;
}

static int control_stranger(const struct control *t)
{
	message_print("%s does not speak dvx-perf's protocol", t->peer);
	return EXIT_PROTOCOL;
}

int control_begin(struct control *t, int fd, const char *peer)
{
	tcp_tune(fd);
	fcntl(fd, F_SETFL, 0); /* blocking: messages are small */
	*t = (struct control){.fd = fd, .peer = peer, .line = malloc(CONTROL_LINE)};
	if (t->line)
		return EXIT_DONE;
	message_print("no memory for messages");
	control_end(t);
	return EXIT_INPUT;
}

void control_end(struct control *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->line);
	t->fd = -1;
	t->line = NULL;
}

bool control_ready(const struct control *t)
{
	struct pollfd p = {.fd = t->fd, .events = POLLIN};

	return t->have > t->used || poll(&p, 1, 0) > 0;
}

int control_send(struct control *t, json_t *message)
{
	char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
	size_t n = text ? strlen(text) : 0, at = 0;

	json_decref(message);
	if (!text) {
		message_print("no memory for a message");
		return EXIT_INPUT;
	}
	text[n++] = '\n'; /* replaces the terminating 0 */
	while (at < n) {
		ssize_t done = send(t->fd, text + at, n - at, MSG_NOSIGNAL);

		if (done < 0 && errno != EINTR)
			break;
		at += done > 0 ? (size_t)done : 0;
	}
	free(text);
	return at < n ? control_died(t, errno) : EXIT_DONE;
}

/* Reads more bytes of a line. Returns 0, or an exit code after an error message. */
static int control_more(struct control *t, int ms)
{
	int ready = control_wait(t->fd, POLLIN, t->stop, ms);
	ssize_t n;

	if (!ready)
		return EXIT_PEER; /* interrupted: no message needed */
	if (ready == -ETIMEDOUT) {
		message_print(
			"%s says nothing for %d s: it serves another client, or does not speak "
			"dvx-perf's protocol",
			t->peer, HELLO_MS / 1000);
		return EXIT_PROTOCOL;
	}
	n = recv(t->fd, t->line + t->have, CONTROL_LINE - t->have, 0);
	if (n <= 0)
		return control_died(t, n ? errno : 0);
	t->have += (size_t)n;
	return EXIT_DONE;
}

/* Reads a whole line and replaces its end by a 0. */
static int control_line(struct control *t, char **line, int ms)
{
	char *end;

	memmove(t->line, t->line + t->used, t->have - t->used);
	t->have -= t->used;
	t->used = 0;
	while (!(end = memchr(t->line, '\n', t->have))) {
		int code = t->have == CONTROL_LINE ? control_stranger(t) : control_more(t, ms);

		if (code)
			return code;
	}
	*end = '\0';
	*line = t->line;
	t->used = (size_t)(end + 1 - t->line);
	return EXIT_DONE;
}

static int control_take(struct control *t, json_t **message, int ms)
{
	const char *error;
	char *line;
	int code = control_line(t, &line, ms);

	if (code)
		return code;
	*message = json_loads(line, 0, NULL);
	if (!json_is_object(*message)) {
		json_decref(*message);
		return control_stranger(t);
	}
	error = json_str(*message, "error");
	if (!*error)
		return EXIT_DONE;
	message_print("%s says: %s", t->peer, error);
	json_decref(*message);
	return EXIT_DEVICE;
}

int control_receive(struct control *t, json_t **message)
{
	return control_take(t, message, -1);
}

int control_hello(struct control *t)
{
	json_int_t theirs;
	json_t *message;
	int code = control_send(t, json_pack("{s:i}", "dvx_perf", CONTROL_VERSION));

	if (!code)
		code = control_take(t, &message, HELLO_MS);
	if (code)
		return code;
	theirs = json_integer_value(json_object_get(message, "dvx_perf"));
	json_decref(message);
	if (!theirs)
		return control_stranger(t);
	if (theirs == CONTROL_VERSION)
		return EXIT_DONE;
	message_print("%s speaks version %d of dvx-perf's protocol, this end speaks version %d",
		      t->peer, (int)theirs, CONTROL_VERSION);
	return EXIT_PROTOCOL;
}
