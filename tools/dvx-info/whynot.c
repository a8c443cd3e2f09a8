/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <dvx/dvx.h>
#include "dvx-info.h"
#include "facts.h"
#include "features.h"
#include "gidrank.h"
#include "source.h"
#include "words.h"
#include "tools/cli/library.h"

/* The verdict of a check. */
enum verdict { OK, MISSING, UNKNOWN, LOOK };

struct whynot_finding {
	enum verdict verdict;
	char shown[300];  /* the evidence: a field with its value, or a fact */
	char remedy[300]; /* "" if there is nothing to do */
};

static const char firmware_remedy[] =
	"no privilege and no setting of the host provides it: look for newer firmware "
	"(mlxfwmanager --query), or use another device";

static void whynot_note(struct whynot_finding *f, enum verdict v, const char *shown,
			const char *remedy)
{
	f->verdict = v;
	snprintf(f->shown, sizeof(f->shown), "%.299s", shown);
	snprintf(f->remedy, sizeof(f->remedy), "%s", remedy ? remedy : "");
}

static bool holds(const struct check *c, uint64_t value)
{
	if (c->zero)
		return !value;
	return c->mask ? (value & c->mask) == c->mask : value >= c->value;
}

static void check_field(const struct cap_source *s, const struct check *c, struct whynot_finding *f)
{
	const struct page *page = source_page(s, c->page);
	const struct prm_struct *layout = page_layout(c->page);
	const struct prm_field *field;
	char words[200];
	uint64_t value, bit;

	if (!page || !page->bytes) {
		snprintf(f->shown, sizeof(f->shown), "%s %s: %s", page_name(c->page),
			 c->field ? c->field : "",
			 page ? page->error : "the dump has no such page");
		f->verdict = page ? MISSING : UNKNOWN;
		snprintf(f->remedy, sizeof(f->remedy), "%s",
			 page ? c->remedy ? c->remedy : firmware_remedy : "");
		return;
	}
	if (!c->field) {
		snprintf(f->shown, sizeof(f->shown), "page %s is there", page_name(c->page));
		f->verdict = OK;
		return;
	}
	field = prm_find_field(layout, c->field, &bit);
	if (!field || prm_field_get(layout, page->bytes, page->len, c->field, &value)) {
		snprintf(f->shown, sizeof(f->shown), "%s.%s lies beyond the dump's end",
			 page_name(c->page), c->field);
		f->verdict = UNKNOWN;
		return;
	}
	words_value(words, sizeof(words), field, value);
	snprintf(f->shown, sizeof(f->shown), "%s.%s is %s", page_name(c->page), c->field, words);
	f->verdict = holds(c, value) ? OK : MISSING;
	if (f->verdict == MISSING)
		snprintf(f->remedy, sizeof(f->remedy), "%s",
			 c->remedy ? c->remedy : firmware_remedy);
}

static void need_net_raw(const struct cap_source *s, struct whynot_finding *f)
{
	(void)s;
	if (!fact_may(CAP_NET_RAW))
		whynot_note(f, MISSING, "this process does not have CAP_NET_RAW",
			    "run it as root, or: sudo setcap cap_net_raw+ep PROGRAM");
	else if (!fact_initial_userns())
		whynot_note(
			f, UNKNOWN, "CAP_NET_RAW is there, but only in a user namespace",
			"the kernel may want it outside of the namespace (a rootless container)");
	else
		whynot_note(f, OK, "this process has CAP_NET_RAW", NULL);
}

static void need_odp(const struct cap_source *s, struct whynot_finding *f)
{
	if (odp_offered(dvx_dev_ibv(s->dev)))
		whynot_note(f, OK, "ibv_query_device_ex() says IBV_ODP_SUPPORT", NULL);
	else
		whynot_note(f, MISSING, "ibv_query_device_ex() does not say IBV_ODP_SUPPORT",
			    "if the device has the capabilities, boot a kernel with "
			    "CONFIG_INFINIBAND_ON_DEMAND_PAGING");
}

static void need_rdma_cm(const struct cap_source *s, struct whynot_finding *f)
{
	static const char path[] = "/dev/infiniband/rdma_cm";

	(void)s;
	if (!access(path, R_OK | W_OK)) {
		whynot_note(f, OK, "/dev/infiniband/rdma_cm may be opened", NULL);
		return;
	}
	whynot_note(f, MISSING, "", "sudo modprobe rdma_ucm; dvx-info doctor checks the rights");
	snprintf(f->shown, sizeof(f->shown), "%s: %s", path, strerror(errno));
}

