/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends or receives until it is killed: raw_death.sh runs it. */
#include "raw_end.h"

#include <unistd.h>

/* It says so once packets flow. */
static void flowing(unsigned int *n)
{
	if (++*n == 1000 && write(STDOUT_FILENO, "going\n", 6) != 6)
		_exit(1);
}

static void flood(void)
{
	unsigned int n = 0, posted = 0;
	struct ibv_wc wc;
	struct end e;
	uint32_t len;

	end_open(&e, 0);
	len = make_udp(slot_out(&e, 0), mac_b, 7, 1000);
	for (;;) {
		while (posted - n < DEPTH)
			post_send(&e, DEPTH * posted++, len, 0);
		poll_one(e.scq, &wc);
		flowing(&n);
	}
}

static void drain(void)
{
	unsigned int n = 0;
	struct ibv_wc wc;
	struct end e;

	end_open(&e, 0);
	for (unsigned int i = 0; i < DEPTH; i++)
		post_recv(&e, i, SLOT);
	assert_non_null(steer(e.qp, mac_b, 0));
	for (;;) {
		poll_one(e.rcq, &wc);
		post_recv(&e, n, SLOT);
		flowing(&n);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	(strcmp(argv[1], "flood") ? drain : flood)();
}
