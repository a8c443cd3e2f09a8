/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_H
#define SIM_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chip;
struct clock;
struct kernel;
struct profile;
struct cm;
struct port_captures;
struct host;
struct port_replay;
struct device;
struct uverbs_resource;
struct vhca;
struct wire;

/*
 * The composition root: builds one chip from its parts and owns the loop. clock NULL: the monotonic
 * one. Requests reach the loop through file descriptors that sessions register here, so nothing
 * below needs a lock.
 */
struct chip *chip_new(const struct profile *, struct clock *);
void chip_free(struct chip *);
struct kernel *chip_kernel(struct chip *);
struct cm *chip_cm(struct chip *);
/*
 * Fills at most max rows of a function's objects as `rdma res` shows them, verbs' and RDMA_CM's,
 * from `first` on. Returns how many there are in all.
 */
size_t chip_resources(struct chip *, unsigned int function, size_t first,
		      struct uverbs_resource *rows, size_t max);
struct host *chip_host(struct chip *);
struct device *chip_device(struct chip *);
struct port_replay *chip_replay(struct chip *);
struct port_captures *chip_captures(struct chip *);

/* Sets the port's link up or down, calls on_link, then sends events to programs. */
void chip_set_link(struct chip *, bool up);
void chip_on_link(struct chip *, void (*fn)(void *arg, bool up), void *arg);

/* Sets the function that passes frames to network interfaces; it returns false for a lost one. */
typedef bool (*chip_frame_fn)(void *arg, const struct vhca *, unsigned int port,
			      const uint8_t *bytes, uint32_t len);
void chip_on_frame(struct chip *, chip_frame_fn, void *arg);

/* Sets the function to call when a neighbour is known, or not in time: ends -EINPROGRESS. */
void chip_on_neighbours(struct chip *, void (*fn)(void *arg), void *arg);

/* Gives the port this wire, which it owns in any case. Returns 0 or -errno. */
int chip_set_wire(struct chip *, struct wire *);

/* Marks the process as only this chip's: its loop may arrange malloc()'s memory (base/heap.h). */
void chip_owns_heap(struct chip *);

/* Calls fn on the loop's thread whenever fd is readable (or hung up). fn may remove itself. */
int chip_watch(struct chip *, int fd, void (*fn)(void *arg, int fd), void *arg);
void chip_unwatch(struct chip *, int fd);

/*
 * Runs the loop until chip_stop(). chip_turn() is one turn without sleeping (tests);
 * true if something was done.
 */
int chip_run(struct chip *);
bool chip_turn(struct chip *);
void chip_stop(struct chip *); /* from any thread, or a signal handler */
/*
 * Makes the device fail: programs get DEVICE_FATAL, their requests -EIO from now on, and nothing of
 * what they posted is done any more. Lasts until the chip is freed. From the loop's thread.
 */
void chip_fail(struct chip *);

#endif
