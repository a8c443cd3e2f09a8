/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <linux/sched/types.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "thread.h"

/*
 * Shortens the slice slightly. Since Linux 6.12 a waking thread preempts a running one only if its
 * own slice is shorter. Otherwise a program that spins for its completion on the loop's CPU keeps
 * the loop waiting until the next tick (4 ms). Older kernels have no slices (0 here) and let a
 * sleeper preempt.
 */
static void shorten_slice(void)
{
	struct sched_attr attr = {.size = sizeof(attr)};

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0u) || !attr.sched_runtime)
		return;
	attr.sched_runtime -= attr.sched_runtime / 8;
	syscall(SYS_sched_setattr, 0, &attr, 0u);
}

void thread_runs_loop(void)
{
	/* Sleeps are shorter than the default timer slack (50 us). */
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
	shorten_slice();
}

/*
 * Nice value of the device's group. On a CPU shared with spinning programs the device gets half but
 * needs more; beyond its share it waits for some ms (doc/design/0005). With autogroups, sessions
 * are scheduled as groups, and nice counts only inside a group, so the group gets a larger share if
 * it is the device's own (it leads the session). Only root may do this; for others the waits
 * remain.
 */
#define DEVICE_NICE "-10"

void process_is_device(void)
{
	ssize_t n;
	int fd;

	setpriority(PRIO_PROCESS, 0, atoi(DEVICE_NICE));
	if (getsid(0) != getpid())
		return;
	fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = write(fd, DEVICE_NICE, sizeof(DEVICE_NICE) - 1);
	(void)n; /* not root, or no autogroups */
	close(fd);
}
