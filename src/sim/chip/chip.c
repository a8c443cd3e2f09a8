/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/eqe.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/heap.h"
#include "base/thread.h"
#include "chip.h"
#include "datapath.h"
#include "mads.h"
#include "queue/queue.h"
#include "kernel/cm/cm.h"
#include "kernel/kernel.h"
#include "link/msg.h"
#include "host/client.h"
#include "host/uar.h"
#include "obj/device.h"
#include "port/capture.h"
#include "port/port.h"
#include "port/replay.h"
#include "port/wire.h"
#include "wire_wait.h"

#define CONTROL_NS 20000u /* interval of handling requests while the data path is busy */
#define EVENTS	   16

/* eqe.sub_type of PORT_CHANGE, as in Linux's mlx5 */
#define PORT_SUBTYPE_DOWN   1
#define PORT_SUBTYPE_ACTIVE 4

struct watched {
	void (*fn)(void *arg, int fd);
	void *arg;
	uint32_t generation; /* tells a reused fd from the one of an event; 0: none */
};

enum chip_stopping { CHIP_RUNS, CHIP_STOPS, CHIP_FAILS };

struct chip {
	struct device device;
	struct host *host;
	struct kernel *kernel;
	struct mads *mads;
	struct port_replay *replay;
	struct port_captures *captures;
	struct clock *clock;
	bool has_device, has_datapath;
	bool own_heap;
	struct watched *watched; /* by fd */
	int nwatched;
	uint32_t generation;
	int epfd, stop_fd;
	int stopping; /* enum chip_stopping */
	uint64_t control_at;
	bool control_done; /* requests were handled since the last turn */
	struct wire_wait wire;
	chip_frame_fn on_frame;
	void *on_frame_arg;
	void (*on_link)(void *arg, bool up);
	void *on_link_arg;
	void (*on_neighbours)(void *arg);
	void *on_neighbours_arg;
};

static void doorbell_woke(void *host, int fd)
{
	(void)fd;
	host_wake(host);
}

static void chip_stop_asked(void *arg, int fd)
{
	uint64_t count;
	ssize_t n = read(fd, &count, sizeof(count));

	(void)arg;
	(void)n;
}

static int chip_open_parts(struct chip *c, const struct profile *profile)
{
	c->epfd = epoll_create1(EPOLL_CLOEXEC);
	c->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->host = host_new();
	if (c->epfd < 0 || c->stop_fd < 0 || !c->host)
		return -ENOMEM;
	c->has_device = !device_init(&c->device, c->host, c->clock, profile);
	if (!c->has_device)
		return -ENOMEM;
	c->has_datapath = !datapath_open(&c->device);
	if (!c->has_datapath)
		return -ENOMEM;
	c->kernel = kernel_new(&c->device);
	c->mads = mads_new(&c->device);
	c->replay = replay_new(c->device.port);
	c->captures = captures_new(&c->device);
	return c->kernel && c->mads && c->replay && c->captures ? 0 : -ENOMEM;
}

/* --- the front: kernel/ and its parts --------------------------------------------------------- */

static void front_event(void *chip, struct vhca *v, uint32_t eqn, const void *eqe)
{
	kernel_event(((struct chip *)chip)->kernel, v, eqn, eqe);
}

static void front_mad(void *chip, struct vhca *v, const struct roce_packet *r, const uint8_t *mad)
{
	const struct chip *c = chip;

	if (c->mads)
		mads_arrive(c->mads, v, r, mad);
}

static bool front_to_netdev(void *chip, const struct vhca *v, unsigned int port,
			    const uint8_t *bytes, uint32_t len)
{
	const struct chip *c = chip;

	return c->on_frame && c->on_frame(c->on_frame_arg, v, port, bytes, len);
}

static void front_neighbour(void *chip)
{
	struct chip *c = chip;

	cm_neighbours(mads_cm(c->mads));
	if (c->on_neighbours)
		c->on_neighbours(c->on_neighbours_arg);
}

static const struct front_ops chip_front = {
	.event = front_event,
	.mad = front_mad,
	.neighbour = front_neighbour,
	.to_netdev = front_to_netdev,
};

