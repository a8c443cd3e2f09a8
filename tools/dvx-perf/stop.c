/* SPDX-License-Identifier: BSD-2-Clause */
#include "stop.h"
#include "tools/cli/exit.h"
#include "tools/cli/message.h"

volatile sig_atomic_t stop_signal;

static void stop_ask(int sig)
{
	stop_signal = sig;
}

void stop_catch(void)
{
	struct sigaction ask = {.sa_handler = stop_ask, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &ask, NULL);
}

int stop_code(void)
{
	if (!stop_signal)
		return EXIT_DONE;
	message_print("interrupted: the results are of the messages until then");
	return 128 + stop_signal;
}
