/* SPDX-License-Identifier: BSD-2-Clause */
/* stats in Prometheus' text format, version 0.0.4. */
#include <string.h>

#include "show.h"
#include "stats.h"

/* Prints a label's value. The format escapes these three characters. */
static void prometheus_put_value(FILE *to, const char *s)
{
	for (; *s; s++)
		if (*s == '\n')
			fputs("\\n", to);
		else
			fprintf(to, "%s%c", *s == '\\' || *s == '"' ? "\\" : "", *s);
}

static void prometheus_put_label(FILE *to, const char *name, const char *value)
{
	fprintf(to, ",%s=\"", name);
	prometheus_put_value(to, value);
	fputc('"', to);
}

/* Prints the labels that distinguish the rows of a metric, after {device="...". */
static void prometheus_rule(FILE *to, const json_t *rule)
{
	fprintf(to, ",id=\"%" JSON_INTEGER_FORMAT "\"", show_number(rule, "id"));
	prometheus_put_label(to, "direction", show_text(rule, "direction"));
	prometheus_put_label(to, "action", show_text(rule, "action"));
	if (*show_text(rule, "name"))
		prometheus_put_label(to, "name", show_text(rule, "name"));
	if (*show_text(rule, "table"))
		prometheus_put_label(to, "table", show_text(rule, "table"));
	prometheus_put_label(to, "rule", show_text(rule, "text"));
}

static void prometheus_queue(FILE *to, const json_t *queue)
{
	fprintf(to, ",queue=\"%" JSON_INTEGER_FORMAT "\"", show_number(queue, "queue"));
}

static void prometheus_source(FILE *to, const json_t *row)
{
	prometheus_put_label(to, "from", show_text(row, "from"));
}

static const struct prometheus_metric {
	const char *name, *type, *help;
	const char *list, *key; /* list NULL: a member of the answer itself */
	void (*labels)(FILE *to, const json_t *row);
} prometheus_metrics[] = {
	{"dvx_flow_applies_total", "counter", "How many times the rules were replaced.", NULL,
	 "applied", NULL},
	{"dvx_flow_rule_packets_total", "counter", "Packets that the rule took.", "rules",
	 "packets", prometheus_rule},
	{"dvx_flow_rule_bytes_total", "counter", "Bytes of packets that the rule took.", "rules",
	 "bytes", prometheus_rule},
	{"dvx_flow_source_packets", "gauge",
	 "Packets from the vport that the e-switch's rules in effect counted; less when one goes.",
	 "sources", "packets", prometheus_source},
	{"dvx_flow_source_dropped_packets", "gauge",
	 "Packets from the vport that the e-switch's rules in effect dropped.", "sources",
	 "dropped", prometheus_source},
	{"dvx_flow_connections", "gauge", "Connections that are tracked.", "connections", "tracked",
	 NULL},
	{"dvx_flow_connections_begun_total", "counter", "Connections that began to be tracked.",
	 "connections", "begun", NULL},
	{"dvx_flow_connections_refused_total", "counter",
	 "Connections that could not begin: none was free, or the device had no room.",
	 "connections", "refused", NULL},
	{"dvx_flow_queue_packets_total", "counter", "Packets that the queue received.", "queues",
	 "packets", prometheus_queue},
	{"dvx_flow_queue_bytes_total", "counter", "Bytes of packets that the queue received.",
	 "queues", "bytes", prometheus_queue},
	{"dvx_flow_queue_dropped_packets_total", "counter",
	 "Packets that the device dropped because the queue was full.", "queues", "dropped",
	 prometheus_queue},
	{"dvx_flow_queue_errors_total", "counter", "Packets that were too long for the queue.",
	 "queues", "errors", prometheus_queue},
	{"dvx_flow_queue_captured_packets_total", "counter", "Packets in the queue's capture file.",
	 "queues", "captured", prometheus_queue},
};

static void prometheus_put_sample(FILE *to, const struct prometheus_metric *m, const char *device,
				  const json_t *row)
{
	if (!json_object_get(row, m->key))
		return;
	fprintf(to, "%s{device=\"", m->name);
	prometheus_put_value(to, device);
	fputc('"', to);
	if (m->labels)
		m->labels(to, row);
	fprintf(to, "} %" JSON_INTEGER_FORMAT "\n", show_number(row, m->key));
}

static void prometheus_put_metric(FILE *to, const struct prometheus_metric *m, const json_t *now)
{
	const char *device = show_text(now, "device");
	json_t *row;
	size_t i;

	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name, m->type);
	if (!m->list)
		prometheus_put_sample(to, m, device, now);
	json_array_foreach (json_object_get(now, m->list), i, row)
		prometheus_put_sample(to, m, device, row);
}

void stats_prometheus(FILE *to, const json_t *now)
{
	fprintf(to,
		"# HELP dvx_flow_rules Rules in effect.\n# TYPE dvx_flow_rules gauge\n"
		"dvx_flow_rules{device=\"%s\"} %zu\n",
		show_text(now, "device"), json_array_size(json_object_get(now, "rules")));
	for (size_t i = 0; i < sizeof(prometheus_metrics) / sizeof(prometheus_metrics[0]); i++)
		prometheus_put_metric(to, &prometheus_metrics[i], now);
}