static const struct strict_ops strict_ops = {queue_trapped, queue_blueflame};

static int connect_parts(struct chip *c)
{
	int err;

	c->device.front = &chip_front;
	c->device.front_ctx = c;
	host_on_doorbell(c->host, queue_doorbell, &c->device);
	if (c->device.profile->strict_doorbells)
		host_be_strict(c->host, &strict_ops);
	host_set_clock(c->host, c->clock);
	err = chip_watch(c, c->stop_fd, chip_stop_asked, NULL);
	return err ? err : chip_watch(c, host_epoll_fd(c->host), doorbell_woke, c->host);
}

struct chip *chip_new(const struct profile *profile, struct clock *clock)
{
	struct chip *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->epfd = -1;
	c->stop_fd = -1;
	c->clock = clock ? clock : &clock_monotonic;
	if (chip_open_parts(c, profile) || connect_parts(c)) {
		chip_free(c);
		return NULL;
	}
	return c;
}

void chip_free(struct chip *c)
{
	if (!c)
		return;
	replay_free(c->replay);
	captures_free(c->captures);
	mads_free(c->mads);
	c->mads = NULL;
	if (c->kernel)
		kernel_free(c->kernel);
	if (c->has_datapath)
		datapath_close(&c->device);
	if (c->has_device)
		device_fini(&c->device);
	host_free(c->host);
	if (c->stop_fd >= 0)
		close(c->stop_fd);
	if (c->epfd >= 0)
		close(c->epfd);
	free(c->watched);
	free(c);
}

struct kernel *chip_kernel(struct chip *c)
{
	return c->kernel;
}

struct cm *chip_cm(struct chip *c)
{
	return mads_cm(c->mads);
}

size_t chip_resources(struct chip *c, unsigned int function, size_t first,
		      struct uverbs_resource *rows, size_t max)
{
	const size_t verbs = kernel_resources(c->kernel, function, first, rows, max);
	const size_t filled = verbs <= first ? 0 : verbs - first < max ? verbs - first : max;

	return verbs + cm_resources(chip_cm(c), function, first > verbs ? first - verbs : 0,
				    filled ? rows + filled : rows, max - filled);
}

struct host *chip_host(struct chip *c)
{
	return c->host;
}

struct device *chip_device(struct chip *c)
{
	return &c->device;
}

struct port_replay *chip_replay(struct chip *c)
{
	return c->replay;
}

struct port_captures *chip_captures(struct chip *c)
{
	return c->captures;
}

void chip_on_link(struct chip *c, void (*fn)(void *arg, bool up), void *arg)
{
	c->on_link = fn;
	c->on_link_arg = arg;
}

void chip_set_link(struct chip *c, bool up)
{
	uint8_t eqe[PRM_EQE_BYTES] = {0};

	if (c->device.link_down == !up)
		return;
	port_set_link(c->device.port, up);
	if (c->on_link)
		c->on_link(c->on_link_arg, up);
	prm_eqe_set_type(eqe, PRM_EVENT_PORT_CHANGE);
	prm_eqe_set_sub_type(eqe, up ? PORT_SUBTYPE_ACTIVE : PORT_SUBTYPE_DOWN);
	prm_eqe_set_port(eqe, 1);
	for (unsigned int i = 0; i < c->device.nfunctions; i++)
		kernel_event(c->kernel, &c->device.vhca[i], 0, eqe);
}

void chip_on_frame(struct chip *c, chip_frame_fn fn, void *arg)
{
	c->on_frame = fn;
	c->on_frame_arg = arg;
}

void chip_on_neighbours(struct chip *c, void (*fn)(void *arg), void *arg)
{
	c->on_neighbours = fn;
	c->on_neighbours_arg = arg;
}

/* Only ends the sleep: each turn reads the wire, as long as there is one. */
static void wire_woke(void *chip, int fd)
{
	struct chip *c = chip;

	if (c->device.failed || port_wire(c->device.port)->gone)
		chip_unwatch(c, fd);
}

int chip_set_wire(struct chip *c, struct wire *w)
{
	port_set_wire(c->device.port, w);
	return chip_watch(c, w->fd, wire_woke, c);
}