static void need_bf_uar(const struct cap_source *s, struct whynot_finding *f)
{
	struct dvx_uar *uar;

	if (dvx_uar_alloc(s->dev, DVX_UAR_BF, &uar)) {
		whynot_note(f, MISSING, library_error(),
			    "write-combining is off (PAT disabled, or a virtual machine): use "
			    "DVX_UAR_NC "
			    "or "
			    "MLX5_SHUT_UP_BF=1");
		return;
	}
	snprintf(f->shown, sizeof(f->shown), "a BlueFlame page was given, %u bytes a copy",
		 dvx_uar_bf_size(uar));
	f->verdict = OK;
	dvx_uar_free(uar);
}

static void need_hugepages(const struct cap_source *s, struct whynot_finding *f)
{
	long long small = fact_hugepages(2048, -1, "free_hugepages");
	long long large = fact_hugepages(1048576, -1, "free_hugepages");

	(void)s;
	if (small > 0 || large > 0) {
		snprintf(f->shown, sizeof(f->shown), "free: %lld of 2 MiB, %lld of 1 GiB",
			 small < 0 ? 0 : small, large < 0 ? 0 : large);
		f->verdict = OK;
		return;
	}
	whynot_note(f, MISSING, "no huge page is free",
		    "sudo sysctl vm.nr_hugepages=512 (1 GiB in pages of 2 MiB)");
}

static void need_active_port(const struct cap_source *s, struct whynot_finding *f)
{
	struct dvx_port port;

	for (unsigned int p = 1; p <= dvx_dev_caps(s->dev)->num_ports; p++)
		if (!dvx_dev_port(s->dev, (uint8_t)p, &port) && port.state == DVX_PORT_ACTIVE) {
			snprintf(f->shown, sizeof(f->shown), "port %u is active", p);
			f->verdict = OK;
			return;
		}
	whynot_note(f, MISSING, "no port is active",
		    "check cable and peer, and: sudo ip link set IFACE up (on InfiniBand: a subnet "
		    "manager)");
}

