/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvx-sim-server: one process is one chip. dvx-sim starts it. Its folder holds the lock, the
 * socket, one sysfs tree for each function, and the log when detached. The server holds the lock as
 * long as it lives, so a process that can take it knows that the server is dead.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/hostile.h"
#include "base/log.h"
#include "base/thread.h"
#include "chip.h"
#include "trace.h"
#include "kernel/kernel.h"
#include "lab/record.h"
#include "netdev.h"
#include "session.h"
#include "sysfs/sysfs.h"
#include "obj/profile.h"
#include "obj/device.h"
#include "port/peer.h"
#include "port/tap_wire.h"
#include "port/port.h"
#include "port/udp.h"
#include "port/wire.h"
#include "tree.h"
#include "watchdog.h"

#define LOG_MOST (16u << 20) /* the log is usually in memory */

static struct {
	const char *dir, *name, *trace, *set, *fault, *wire, *ip, *hostile, *record;
	int ready;    /* gets a byte when programs may connect, or -1 */
	int lifeline; /* the server ends when it is closed, or -1 */
	bool detach, netdev;
} option = {.ready = -1, .lifeline = -1};

static struct profile profile;
static struct chip *the_chip;
static struct netdevs *netdevs;
static struct watchdog watchdog;

static void chip_server_on_signal(int sig)
{
	(void)sig;
	if (the_chip)
		chip_stop(the_chip);
}

static void lifeline_cut(void *chip, int fd)
{
	char byte;

	if (read(fd, &byte, 1) > 0)
		return;
	chip_unwatch(chip, fd);
	chip_stop(chip);
}

static int chip_server_fail(const char *what)
{
	fprintf(stderr, "dvx-sim: %s %s: %s\n", what, option.dir, strerror(errno));
	return -1;
}

static const char *in_dir(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", option.dir, name);
	return path;
}

/* Claims the folder; tries again if another dvx-sim removes it as stale, lock and all. */
static int chip_server_claim(void)
{
	for (int i = 0; i < 100; i++) {
		struct stat held, named;
		int fd;

		if (mkdir(option.dir, 0700) && errno != EEXIST)
			return chip_server_fail("can't make");
		fd = open(in_dir("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0)
			return chip_server_fail("can't open the lock in");
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			fprintf(stderr, "dvx-sim: a chip named %s is up already\n", option.name);
			return -1;
		}
		if (!fstat(fd, &held) && !stat(in_dir("lock"), &named) &&
		    held.st_ino == named.st_ino)
			return fd;
		close(fd);
	}
	errno = EBUSY;
	return chip_server_fail("can't claim");
}

static int make_trees(struct chip *chip)
{
	struct device *dev = chip_device(chip);

	for (unsigned int f = 0; f < dev->nfunctions; f++) {
		struct vhca *v = &dev->vhca[f];

		sysfs_remove(in_dir(v->name));
		errno = -sysfs_tree_make(in_dir(v->name), v);
		if (!errno)
			errno = -sysfs_tree_count(in_dir(v->name), v);
		if (errno)
			return chip_server_fail("can't make the sysfs tree in");
	}
	return 0;
}

static int listener(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	const char *path = in_dir("socket");
	int sock;

	if (strlen(path) >= sizeof(at.sun_path)) {
		errno = ENAMETOOLONG;
		return chip_server_fail("can't make a socket in");
	}
	strcpy(at.sun_path, path);
	unlink(path);
	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0 || bind(sock, (struct sockaddr *)&at, sizeof(at)) || listen(sock, 128))
		return chip_server_fail("can't make a socket in");
	return sock;
}