void chip_owns_heap(struct chip *c)
{
	c->own_heap = true;
}

static int watched_grow(struct chip *c, int fd)
{
	int i, n = fd + 32;
	struct watched *watched;

	if (fd < c->nwatched)
		return 0;
	watched = reallocarray(c->watched, (size_t)n, sizeof(*watched));
	if (!watched)
		return -ENOMEM;
	for (i = c->nwatched; i < n; i++)
		watched[i] = (struct watched){0};
	c->watched = watched;
	c->nwatched = n;
	return 0;
}

int chip_watch(struct chip *c, int fd, void (*fn)(void *arg, int fd), void *arg)
{
	uint32_t generation = ++c->generation ? c->generation : ++c->generation;
	struct epoll_event ev = {
		.events = EPOLLIN,
		.data.u64 = (uint64_t)generation << 32 | (uint32_t)fd,
	};
	int err = fd < 0 ? -EBADF : watched_grow(c, fd);

	if (err)
		return err;
	if (epoll_ctl(c->epfd, EPOLL_CTL_ADD, fd, &ev))
		return -errno;
	c->watched[fd] = (struct watched){fn, arg, generation};
	return 0;
}

void chip_unwatch(struct chip *c, int fd)
{
	if (fd < 0 || fd >= c->nwatched)
		return;
	epoll_ctl(c->epfd, EPOLL_CTL_DEL, fd, NULL);
	c->watched[fd].generation = 0;
}

/* Waits up to ns for a descriptor. UINT64_MAX: for ever. */
static int wait_events(struct chip *c, struct epoll_event *ev, uint64_t ns)
{
	struct timespec t = {
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};

	struct pollfd p = {.fd = c->epfd, .events = POLLIN};
	int n = epoll_pwait2(c->epfd, ev, EVENTS, ns == UINT64_MAX ? NULL : &t, NULL);

	if (n >= 0 || errno == EINTR)
		return n;
	/* Sandboxes may not have the call. */
	if (ppoll(&p, 1, ns == UINT64_MAX ? NULL : &t, NULL) <= 0)
		return 0;
	return epoll_wait(c->epfd, ev, EVENTS, 0);
}

/* Callbacks may watch and unwatch any descriptors during this loop. */
static void requests_handle(struct chip *c, const struct epoll_event *ev, int n)
{
	for (int i = 0; i < n; i++) {
		int fd = (int)(uint32_t)ev[i].data.u64;
		struct watched w = c->watched[fd];

		if (w.generation == ev[i].data.u64 >> 32)
			w.fn(w.arg, fd);
	}
}

/*
 * A request does not overtake the doorbells that its program rang before: on PCIe they arrive in
 * order, and no command is as fast as a WQE.
 */
static bool requests(struct chip *c, uint64_t ns)
{
	struct epoll_event ev[EVENTS];
	int n = wait_events(c, ev, ns);

	if (n > 0) {
		host_poll(c->host);
		datapath_run(&c->device);
	}
	requests_handle(c, ev, n);
	return n > 0;
}

/* Fires timers that are due since the data path's turn began. */
static bool fire_timers(struct chip *c)
{
	struct timers *timers = &c->device.timers;

	return timers->n && timers_run(timers, c->device.now) > 0;
}

/* Returns the time that the data path has just read, unless a test drives the chip's clock. */
static uint64_t real_now(const struct chip *c)
{
	return c->clock == &clock_monotonic ? c->device.now : clock_monotonic.now(&clock_monotonic);
}

static bool chip_work(struct chip *c)
{
	const bool rang = host_poll(c->host) > 0, came = port_run_wire(c->device.port);
	const struct wire *w = port_wire(c->device.port);
	bool did = rang || came;

	did |= datapath_run(&c->device);
	did |= replay_run(c->replay);
	did |= captures_run(c->captures);
	did |= fire_timers(c);
	did |= port_flush_wire(c->device.port); /* last: sends what the others have queued */
	if (w)
		wire_wait_turn(&c->wire, real_now(c), rang, came, w->sent);
	return did;
}