static void need_ipv4_gid(const struct cap_source *s, struct whynot_finding *f)
{
	struct dvx_gid *gids;
	size_t n;

	whynot_note(f, MISSING, "no RoCE v2 GID with an IPv4 or global IPv6 address",
		    "sudo ip address add ADDRESS/24 dev IFACE");
	if (dvx_dev_gids(s->dev, &gids, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		if (gids[i].type != DVX_GID_ROCE_V2 || gids[i].gid[0] == 0xfe)
			continue;
		snprintf(f->shown, sizeof(f->shown),
			 "GID index %u of port %u is RoCE v2 and routable", gids[i].index,
			 gids[i].port);
		f->verdict = OK;
		*f->remedy = '\0';
		break;
	}
	dvx_gids_free(gids);
}

static void need_channel(const struct cap_source *s, struct whynot_finding *f)
{
	struct dvx_channel *ch;

	if (dvx_channel_open(s->dev, &ch)) {
		whynot_note(f, MISSING, library_error(),
			    "dvx-info doctor checks kernel and limits");
		return;
	}
	whynot_note(f, OK, "an event channel opens", NULL);
	dvx_channel_close(ch);
}

static void need_clock(const struct cap_source *s, struct whynot_finding *f)
{
	int err = clock_try(dvx_dev_ibv(s->dev));

	if (!err) {
		whynot_note(f, OK, "mlx5dv_get_clock_info() returns the clock's parameters", NULL);
		return;
	}
	whynot_note(f, MISSING, "",
		    "use the raw timestamps of completions with the clock's frequency");
	snprintf(f->shown, sizeof(f->shown), "mlx5dv_get_clock_info() fails: %s", strerror(err));
}

/* Shows the limit. `dvx-info doctor` judges whether it is enough. */
static void need_memlock(const struct cap_source *s, struct whynot_finding *f)
{
	uint64_t left;

	(void)s;
	if (!fact_memlock(&left))
		whynot_note(f, UNKNOWN, "RLIMIT_MEMLOCK is not known", NULL);
	else if (left == UINT64_MAX)
		whynot_note(f, OK, "RLIMIT_MEMLOCK is unlimited", NULL);
	else if (fact_may(CAP_IPC_LOCK) && fact_initial_userns())
		whynot_note(f, OK, "CAP_IPC_LOCK lifts RLIMIT_MEMLOCK", NULL);
	else {
		whynot_note(f, left ? OK : MISSING, "",
			    left ? "" : "ulimit -l unlimited; dvx-info doctor says how for good");
		snprintf(f->shown, sizeof(f->shown), "RLIMIT_MEMLOCK leaves %" PRIu64 " KiB",
			 left / 1024);
	}
}

static void need_netdev(const struct cap_source *s, struct whynot_finding *f)
{
	struct dvx_gid *gids;
	size_t n;

	whynot_note(f, MISSING, "no GID has a network interface of this namespace",
		    "ip -all netns exec ip -brief link: another network namespace may have it");
	if (dvx_dev_gids(s->dev, &gids, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!gids[i].ifindex)
			continue;
		snprintf(f->shown, sizeof(f->shown), "port %u has interface %u of this namespace",
			 gids[i].port, gids[i].ifindex);
		f->verdict = OK;
		*f->remedy = '\0';
		break;
	}
	dvx_gids_free(gids);
}

static void need_dmabuf(const struct cap_source *s, struct whynot_finding *f)
{
	int err = dmabuf_try(dvx_dev_ibv(s->dev));

	if (err == EBADF) {
		whynot_note(f, OK,
			    "ibv_reg_dmabuf_mr() takes the call and refuses only the descriptor -1 "
			    "(EBADF)",
			    NULL);
		return;
	}
	whynot_note(f, MISSING, "",
		    err == EPROTONOSUPPORT
			    ? "boot Linux 5.12 or later, or use nvidia-peermem"
			    : "boot a kernel with CONFIG_INFINIBAND_ON_DEMAND_PAGING, or "
			      "use nvidia-peermem");
	snprintf(f->shown, sizeof(f->shown), "ibv_reg_dmabuf_mr() fails: %s", strerror(err));
}

/* Not fulfilled here: dvx-info opens devices through ib_uverbs. */
static void need_vfio(const struct cap_source *s, struct whynot_finding *f)
{
	(void)s;
	whynot_note(f, MISSING, "the kernel drives the device and owns its interrupts",
		    "use event channels (dvx_channel_open), or bind the device to vfio-pci and "
		    "open it with mlx5dv_get_vfio_device_list()");
}

static void (*const probes[])(const struct cap_source *, struct whynot_finding *) = {
	[NEED_NET_RAW] = need_net_raw,	       [NEED_ODP] = need_odp,
	[NEED_BF_UAR] = need_bf_uar,	       [NEED_HUGEPAGES] = need_hugepages,
	[NEED_ACTIVE_PORT] = need_active_port, [NEED_IPV4_GID] = need_ipv4_gid,
	[NEED_CHANNEL] = need_channel,	       [NEED_CLOCK] = need_clock,
	[NEED_RDMA_CM] = need_rdma_cm,	       [NEED_MEMLOCK] = need_memlock,
	[NEED_NETDEV] = need_netdev,	       [NEED_VFIO] = need_vfio,
	[NEED_DMABUF] = need_dmabuf,
};

static void check_one(const struct cap_source *s, const struct check *c, struct whynot_finding *f)
{
	memset(f, 0, sizeof(*f));
	if (c->need == NEED_ELSEWHERE)
		whynot_note(f, LOOK, "cannot be checked from here", c->remedy);
	else if (c->need != NEED_NONE && s->dump)
		whynot_note(f, UNKNOWN, "a dump says nothing about the host", NULL);
	else if (c->need != NEED_NONE)
		probes[c->need](s, f);
	else
		check_field(s, c, f);
}

static const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {"ok", "missing", "unknown", "look"};

	return names[v];
}

static json_t *whynot_finding_json(const struct whynot_finding *f, const char *what,
				   const struct check *c)
{
	json_t *j = json_pack("{ss ss ss ss}", "verdict", verdict_name(f->verdict), "what", what,
			      "seen", f->shown, "remedy", f->remedy);

	if (c && c->need == NEED_NONE) {
		json_object_set_new(j, "page", json_integer(c->page));
		json_object_set_new(j, "field", json_string(c->field ? c->field : ""));
	}
	return j;
}

static bool verdict_is(const json_t *finding, enum verdict v)
{
	return !strcmp(json_string_value(json_object_get(finding, "verdict")), verdict_name(v));
}

/* Joins two alternatives: if one holds, the other is not needed. */
static void whynot_join(json_t *before, json_t *now)
{
	json_t *bad = verdict_is(before, OK) ? now : verdict_is(now, OK) ? before : NULL;

	if (!bad) { /* neither holds: the second's remedy covers both */
		if (!verdict_is(now, MISSING))
			json_object_set(before, "verdict", json_object_get(now, "verdict"));
		json_object_set_new(before, "remedy", json_string(""));
		json_object_set_new(now, "verdict", json_string("or"));
		return;
	}
	json_object_set_new(bad, "verdict", json_string("not needed"));
	json_object_set_new(bad, "remedy", json_string(""));
}

