/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dvx-copy.h"
#include "base/pool.h"
#include "serve.h"
#include "tools/cli/json.h"
#include "wire/net.h"

/* The line that scripts wait for. It has the port that the kernel chose for ":0". */
static void cmd_serve_announce(const struct copy_args *a, struct copy_device *device, int listener)
{
	char name[NET_NAME];

	net_own_name(listener, name);
	if (a->json)
		json_out_line(
			json_pack("{s:s, s:s}", "listening", name, "device", device_name(device)));
	else
		printf("serving %s on %s through %s\n", a->root, name, device_name(device));
	fflush(stdout);
}

static int cmd_serve_run(const struct copy_args *a, struct serve *wish, struct key *key,
			 struct copy_fault *f)
{
	struct copy_server *s = &wish->shared;
	struct copy_target t;
	int listener, ret;

	if (gate_parse(&wish->gate, a->max_starting, a->max_per_source, f) ||
	    target_parse_listen(&t, a->listen, f) || (a->key_file && key_load(key, a->key_file, f)))
		return -1;
	s->writable = a->writable;
	s->umask = copy_umask();
	s->root = open(a->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->root < 0)
		return copy_fail(f, COPY_IO, "%s: %s", a->root, strerror(errno));
	listener = net_listen(&t, key->n != 0, f);
	if (listener < 0)
		return -1;
	if (device_open(&s->device, a->device, f)) {
		close(listener);
		return -1;
	}
	cmd_serve_announce(a, s->device, listener);
	ret = serve(wish, listener, &stop_asked, f);
	close(listener);
	device_close(s->device);
	return ret;
}

int copy_cmd_serve(const struct copy_args *a)
{
	const uint32_t slot_bytes = a->slot_bytes & ~4095u;
	struct key key = {.n = 0};
	struct serve wish = {
		.quiet = a->quiet,
		.once = a->once,
		.max_clients = a->max_clients,
		.patience_ms = (int)a->timeout * 1000,
		.key = &key,
		.shared = {.root = -1,
			   .slots = a->slots ? a->slots : pool_slots(slot_bytes),
			   .slot_bytes = slot_bytes},
	};
	struct copy_fault f = {0};

	if (a->root)
		cmd_serve_run(a, &wish, &key, &f);
	else
		copy_fail(&f, COPY_USAGE, "serve needs --root DIR");
	if (f.code)
		say("%s", f.text);
	if (wish.shared.root >= 0)
		close(wish.shared.root);
	key_wipe(&key);
	return f.code;
}
