/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits for one change of the port by an eventfd that a DevX channel raises (tests/port/faults.sh).
 */
#include <infiniband/mlx5dv.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <dvx/prm/eqe.h>
#include "tests/verbs/verbs_qp.h"

int main(void)
{
	struct ibv_context *ctx = verbs_open();
	struct mlx5dv_devx_event_channel *channel;
	int counter = eventfd(0, EFD_CLOEXEC);
	uint64_t n = 0;

	channel = ctx ? mlx5dv_devx_create_event_channel(ctx, 0) : NULL;
	if (!channel ||
	    mlx5dv_devx_subscribe_devx_event_fd(channel, counter, NULL, PRM_EVENT_PORT_CHANGE)) {
		perror("no subscription");
		return 1;
	}
	puts("subscribed");
	fflush(stdout);
	if (read(counter, &n, sizeof(n)) != sizeof(n))
		return 1;
	printf("raised %llu\n", (unsigned long long)n);
	mlx5dv_devx_destroy_event_channel(channel);
	ibv_close_device(ctx);
	return 0;
}
