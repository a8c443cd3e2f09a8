/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dvx-copy.h"
#include "base/confine.h"
#include "base/workers.h"
#include "base/pool.h"
#include "dest/dest.h"
#include "serve.h"
#include "tools/cli/json.h"
#include "tools/cli/tcp.h"
#include "wire/net.h"

/* Prints the line that scripts wait for. It has the port that the kernel chose for ":0". */
static void cmd_serve_announce(const struct copy_args *a, struct copy_device *device, int listener,
			       const char *confined)
{
	char name[NET_NAME];

	tcp_own_name(listener, name, sizeof(name));
	if (a->json)
		json_out_line(json_pack("{s:s, s:s, s:s}", "listening", name, "device",
					device_name(device), "confined", confined));
	else
		printf("serving %s on %s through %s, confined %s\n", a->root, name,
		       device_name(device), confined);
	fflush(stdout);
}

/* Opens the directory from which the keys are read again. -1: there are no keys. */
static int cmd_serve_keys_dir(const struct copy_args *a)
{
	const char *file = a->allow ? a->allow : a->key_file;
	char path[PATH_MAX];

	if (!file || strlen(file) >= sizeof(path))
		return -1;
	return open(dirname(strcpy(path, file)), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Confines the server to the directories that a key gives access to, and forbids connecting. */
static const char *cmd_serve_confine(const struct copy_args *a, const struct access *access,
				     char text[CONFINE_TEXT])
{
	const int keys = cmd_serve_keys_dir(a);
	struct confine_dir d, *dirs;
	struct confine c = {.reads = true, .network = true};

	while (access_dir(access, c.n, &d.fd, &d.write))
		c.n++;
	dirs = calloc(c.n + 1, sizeof(*dirs));
	for (size_t i = 0; dirs && i < c.n; i++)
		access_dir(access, i, &dirs[i].fd, &dirs[i].write);
	c.dirs = dirs;
	if (dirs && keys >= 0)
		dirs[c.n++].fd = keys;
	temp_home(); /* reads /proc */
	if (dirs)
		confine(&c, text);
	else
		snprintf(text, CONFINE_TEXT, "not by Landlock (%s)", strerror(ENOMEM));
	free(dirs);
	if (keys >= 0)
		close(keys);
	return text;
}

/* The arguments of cmd_serve_reload(). */
struct cmd_keys {
	const struct copy_args *a;
	int root;
};

static volatile sig_atomic_t cmd_reload_asked;

static void cmd_serve_on_hup(int sig)
{
	(void)sig;
	cmd_reload_asked = 1;
}

static int cmd_serve_access(const struct copy_args *a, int root, struct access **access,
			    struct copy_fault *f)
{
	struct key key = {.n = 0};
	int ret;

	if (a->allow && (a->key_file || a->writable))
		return copy_fail(f, COPY_USAGE,
				 "--allow has the keys and what they may do: no --key-file and no "
				 "--writable beside it");
	if (a->allow)
		return access_load(access, a->allow, root, f);
	ret = (a->key_file && key_load(&key, a->key_file, f)) ||
	      access_single(access, &key, root, a->writable, f);
	key_wipe(&key);
	return ret;
}

static int cmd_serve_reload(void *arg, struct access **out, struct copy_fault *f)
{
	const struct cmd_keys *k = arg;

	return cmd_serve_access(k->a, k->root, out, f);
}

/* Makes SIGHUP reload the keys. Without keys SIGHUP ends the server, by its default action. */
static void cmd_serve_await_hup(const struct copy_args *a, struct serve *config,
				struct cmd_keys *keys)
{
	struct sigaction on_hup = {.sa_handler = cmd_serve_on_hup};

	if (!a->allow && !a->key_file)
		return;
	config->reload = cmd_serve_reload;
	config->arg = keys;
	config->reload_asked = &cmd_reload_asked;
	sigaction(SIGHUP, &on_hup, NULL);
}

static int cmd_serve_run(const struct copy_args *a, struct serve *config, struct copy_fault *f)
{
	struct copy_server *s = &config->shared;
	struct copy_target t;
	int listener, ret = -1;

	listener = target_parse_listen(&t, a->listen, f)
			   ? -1
			   : net_listen(&t, access_ring(s->access).any, f);
	if (listener < 0)
		return -1;
	if (!device_open(&s->role.device, a->device, f)) {
		char text[CONFINE_TEXT];

		config->watch = device_watch(s->role.device, f);
		if (config->watch >= 0) {
			cmd_serve_announce(a, s->role.device, listener,
					   cmd_serve_confine(a, s->access, text));
			ret = serve(config, listener, &stop_asked, f);
		}
		device_close(s->role.device);
	}
	close(listener);
	return ret;
}

static int cmd_serve_root(const struct copy_args *a, struct serve *config, struct copy_fault *f)
{
	struct cmd_keys keys = {.a = a};
	struct access *access;
	int root, ret;

	if (!a->root)
		return copy_fail(f, COPY_USAGE, "serve needs --root DIR");
	if (gate_parse(&config->gate, a->max_starting, a->max_per_source, f))
		return -1;
	root = open(a->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return copy_fail(f, COPY_IO, "%s: %s", a->root, strerror(errno));
	ret = cmd_serve_access(a, root, &access, f);
	if (!ret) {
		config->shared.access = access;
		keys.root = root;
		cmd_serve_await_hup(a, config, &keys);
		ret = cmd_serve_run(a, config, f);
		access_free(access);
	}
	close(root);
	return ret;
}

int copy_cmd_serve(const struct copy_args *a)
{
	const uint32_t slot_bytes = a->slot_bytes & ~4095u;
	struct serve config = {
		.quiet = a->quiet,
		.once = a->once,
		.max_clients = a->max_clients,
		.patience_ms = (int)a->timeout * 1000,
		.shared.role = {.umask = copy_umask(),
				.slots = a->slots ? a->slots : pool_slots(slot_bytes),
				.jobs = a->jobs ? a->jobs : workers_usual(),
				.slot_bytes = slot_bytes,
				.window = role_window(a->max_clients)},
	};
	struct copy_fault f = {0};

	if (cmd_serve_root(a, &config, &f))
		message_print("%s", f.text);
	return f.code;
}