bool chip_turn(struct chip *c)
{
	bool busy = requests(c, 0);

	busy |= chip_work(c);
	return busy;
}

/* Returns the time until the next timer. */
static uint64_t until_timer(struct chip *c)
{
	uint64_t at = timers_next(&c->device.timers), now;

	if (at == UINT64_MAX)
		return UINT64_MAX;
	now = c->clock->now(c->clock);
	return at > now ? at - now : 0;
}

/* Waits for a request, and settles a piece of the heap, which takes about 1 ms, if none comes. */
#define HEAP_QUIET_NS 5000000u
static void settle_heap(struct chip *c)
{
	if (!requests(c, HEAP_QUIET_NS))
		heap_settle();
}

/* Sleeps in real time, whatever clock the chip's timers follow. */
static void idle(struct chip *c, uint64_t now)
{
	uint64_t ns, timer;

	ns = wire_wait_ns(&c->wire, now);
	ns = ns == WIRE_WAIT_NONE ? host_arm(c->host, now) : clock_pages_nap(c->host, ns);
	if (!ns || queues_settle(&c->device))
		return;
	timer = until_timer(c);
	ns = ns < timer ? ns : timer;
	if (ns > HEAP_QUIET_NS && c->own_heap && heap_has_more())
		settle_heap(c);
	else
		requests(c, ns);
	c->control_done = true;
}

static bool control(struct chip *c, uint64_t now)
{
	const bool due = now >= c->control_at && !c->control_done;

	if (due || c->control_done)
		c->control_at = now + CONTROL_NS;
	c->control_done = false;
	return due && requests(c, 0);
}

/* A failed device takes doorbells, so that no program is held in its store, and does nothing. */
static void chip_ignore_doorbell(void *chip, uint32_t uar, uint32_t offset, uint64_t value)
{
	(void)chip, (void)uar, (void)offset, (void)value;
}

static void chip_ignore_trap(void *chip, uint32_t uar)
{
	(void)chip, (void)uar;
}

static void chip_ignore_blueflame(void *chip, uint32_t uar, const uint8_t *bytes, size_t len)
{
	(void)chip, (void)uar, (void)bytes, (void)len;
}

/*
 * Handles requests of a failed device; the kernel refuses them. Timers stand still. Captures get
 * what was on the wire before.
 */
static void chip_run_failed(struct chip *c)
{
	static const struct strict_ops ignore = {chip_ignore_trap, chip_ignore_blueflame};
	struct epoll_event ev[EVENTS];

	host_on_doorbell(c->host, chip_ignore_doorbell, c);
	if (c->device.profile->strict_doorbells)
		host_be_strict(c->host, &ignore);
	c->device.failed = true;
	kernel_unplug(c->kernel);
	front_neighbour(c); /* requests that wait for an address fail now */
	while (__atomic_load_n(&c->stopping, __ATOMIC_ACQUIRE) == CHIP_FAILS) {
		host_poll(c->host);
		captures_run(c->captures);
		replay_fail(c->replay);
		requests_handle(c, ev, wait_events(c, ev, host_arm(c->host, real_now(c))));
	}
}

int chip_run(struct chip *c)
{
	thread_runs_loop();
	while (!__atomic_load_n(&c->stopping, __ATOMIC_ACQUIRE)) {
		bool busy = chip_work(c);
		uint64_t now = real_now(c);

		busy |= control(c, now);
		if (!busy)
			idle(c, now);
	}
	if (__atomic_load_n(&c->stopping, __ATOMIC_ACQUIRE) == CHIP_FAILS)
		chip_run_failed(c);
	__atomic_store_n(&c->stopping, CHIP_RUNS, __ATOMIC_RELAXED);
	return 0;
}

void chip_stop(struct chip *c)
{
	uint64_t one = 1;
	ssize_t n;

	__atomic_store_n(&c->stopping, CHIP_STOPS, __ATOMIC_RELEASE);
	n = write(c->stop_fd, &one, sizeof(one));
	(void)n;
}

void chip_fail(struct chip *c)
{
	int runs = CHIP_RUNS;

	__atomic_compare_exchange_n(&c->stopping, &runs, CHIP_FAILS, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}
