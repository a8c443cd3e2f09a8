/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow: a daemon holds text rules on the device. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "dvx-flow.h"
#include "daemon/base_tables.h"
#include "daemon/pump.h"
#include "import/iface.h"

enum {
	OPT_STATE = 256,
	OPT_FRESH,
	OPT_STE,
	OPT_WAIT,
	OPT_PROMETHEUS,
	OPT_GROUP,
	OPT_FROM,
	OPT_TO,
	OPT_NETDEV,
	OPT_PORT,
	OPT_SVG,
	OPT_STEERING
};

#define SOCKET_OPTION                                                                    \
	{                                                                                \
		"socket", 's', "PATH", 0, "the daemon's socket, if not DEV's default", 0 \
	}

#define STEERING_OPTION                                                                        \
	{                                                                                      \
		"steering", OPT_STEERING, "sws|hws|auto", 0,                                   \
			"who writes entries: software, the device, or that if it can (sws)", 0 \
	}

static const struct argp_option check_options[] = {
	{"device", 'd', "DEV", 0, "also build the rules on DEV, where no packet meets them", 0},
	STEERING_OPTION,
	CLI_JSON,
	{0},
};

#define SOCKET_OPTIONS                                                                          \
	CLI_DEVICE, SOCKET_OPTION,                                                              \
	{                                                                                       \
		"wait", OPT_WAIT, "SECONDS", 0, "how long to wait for a starting daemon (0)", 0 \
	}

#define CLIENT_OPTIONS CLI_JSON, SOCKET_OPTIONS

static const struct argp_option daemon_options[] = {
	{"queues", 'n', "N", 0, "queues that rules may send to: 0 to N-1 (1)", 0},
	{"capture", 'c', "DIR", 0, "write each queue's packets to DIR/queueN.pcap", 0},
	{"fresh", OPT_FRESH, NULL, 0, "start without the committed rules", 0},
	{"state", OPT_STATE, "FILE", 0, "the file of the committed rules", 0},
	{"group", OPT_GROUP, "NAME", 0, "let this group's members ask, too", 0},
	STEERING_OPTION,
	{"wait", OPT_WAIT, "SECONDS", 0, "how long to wait for a daemon that is ending (0)", 0},
	CLI_JSON,
	CLI_DEVICE,
	SOCKET_OPTION,
	{0},
};

static const struct argp_option client_options[] = {CLIENT_OPTIONS, {0}};
static const struct argp_option stats_options[] = {
	CLIENT_OPTIONS,
	{"watch", 'w', NULL, 0, "repeat every SECONDS (1), with rates, until interrupted", 0},
	{"interval", 'i', "SECONDS", 0, "the same as --watch SECONDS", 0},
	{"prometheus", OPT_PROMETHEUS, NULL, 0, "print Prometheus' text format", 0},
	{0},
};

static const struct argp_option explain_options[] = {
	{"dump", 'D', "FILE", 0, "a dump of mlx5dv_dump_dr_domain() instead of the daemon's tables",
	 0},
	{"packet", 'p', "N", 0, "explain packet N of the file", 0},
	{"out", 'o', NULL, 0, "the packets go out; default: they come in", 0},
	CLIENT_OPTIONS,
	{0},
};

static const struct argp_option dump_options[] = {
	{"dump", 'D', "FILE", 0, "a dump of mlx5dv_dump_dr_domain() instead of the daemon's tables",
	 0},
	{"ste", OPT_STE, NULL, 0, "print each entry field by field", 0},
	CLIENT_OPTIONS,
	{0},
};

static const struct argp_option draw_options[] = {
	{"svg", OPT_SVG, NULL, 0, "print SVG, drawn by graphviz's dot", 0},
	SOCKET_OPTIONS,
	{0},
};

#define PORT_OPTION                                                                                \
	{                                                                                          \
		"port", OPT_PORT, "NAME=VPORT[,MAC,MAC]", 0,                                       \
			"the vport of an interface (port), with the MACs of a tunnel's next hop; " \
			"may be repeated",                                                         \
			0                                                                          \
	}

