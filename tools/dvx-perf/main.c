/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-perf: measures posts and polls on libdvx's rings beside libibverbs, in one run. */
#include "options.h"
#include "rules.h"

#define OPT_DEVICE CLI_DEVICE
#define OPT_GID(group)                                                                \
	{                                                                             \
		"gid-index", 'x', "N", 0, "GID of this end (the best RoCE v2)", group \
	}
#define OPT_OUTPUT(group)                                                                  \
	CLI_JSON, {"csv", OPT_CSV, NULL, 0, "print comma-separated values", group},        \
	{                                                                                  \
		"plot", OPT_PLOT, "FILE.svg", 0, "draw the results by gnuplot, too", group \
	}

static const struct argp_option measure_options[] = {
	OPT_DEVICE,
	{"op", 'o', "OP,...", 0, "send, send_imm, write, ... or all (write)", 0},
	{"connection", 'c', "TYPE", 0, "transport: rc, uc, ud, dc or xrc (rc)", 0},
	{"engine", 'e', "ENGINE,...", 0, "libdvx, template, ibv_wr, ... (all that can)", 0},
	{"size", 's', "BYTES", 0, "bytes of a message, up to 1G (8)", 0},
	{"all", 'a', NULL, 0, "all sizes: powers of two from 2 to 8M", 0},
	{"count", 'n', "N", 0, "messages of a thread and round (2000)", 0},
	{"warmup", OPT_WARMUP, "N", 0, "uncounted messages first (to 100)", CLI_RARE},
	{"rounds", 'r', "N", 0, "rounds, in which the engines take turns (5)", 0},
	{"duration", 'D', "SECONDS", 0, "repeat rounds for this long, for each size", 0},
	{"window", 'w', "N", 0, "outstanding of each queue, for the rate (64)", 0},
	{"batch", 'b', "N", 0, "posts before a doorbell, for the rate (1)", 0},
	{"signal", 'Q', "N", 0, "one of N is signaled, for the rate (1)", CLI_RARE},
	{"inline", 'I', "BYTES", 0, "largest message that lies in the WQE (8)", CLI_RARE},
	{"sges", 'g', "N", 0, "pieces of a message that is larger (1)", CLI_RARE},
	{"doorbell", OPT_DOORBELL, "KIND", 0, "blueflame or register (blueflame)", CLI_RARE},
	{"srq", OPT_SRQ, NULL, 0, "the far end's queues share their receives", CLI_RARE},
	{"qps", 'p', "N", 0, "queues of a thread (1)", 0},
	{"threads", 't', "N", 0, "threads (1)", 0},
	{"cpus", OPT_CPUS, "LIST", 0, "CPUs of the threads: 0,2,4-7 (any)", CLI_RARE},
	OPT_GID(CLI_RARE),
	{"histogram", 'H', NULL, 0, "print the latencies' distribution, too", 0},
	OPT_OUTPUT(CLI_RARE),
	{0},
};

static const struct argp_option serve_options[] = {
	{"listen", 'l', "ADDR[:PORT]", 0, "address to listen on (" PERF_LISTEN ")", 0},
	OPT_DEVICE,
	OPT_GID(0),
	{"once", OPT_ONCE, NULL, 0, "end after the first client", 0},
	CLI_JSON,
	{0},
};

static const struct argp_option threads_options[] = {
	OPT_DEVICE,
	{"threads", 't', "N", 0, "up to so many threads (one for each CPU)", 0},
	{"connections", OPT_CONNECTIONS, "N", 0, "of all threads together (1000)", 0},
	{"queues", OPT_QUEUES, "N", 0, "shared by all threads, or of each (4)", 0},
	{"size", 's', "BYTES", 0, "that each connection writes in a cycle (4K)", 0},
	{"count", 'n', "N", 0, "cycles (20)", 0},
	{"window", 'w', "N", 0, "outstanding messages of a queue (64)", 0},
	{"cpus", OPT_CPUS, "LIST", 0, "CPUs of the threads: 0,2,4-7 (any)", 0},
	OPT_OUTPUT(0),
	{0},
};