static json_t *whynot_check_device(const struct cap_source *s)
{
	struct whynot_finding f;
	const struct page *general;
	uint64_t uctx;

	memset(&f, 0, sizeof(f));
	if (s->dump) {
		general = source_page(s, 0);
		if (!general || !general->bytes ||
		    prm_field_get(page_layout(0), general->bytes, general->len, "log_max_uctx",
				  &uctx))
			whynot_note(&f, UNKNOWN, "the dump has no general page", NULL);
		else if (uctx)
			whynot_note(&f, OK, "GENERAL.log_max_uctx is not 0", NULL);
		else
			whynot_note(&f, MISSING, "GENERAL.log_max_uctx is 0", firmware_remedy);
	} else {
		snprintf(f.shown, sizeof(f.shown), "%s opens with DevX", s->device);
	}
	return whynot_finding_json(&f, "a device with a DevX context", NULL);
}

static json_t *check_all(const struct cap_source *s, const struct feature *feature)
{
	json_t *all = json_array();
	struct whynot_finding f;

	if (feature->devx)
		json_array_append_new(all, whynot_check_device(s));
	for (const struct check *c = feature->checks; c->what; c++) {
		check_one(s, c, &f);
		json_array_append_new(all, whynot_finding_json(&f, c->what, c));
		if (c->or_before)
			whynot_join(json_array_get(all, json_array_size(all) - 2),
				    json_array_get(all, json_array_size(all) - 1));
		if (c == feature->checks + FEATURE_CHECKS - 1)
			break;
	}
	return all;
}

static size_t whynot_count(const json_t *checks, enum verdict v)
{
	size_t n = 0, i;
	json_t *c;

	json_array_foreach (checks, i, c)
		n += verdict_is(c, v);
	return n;
}

/* Prints a check; leaves out a remedy that was printed just before. */
static void print_check(const json_t *c, const char **printed)
{
	const char *remedy = json_string_value(json_object_get(c, "remedy"));

	printf("  %-10s  %s\n", json_string_value(json_object_get(c, "verdict")),
	       json_string_value(json_object_get(c, "what")));
	printf("              %s\n", json_string_value(json_object_get(c, "seen")));
	if (*remedy && strcmp(remedy, *printed)) {
		printf("              do: %s\n", remedy);
		*printed = remedy;
	}
}

static void print_checks(const struct feature *feature, const struct cap_source *s,
			 const json_t *checks)
{
	size_t missing = whynot_count(checks, MISSING),
	       unknown = whynot_count(checks, UNKNOWN) + whynot_count(checks, LOOK);
	const char *printed = "";
	size_t i;
	json_t *c;

	printf("%s: %s\n", feature->name, feature->text);
	printf("%s%s%s\n", s->name, *s->firmware ? ", firmware " : "", s->firmware);
	json_array_foreach (checks, i, c)
		print_check(c, &printed);
	if (missing)
		printf("%zu missing.\n", missing);
	else if (unknown)
		printf("Nothing that can be checked is missing; %zu cannot be checked from here.\n",
		       unknown);
	else
		puts("Nothing is missing.");
}

static int list_features(const struct info_args *a)
{
	json_t *all = json_array();

	for (size_t i = 0; i < feature_count; i++) {
		if (a->json)
			json_array_append_new(
				all, json_pack("{ss ss ss}", "feature", features[i].name, "also",
					       features[i].also, "text", features[i].text));
		else
			printf("%-22s %s\n", features[i].name, features[i].text);
	}
	if (a->json)
		return json_out(all);
	json_decref(all);
	return EXIT_DONE;
}

static int whynot_show(const struct info_args *a, const struct feature *feature,
		       const struct cap_source *s)
{
	json_t *checks = check_all(s, feature), *root;
	int code = whynot_count(checks, MISSING) ? EXIT_NO : EXIT_DONE;

	if (!a->json) {
		print_checks(feature, s, checks);
		json_decref(checks);
		return code;
	}
	root = source_json(s);
	json_object_set_new(root, "feature", json_string(feature->name));
	json_object_set_new(root, "missing",
			    json_integer((json_int_t)whynot_count(checks, MISSING)));
	json_object_set_new(root, "checks", checks);
	return json_out(root) ? EXIT_INPUT : code;
}

int info_cmd_whynot(const struct info_args *a)
{
	const struct feature *feature;
	struct cap_source *s;
	char near[200];
	int code;

	if (a->list)
		return list_features(a);
	if (!a->argc) {
		message_print("why-not needs a feature; dvx-info why-not --list has them");
		return EXIT_USAGE;
	}
	feature = feature_find(a->argv[0]);
	if (!feature) {
		message_print("no feature is called \"%s\"%s; dvx-info why-not --list has them",
			      a->argv[0], feature_near(a->argv[0], near, sizeof(near)));
		return EXIT_USAGE;
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		message_print("out of memory");
		return EXIT_INPUT;
	}
	code = cap_source_open(s, a->argc > 1 ? a->argv[1] : a->device, -1);
	if (code)
		message_print("%s", s->error);
	else
		code = whynot_show(a, feature, s);
	cap_source_close(s);
	free(s);
	return code;
}