static const struct argp_option import_options[] = {
	{"from", OPT_FROM, "TOOL", 0,
	 "tc, ethtool, testpmd, iptables, ip6tables, nft, ovs or dpctl; default: recognized from "
	 "the "
	 "text",
	 0},
	{"netdev", OPT_NETDEV, "NAME", 0, "the interface (port) whose rules to take", 0},
	PORT_OPTION,
	CLI_JSON,
	{0},
};

static const struct argp_option export_options[] = {
	{"to", OPT_TO, "TOOL", 0, "tc or testpmd", 0},
	{"netdev", OPT_NETDEV, "NAME", 0, "tc's interface (eth0), testpmd's port (0)", 0},
	PORT_OPTION,
	CLIENT_OPTIONS,
	{0},
};

static const struct cli_command commands[] = {
	{"check", 1, 1, "FILE",
	 "Checks a rule file, and shows what its rules cost: entries, matchers, look-ups.",
	 check_options, cmd_check},
	{"daemon", 0, 0, "",
	 "Holds rules on the device, and receives the packets that they send to queues.",
	 daemon_options, cmd_daemon},
	{"apply", 1, 1, "FILE", "Replaces all rules by those of FILE, or changes nothing.",
	 client_options, cmd_apply},
	{"list", 0, 0, "", "Lists the rules in effect.", client_options, cmd_list},
	{"stats", 0, 1, "[SECONDS]",
	 "Shows packets and bytes of each rule with a counter, and what each queue received and "
	 "lost.",
	 stats_options, cmd_stats},
	{"add", 1, CLI_ANY, "RULE...|-",
	 "Adds a rule behind all others. With -, makes many edits of standard input together.",
	 client_options, cmd_add},
	{"insert", 3, CLI_ANY, "before ID|NAME RULE...", "Adds a rule before another one.",
	 client_options, cmd_insert},
	{"replace", 2, CLI_ANY, "ID|NAME RULE...", "Replaces one rule, in its place.",
	 client_options, cmd_replace},
	{"del", 1, CLI_ANY, "ID|NAME...|RULE...",
	 "Removes rules: by their names, IDs or ranges of IDs (dns 3 7-9), or one by its words. "
	 "The "
	 "others' counters continue.",
	 client_options, cmd_del},
	{"flush", 0, 0, "", "Removes all rules.", client_options, cmd_flush},
	{"diff", 1, 1, "FILE", "Shows which rules apply would add, delete and move.",
	 client_options, cmd_diff},
	{"save", 0, 1, "[FILE]", "Writes the rules in effect as a rule file, with its comments.",
	 client_options, cmd_save},
	{"explain", 1, CLI_ANY, "[in|out|switch] MATCH...|FILE.pcap",
	 "Shows which tables, rules and entries a packet meets, and what decides. The packet is "
	 "written like a rule's matches (ipv4 dst 10.0.0.1 udp dst port 53); it comes in unless "
	 "its first word is out, or switch (switch from pf udp dst port 53).",
	 explain_options, cmd_explain},
	{"dump", 0, 0, "",
	 "Prints libmlx5's dump of the daemon's tables, or each entry field by field.",
	 dump_options, cmd_dump},
	{"draw", 1, 1, "FILE|live",
	 "Prints the tables and rules of FILE, or those in effect with their counters, as a "
	 "picture in graphviz's DOT.",
	 draw_options, cmd_draw},
	{"import", 0, 1, "[FILE]",
	 "Prints rules of tc-flower, ethtool, testpmd, iptables-save, nft, ovs-ofctl or dpctl as "
	 "rules of "
	 "dvx-flow, and reports those that it leaves out.",
	 import_options, cmd_import},
	{"export", 0, 1, "[FILE]",
	 "Prints the rules of FILE, or those in effect, as commands of tc or testpmd.",
	 export_options, cmd_export},
};

/* Names that ip, tc, nft and iptables have for commands of dvx-flow. */
static const struct cli_short foreign[] = {
	{"show", "list"},  {"ls", "list"},    {"delete", "del"}, {"rm", "del"},
	{"remove", "del"}, {"append", "add"}, {"load", "apply"},
};