static const struct argp_option rules_options[] = {
	OPT_DEVICE,
	{"count", 'n', "N", 0, "rules (10000)", 0},
	{"key", OPT_KEY, "KEY", 0, "fields: 5tuple, 5tuple6 or ipv4 (5tuple)", 0},
	{"window", 'w', "N", 0, "outstanding requests (64)", 0},
	{"batch", 'b', "N", 0, "requests before a doorbell (1)", 0},
	OPT_OUTPUT(0),
	{0},
};

static const struct cli_command commands[] = {
	{"", 0, 1, "[ADDR[:PORT]]",
	 "Measures latency and rate of posts, to this process or \"dvx-perf serve\" at ADDR. "
	 "\"dvx-perf threads\", \"dvx-perf rules\" and more options: dvx-perf(1).",
	 measure_options, perf_cmd_measure},
	{"serve", 0, 0, "", "Is the other end of dvx-perf ADDR[:PORT].", serve_options,
	 perf_cmd_serve},
	{"threads", 0, 0, "",
	 "Measures rate against threads: queues that all threads share, queues of each thread, and "
	 "queues and a doorbell register of each thread.",
	 threads_options, perf_cmd_threads},
	{"rules", 0, 0, "",
	 "Measures insertion, update and deletion of steering rules: software steering, hardware "
	 "steering, and hardware steering by requests of the program's own.",
	 rules_options, perf_cmd_rules},
};

static const struct cli_option values[] = {
	CLI_TEXT('d', device),
	CLI_SIZE('s', size, 1, PERF_MAX_SIZE),
	CLI_TRUE('a', all_sizes),
	CLI_NUMBER('n', count, 1, 10000000),
	CLI_NUMBER(OPT_WARMUP, warmup, 0, 10000000),
	CLI_NUMBER('r', rounds, 1, 1000000),
	CLI_SECONDS('D', duration, 1),
	CLI_NUMBER('w', window, 1, 16384),
	CLI_NUMBER('b', batch, 1, 16384),
	CLI_NUMBER('Q', signal, 1, 16384),
	CLI_SIZE('I', inline_max, 0, 900),
	CLI_NUMBER('g', sges, 1, PERF_SGES),
	CLI_TRUE(OPT_SRQ, srq),
	CLI_NUMBER('p', qps, 1, RESPONDER_LANES),
	CLI_NUMBER('t', threads, 1, 1024),
	CLI_NUMBER('x', gid_index, 0, 255),
	CLI_TRUE('H', histogram),
	CLI_TRUE('j', json),
	CLI_TRUE('q', quiet),
	CLI_TRUE(OPT_CSV, csv),
	CLI_TEXT(OPT_PLOT, plot),
	CLI_TEXT('l', listen),
	CLI_TRUE(OPT_ONCE, once),
	CLI_NUMBER(OPT_QUEUES, queues, 1, 1024),
	CLI_NUMBER(OPT_CONNECTIONS, connections, 1, 1000000),
};

static struct perf_args args = {
	.listen = PERF_LISTEN,
	.transport = perf_transports,
	.key = rules_keys,
	.ops = PERF_OP_BIT(PERF_WRITE),
	.warmup = PERF_AUTO_WARMUP,
	.rounds = 5,
	.window = 64,
	.batch = 1,
	.signal = 1,
	.inline_max = 8,
	.sges = 1,
	.qps = 1,
	.queues = 4,
	.connections = 1000,
	.gid_index = SITE_ANY_GID,
};

static const struct cli_words words[] = {
	{"OP", options_offer_ops},
	{"ENGINE", options_offer_engines},
	{"KEY", rules_offer_keys},
};

static const struct cli cli = {
	.tool = "dvx-perf",
	CLI_TABLES(commands, values, args),
	.option = options_take,
	.check = options_agree,
	.words = words,
	.word_count = sizeof(words) / sizeof(words[0]),
};

int main(int argc, char **argv)
{
	return cli_main(&cli, argc, argv);
}