static void clean_up(void)
{
	static const char *const files[] = {"socket", "log", "lock"};

	for (unsigned int f = 0; f < profile_functions(&profile); f++)
		sysfs_remove(in_dir(profile_row(&profile, f).name));
	for (unsigned int i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(in_dir(files[i]));
	rmdir(option.dir);
}

/*
 * Raises the limit of descriptors: each client needs about ten. At the limit of a file's size a
 * write fails, and does not kill the chip.
 */
static void raise_limits(void)
{
	struct rlimit files;

	signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static void chip_server_take_signals(struct chip *chip)
{
	static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
	struct sigaction stop = {.sa_handler = chip_server_on_signal};

	the_chip = chip;
	for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaction(ends[i], &stop, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int start_trace(void)
{
	int fd = STDERR_FILENO;

	if (!option.trace)
		return 0;
	if (strcmp(option.trace, "-"))
		fd = open(option.trace, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	trace_to(fd);
	if (fd >= 0)
		return 0;
	fprintf(stderr, "dvx-sim: can't write the trace to %s: %s\n", option.trace,
		strerror(errno));
	return -1;
}

static int start_record(void)
{
	const int err = option.record ? lab_record_to(option.record) : 0;

	if (err)
		fprintf(stderr, "dvx-sim: can't record to %s: %s\n", option.record, strerror(-err));
	return err;
}

/*
 * Closes the caller's standard streams; a reader of `up`'s output would otherwise wait for the
 * server's end. From here on refusals go to the log.
 */
static int detach(void)
{
	int log = open(in_dir("log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (log < 0 || nowhere < 0)
		return chip_server_fail("can't detach the chip in");
	sim_log_to(log);
	sim_log_most(LOG_MOST);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(nowhere, fd);
	close(nowhere);
	if (chdir("/"))
		sim_note("can't leave the folder that this was started in");
	return 0;
}

static int chip_server_serve(struct chip *chip)
{
	int sock = listener();
	struct sessions *server;

	if (sock < 0)
		return -1;
	server = sessions_new(chip, sock, option.name);
	if (!server)
		return chip_server_fail("can't serve");
	if (option.lifeline >= 0)
		chip_watch(chip, option.lifeline, lifeline_cut, chip);
	if (option.detach && detach()) {
		sessions_free(server);
		return -1;
	}
	if (option.detach) /* otherwise they share the program's stderr */
		sessions_pass_refusals_on(server);
	if (option.ready >= 0 && write(option.ready, "R", 1) == 1)
		close(option.ready);
	process_is_device();
	kernel_on_async_fd(chip_kernel(chip), watchdog_add, &watchdog);
	chip_run(chip);
	kernel_unplug(chip_kernel(chip));
	watchdog_stop(&watchdog);
	sessions_free(server);
	return 0;
}

/* Writes the link's state to the trees, for programs that open the device later. */
static void show_link(void *chip, bool up)
{
	const struct device *dev = chip_device(chip);

	netdevs_link(netdevs, up); /* the interfaces show it, too */
	for (unsigned int f = 0; !netdevs && f < dev->nfunctions; f++)
		if (sysfs_tree_link(in_dir(dev->vhca[f].name), &dev->vhca[f]))
			sim_note("sysfs does not show the state of the link");
}

static int set_faults(struct chip *chip)
{
	struct fault_rates rates;
	char why[FAULT_WHY];

	if (!option.fault)
		return 0;
	if (fault_rates_parse(&rates, option.fault, why)) {
		fprintf(stderr, "dvx-sim: --fault: %s\n", why);
		return -1;
	}
	port_set_faults(chip_device(chip)->port, &rates);
	return 0;
}

/* Opens the wire. The tool has checked the form. Switches are beside the chips' folders. */
static struct wire *open_wire(struct device *dev, char *why)
{
	const int registry = (int)(strrchr(option.dir, '/') - option.dir);
	char path[PATH_MAX];

	if (!strncmp(option.wire, "peer=", 5)) {
		snprintf(path, sizeof(path), "%.*s/.switches", registry, option.dir);
		mkdir(path, 0700);
		snprintf(path, sizeof(path), "%.*s/.switches/%s", registry, option.dir,
			 option.wire + 5);
		return peer_open(dev, path, why);
	}
	if (!strcmp(option.wire, "udp"))
		return udp_open(dev, "127.0.0.1", why);
	if (!strncmp(option.wire, "udp=", 4))
		return udp_open(dev, option.wire + 4, why);
	if (!strncmp(option.wire, "tap=", 4))
		return tap_wire_open(dev, option.wire + 4, why);
	snprintf(why, WIRE_WHY, "there is no wire %.100s", option.wire);
	return NULL;
}

static int set_wire(struct chip *chip)
{
	char why[WIRE_WHY];
	struct wire *w;

	if (!option.wire || !strcmp(option.wire, "loop"))
		return 0;
	w = open_wire(chip_device(chip), why);
	if (w)
		snprintf(w->name, sizeof(w->name), "%s", option.wire);
	if (w && !chip_set_wire(chip, w))
		return 0;
	fprintf(stderr, "dvx-sim: --wire: %s\n", w ? "out of memory" : why);
	return -1;
}

/* Sets a function's address. A wire that has one gives it to the first function. */
static int set_ip(struct device *dev, const char *text, size_t len)
{
	char why[SETTING_WHY];
	unsigned int function;
	uint8_t gid[16], prefix;
	int err, rc = profile_ip(&profile, text, len, &function, gid, &prefix, why);

	if (!rc && !function && dev->udp_sport) {
		snprintf(why, sizeof(why), "the wire gives %s its address", dev->vhca[0].name);
		rc = -1;
	}
	err = rc || !dev->udp_sport
		      ? 0
		      : udp_give_address(port_wire(dev->port), &dev->vhca[function], gid);
	if (err) {
		snprintf(why, sizeof(why), "%.*s on wire udp: %s", (int)len, text, strerror(-err));
		rc = -1;
	}
	if (rc)
		fprintf(stderr, "dvx-sim: --ip: %s\n", why);
	else
		vhca_set_ip(&dev->vhca[function], gid, prefix);
	return rc;
}

static int set_ips(struct device *dev)
{
	for (const char *at = option.ip; at && *at;) {
		size_t len = strcspn(at, ",");

		if (set_ip(dev, at, len))
			return -1;
		at += len + (at[len] == ',');
	}
	return 0;
}

/* Also called by netdevs_new() before it returns. */
static void show_netdev(void *arg, const struct vhca *v, unsigned int port)
{
	char name[NETDEV_NAME];

	(void)arg;
	netdev_name(name, option.name, v, port);
	if (sysfs_tree_update(in_dir(v->name), v, port, name))
		sim_note("sysfs does not show the network interface as it is");
}

static int make_netdevs(struct chip *chip)
{
	const char *wrong = NULL;

	if (option.ip)
		wrong = "instead of --ip, put the address on the interface";
	else if (chip_device(chip)->udp_sport)
		wrong = "--wire udp has the machine's own interface";
	if (option.netdev && wrong) {
		fprintf(stderr, "dvx-sim: --netdev: %s\n", wrong);
		return -1;
	}
	if (option.netdev)
		netdevs = netdevs_new(chip, option.name, show_netdev, NULL);
	return option.netdev && !netdevs ? -1 : 0;
}

static int run_chip(void)
{
	struct chip *chip = chip_new(&profile, NULL);
	int rc;

	if (!chip)
		return chip_server_fail("can't build a chip for");
	if (option.hostile)
		hostile_start(strtoull(option.hostile, NULL, 10));
	chip_server_take_signals(chip);
	chip_owns_heap(chip);
	chip_on_link(chip, show_link, chip);
	rc = set_wire(chip) || set_ips(chip_device(chip)) || set_faults(chip) || make_trees(chip) ||
			     make_netdevs(chip)
		     ? -1
		     : 0;
	if (!rc)
		rc = chip_server_serve(chip);
	the_chip = NULL; /* signals have nothing more to stop */
	netdevs_free(netdevs);
	chip_free(chip);
	return rc;
}

static int chip_server_parse(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--detach")) {
			option.detach = true;
			continue;
		}
		if (!strcmp(argv[i], "--netdev")) {
			option.netdev = true;
			continue;
		}
		if (!strcmp(argv[i], "--dir"))
			option.dir = value;
		else if (!strcmp(argv[i], "--name"))
			option.name = value;
		else if (!strcmp(argv[i], "--trace"))
			option.trace = value;
		else if (!strcmp(argv[i], "--record"))
			option.record = value;
		else if (!strcmp(argv[i], "--set"))
			option.set = value;
		else if (!strcmp(argv[i], "--fault"))
			option.fault = value;
		else if (!strcmp(argv[i], "--wire"))
			option.wire = value;
		else if (!strcmp(argv[i], "--ip"))
			option.ip = value;
		else if (!strcmp(argv[i], "--hostile"))
			option.hostile = value;
		else if (!strcmp(argv[i], "--ready"))
			option.ready = atoi(value);
		else if (!strcmp(argv[i], "--lifeline"))
			option.lifeline = atoi(value);
		else
			return -1;
		i++;
	}
	return option.dir && option.name ? 0 : -1;
}

static int profile_check(const char *from, const char *set)
{
	char why[SETTING_WHY];

	if (!*set || !settings_check(set, why))
		return 0;
	fprintf(stderr, "dvx-sim: %s: %s\n", from, why);
	return -1;
}

/* Takes the settings of both as one text, so that a chip of --set keeps those of DVX_SIM_SET. */
static int choose_profile(void)
{
	const char *env = getenv("DVX_SIM_SET"), *set = option.set ? option.set : "";
	char *both, why[SETTING_WHY];

	env = env ? env : "";
	profile = profile_bluefield2;
	if (profile_check("DVX_SIM_SET", env) || profile_check("--set", set) ||
	    asprintf(&both, "%s%s%s", env, *env && *set ? "," : "", set) < 0)
		return -1;
	if (*both)
		settings_apply(&profile, both, why);
	free(both);
	return 0;
}

int main(int argc, char **argv)
{
	int lock, rc;

	if (chip_server_parse(argc, argv)) {
		fprintf(stderr, "dvx-sim-server is started by dvx-sim (see dvx-sim --help).\n");
		return 2;
	}
	if (choose_profile())
		return 2;
	raise_limits();
	watchdog_start(&watchdog);
	lock = chip_server_claim();
	if (lock < 0)
		return 1;
	rc = start_trace() || start_record() ? -1 : run_chip();
	clean_up();
	close(lock);
	return rc ? 1 : 0;
}