static const char overview[] =
	"Steering rules as text, held on an mlx5 device by a daemon.\v"
	"Commands (dvx-flow COMMAND --help says more):\n"
	"  check FILE    check a rule file\n"
	"  daemon        hold rules on the device; --queues N, --capture DIR\n"
	"  apply FILE    replace all rules by those of FILE\n"
	"  add RULE      add a rule behind all others; add -: many edits together\n"
	"  insert before ID RULE, replace ID RULE, del ID...|RULE, flush\n"
	"  diff FILE     show what apply would change\n"
	"  save [FILE]   write the rules in effect as a rule file\n"
	"  list, dump, draw  the rules in effect, libmlx5's dump of them, a picture\n"
	"  stats         show packets and bytes of rules and queues; --watch\n"
	"  explain WHAT  show which tables, rules and entries a packet meets\n"
	"  import, export FILE  of tc, ethtool, testpmd, iptables, nft, ovs, dpctl\n"
	"\n"
	"A rule: send in ipv4 src 10.0.0.0/8 tcp dst port 80-443 to queue 3 tag 7 count\n"
	"A file: define web = 80,443   drop in tcp dst port $web   include \"more.flow\"\n"
	"The first matching rule acts. dvx-flow(1) describes the language.\n"
	"Exit: 1 wrong rules, 2 usage, 3 no device or daemon, 4 refused, 5 has a daemon\n";

static const struct cli_option values[] = {
	CLI_TRUE('j', json),
	CLI_TRUE('q', quiet),
	CLI_TRUE('w', watch),
	CLI_TRUE(OPT_PROMETHEUS, prometheus),
	CLI_TRUE('o', out),
	CLI_TRUE(OPT_FRESH, fresh),
	CLI_TRUE(OPT_STE, ste),
	CLI_TRUE(OPT_SVG, svg),
	CLI_TEXT('d', device),
	CLI_TEXT('s', socket),
	CLI_TEXT('c', capture),
	CLI_TEXT('D', dump),
	CLI_TEXT(OPT_STATE, state),
	CLI_TEXT(OPT_FROM, from),
	CLI_TEXT(OPT_TO, to),
	CLI_TEXT(OPT_NETDEV, netdev),
	CLI_TEXT(OPT_GROUP, group),
	CLI_NUMBER('n', queues, 1, QUEUES_MAX),
	CLI_NUMBER('p', packet, 1, UINT64_MAX),
	CLI_SECONDS('i', interval, 10),
	CLI_SECONDS(OPT_WAIT, wait, 0),
};

/* Appends to the values of --port. */
static void take_port(char *arg, struct argp_state *state, struct args *a)
{
	char *all;

	if (!iface_port_is_right(arg))
		argp_error(state, "--port: \"%s\" is not NAME=VPORT or NAME=VPORT,MAC,MAC", arg);
	if (asprintf(&all, "%s%s%s", a->ports ? a->ports : "", a->ports ? " " : "", arg) < 0)
		argp_failure(state, argp_err_exit_status, errno, "--port");
	free((void *)(uintptr_t)a->ports);
	a->ports = all;
}

static error_t take_flow_option(int key, char *arg, struct argp_state *state, struct args *a)
{
	if (key == OPT_PORT)
		take_port(arg, state, a);
	else if (key != OPT_STEERING)
		return ARGP_ERR_UNKNOWN;
	else if (!steering_find(arg, &a->steering))
		argp_error(state, "--steering: \"%s\" is not sws, hws or auto", arg);
	return 0;
}

static struct args args = {.queues = 1};

static const struct cli cli = {
	.tool = "dvx-flow",
	.overview = overview,
	.foreign = foreign,
	.foreign_count = sizeof(foreign) / sizeof(foreign[0]),
	.option = take_flow_option,
	CLI_TABLES(commands, values, args),
};

int main(int argc, char **argv)
{
	return cli_main(&cli, argc, argv);
}
