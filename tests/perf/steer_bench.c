/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device under steer_rules: how much of a CPU its own work takes while libmlx5 inserts, beside
 * libmlx5's, and how fast it then walks packets through what libmlx5 wrote. It is the server's core
 * with a loop that can be timed; no NIC's speed is measured. What libmlx5 wrote can be recorded,
 * and walked again without it: callgrind does not know all that the server asks of the kernel.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/thread.h"
#include "chip/chip.h"
#include "chip/datapath.h"
#include "chip/session.h"
#include "chip/tree.h"
#include "sysfs/sysfs.h"
#include "host/uar.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "obj/icm.h"
#include "steer/priv.h"
#include "steer/steer.h"
#include "rounds.h"

#define TABLES	3u
#define PACKETS 4096u
#define TURNS	16u    /* of the data path between two looks at requests */
#define NAP	10000u /* ns */

struct bench {
	struct chip *chip;
	struct device *dev;
	char dir[64];
	int say, hear; /* to and from the program */
	char heard;
	uint64_t work, started, inserted;
	uint64_t clock; /* what reading the clock adds to a turn */
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- the device --------------------------------------------------------------------------------
 */

static int listen_at(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	if (sock < 0 || bind(sock, (struct sockaddr *)&at, sizeof(at)) || listen(sock, 8))
		die("socket");
	return sock;
}

static void heard(void *arg, int fd)
{
	struct bench *b = arg;

	if (read(fd, &b->heard, 1) != 1) {
		fprintf(stderr, "steer_bench: the program has ended\n");
		exit(1);
	}
	if (b->heard == 'B') {
		b->work = 0;
		b->started = now(CLOCK_MONOTONIC);
	} else {
		b->inserted = now(CLOCK_MONOTONIC) - b->started;
	}
}

static void open_device(struct bench *b)
{
	char path[96];

	b->chip = chip_new(&profile_bluefield2, NULL);
	snprintf(b->dir, sizeof(b->dir), "%s/bench.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!b->chip || !mkdtemp(b->dir))
		die("chip");
	b->dev = chip_device(b->chip);
	snprintf(path, sizeof(path), "%s/host", b->dir);
	if (sysfs_tree_make(path, &b->dev->vhca[BLUEFIELD2_HOST]))
		die("sysfs");
	snprintf(path, sizeof(path), "%s/socket", b->dir);
	if (!sessions_new(b->chip, listen_at(path), "steer-bench"))
		die("link");
	if (chip_watch(b->chip, b->hear, heard, b))
		die("watch");
}

static void run_program(struct bench *b, const char *preload, char *program, char *rules)
{
	char *argv[] = {program, rules, NULL}, path[96];
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die("pipe");
	b->say = in[1];
	b->hear = out[0];
	open_device(b);
	if (fork()) {
		close(in[0]);
		close(out[1]);
		return;
	}
	dup2(in[0], STDIN_FILENO);
	dup2(out[1], STDOUT_FILENO);
	snprintf(path, sizeof(path), "%s/socket", b->dir);
	setenv("DVX_SIM_SOCKET", path, 1);
	snprintf(path, sizeof(path), "%s/host", b->dir);
	setenv("SYSFS_PATH", path, 1);
	setenv("DVX_SIM_FUNCTION", "host", 1);
	setenv("LD_PRELOAD", preload, 1);
	execv(program, argv);
	die(program);
}

/* Turns that find nothing are not the device's work: they wait for libmlx5. */
static __attribute__((noipa)) bool device_turn(struct bench *b)
{
	bool rung = host_poll(chip_host(b->chip)) > 0;

	return datapath_run(b->dev) || rung;
}

/* The median, as steer_rules takes it from libmlx5's time. */
static uint64_t clock_cost(void)
{
	uint64_t t[1001];

	for (unsigned int i = 0; i < 1001; i++) {
		uint64_t start = now(CLOCK_THREAD_CPUTIME_ID);

		t[i] = now(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	qsort(t, 1001, sizeof(t[0]), by_count);
	return t[500];
}

static bool timed_turns(struct bench *b)
{
	bool did = false;

	for (unsigned int i = 0; i < TURNS; i++) {
		uint64_t start = now(CLOCK_THREAD_CPUTIME_ID);

		if (!device_turn(b))
			break;
		b->work += now(CLOCK_THREAD_CPUTIME_ID) - start - b->clock;
		did = true;
	}
	return did;
}

/*
 * A device that has nothing to do leaves the CPU to the program, as chip_run() does; but only while
 * its own time counts does it sleep as deep, since a doorbell that wakes it costs the program time.
 */
static void serve(struct bench *b)
{
	const struct timespec nap = {.tv_nsec = NAP};

	thread_runs_loop();
	process_is_device();
	b->clock = clock_cost();
	while (b->heard != 'E') {
		bool idle = !timed_turns(b);

		if (idle && b->heard == 'B')
			idle = host_arm(chip_host(b->chip), now(CLOCK_MONOTONIC));
		if (idle)
			nanosleep(&nap, NULL);
		chip_turn(b->chip);
	}
}

/* --- packets -----------------------------------------------------------------------------------
 */

static const uint8_t frame[64] = {0x02, 0xd7, 0,    0, 0, 1,  0x02, 0x11, 0x22, 0x33, 0x44, 0x55,
				  0x08, 0x00, 0x45, 0, 0, 50, 0,    1,	  0,	0,    64,   17};

static void put32(uint8_t *p, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Fills number i as steer_rules does. */
static void fill(uint8_t *p, uint32_t i)
{
	memcpy(p, frame, sizeof(frame));
	put32(p + 26, 0x0a000000u + i);
	put32(p + 30, 0x0b000000u + i * 5);
	put32(p + 34, (1000 + i % 997) << 16 | 53);
	put32(p + 38, 30u << 16);
}

static __attribute__((noipa)) void walk(struct vhca *v, uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct packet p = {.data = bytes + i % PACKETS * sizeof(frame),
				   .len = sizeof(frame) - 4,
				   .source_vhca = STEER_FROM_WIRE};

		packet_parse_headers(&p);
		steer_rx(v, &p);
	}
}

static double walk_rate(struct bench *b, uint32_t rules, uint32_t n)
{
	struct vhca *v = &b->dev->vhca[BLUEFIELD2_HOST];
	uint8_t *bytes = malloc(PACKETS * sizeof(frame));
	uint64_t start;

	for (uint32_t i = 0; i < PACKETS; i++)
		fill(bytes + i * sizeof(frame), (uint32_t)rand() % (rules / TABLES));
	start = now(CLOCK_THREAD_CPUTIME_ID);
	walk(v, bytes, n);
	start = now(CLOCK_THREAD_CPUTIME_ID) - start;
	free(bytes);
	if (steer_stats(v)->ends[STEER_DROP] != n) {
		fprintf(stderr, "steer_bench: of %u packets %llu met the last table's rules\n", n,
			(unsigned long long)steer_stats(v)->ends[STEER_DROP]);
		exit(1);
	}
	return n * 1e9 / (double)start;
}

/* --- what libmlx5 wrote, in a file -------------------------------------------------------------
 */

#define PAGE (1u << ICM_LOG_BLOCK)

struct page {
	uint64_t addr;
	uint8_t bytes[PAGE];
};

static bool is_zero(const uint8_t *p)
{
	return !p[0] && !memcmp(p, p + 1, PAGE - 1);
}

/* The first table's root, then the pages that hold something. */
static void record(const struct vhca *v, const char *path)
{
	const struct flow_table *t;
	const struct sw_icm *s;
	struct page page;
	FILE *to = fopen(path, "wb");

	for (uint32_t id = 0; (t = obj_next(v, OBJ_FLOW_TABLE, id)) && !t->sw_owner;)
		id = t->o.id + 1;
	if (!to || !t || fwrite(&t->icm_root, sizeof(t->icm_root), 1, to) != 1)
		die(path);
	for (uint32_t id = 0; (s = obj_next(v, OBJ_SW_ICM, id)); id = s->o.id + 1)
		for (page.addr = s->addr; page.addr < s->addr + s->len; page.addr += PAGE) {
			memcpy(page.bytes, icm_bytes(v, page.addr, PAGE), PAGE);
			if (!is_zero(page.bytes) && fwrite(&page, sizeof(page), 1, to) != 1)
				die(path);
		}
	if (fclose(to))
		die(path);
}

static uint64_t load(struct vhca *v, const char *path)
{
	FILE *from = fopen(path, "rb");
	struct page page;
	uint64_t root;

	if (!from || fread(&root, sizeof(root), 1, from) != 1)
		die(path);
	while (fread(&page, sizeof(page), 1, from) == 1) {
		if (icm_alloc(v, page.addr, PAGE))
			die("icm");
		memcpy((uint8_t *)(uintptr_t)icm_bytes(v, page.addr, PAGE), page.bytes, PAGE);
	}
	fclose(from);
	return root;
}

static __attribute__((noipa)) uint32_t walk_recorded(struct vhca *v, uint64_t root, uint8_t *bytes,
						     uint32_t n)
{
	uint32_t dropped = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct packet p = {.data = bytes + i % PACKETS * sizeof(frame),
				   .len = sizeof(frame) - 4,
				   .source_vhca = STEER_FROM_WIRE};
		struct steer_walk w = {.version = &ste_v1,
				       .function = v,
				       .vhca = v,
				       .packet = &p,
				       .hops = 64,
				       .steps = 65536};
		uint64_t at = root;

		packet_parse_headers(&p);
		/* a rule's destination is the next table's root */
		while (icm_kind(at) == ICM_STE)
			at = ste_walk(&w, at);
		dropped += at == icm_addr(ICM_END, ICM_DROP);
	}
	return dropped;
}

static int replay(const char *path, uint32_t rules, uint32_t n)
{
	static struct device dev;
	struct host *host = host_new();
	uint8_t *bytes = malloc(PACKETS * sizeof(frame));
	uint64_t root;

	if (!host || device_init(&dev, host, &clock_monotonic, &profile_bluefield2))
		die("device");
	root = load(&dev.vhca[BLUEFIELD2_HOST], path);
	for (uint32_t i = 0; i < PACKETS; i++)
		fill(bytes + i * sizeof(frame), (uint32_t)rand() % (rules / TABLES));
	return walk_recorded(&dev.vhca[BLUEFIELD2_HOST], root, bytes, n) != n;
}

/* steer_bench PRELOAD PROGRAM RULES PACKETS RECORD | steer_bench RECORD RULES PACKETS */
int main(int argc, char **argv)
{
	struct bench b = {.heard = 0};
	uint32_t rules, packets;
	double rate;

	if (argc == 4)
		return replay(argv[1], (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]));
	if (argc != 6)
		return 2;
	rules = (uint32_t)atoi(argv[3]) / TABLES * TABLES;
	packets = (uint32_t)atoi(argv[4]);
	run_program(&b, argv[1], argv[2], argv[3]);
	serve(&b);
	rate = walk_rate(&b, rules, packets);
	record(&b.dev->vhca[BLUEFIELD2_HOST], argv[5]);
	printf("rules %u\ninsert_ns %llu\ndevice_ns %llu\nwalk_per_s %.0f\n", rules,
	       (unsigned long long)b.inserted, (unsigned long long)b.work, rate);
	/* The program ends though nobody serves it any more. */
	close(b.say);
	wait(NULL);
	return 0;
}
