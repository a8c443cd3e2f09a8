/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"

static const char magic[4] = "DVXF";

static void msg_put32(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> (24 - 8 * i));
}

static uint32_t msg_get32(const char *p)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 8 | (uint8_t)p[i];
	return v;
}

char *msg_pack(json_t *head, const void *body, size_t body_len, size_t *len)
{
	char *text = head ? json_dumps(head, JSON_COMPACT) : NULL, *out = NULL;
	size_t n = text ? strlen(text) : 0;

	json_decref(head);
	if (text && n <= MSG_HEAD_MAX && body_len <= MSG_BODY_MAX)
		out = malloc(MSG_START + n + body_len);
	if (out) {
		memcpy(out, magic, sizeof(magic));
		msg_put32(out + 4, (uint32_t)n);
		msg_put32(out + 8, (uint32_t)body_len);
		memcpy(out + MSG_START, text, n);
		if (body_len)
			memcpy(out + MSG_START + n, body, body_len);
		*len = MSG_START + n + body_len;
	}
	free(text);
	return out;
}

int64_t msg_size(const char *bytes, size_t n, uint32_t head_max, uint32_t body_max)
{
	uint32_t head, body;

	if (memcmp(bytes, magic, n < sizeof(magic) ? n : sizeof(magic)))
		return -EPROTO;
	if (n < MSG_START)
		return 0;
	head = msg_get32(bytes + 4);
	body = msg_get32(bytes + 8);
	if (!head || head > head_max || body > body_max)
		return -EPROTO;
	return (int64_t)MSG_START + head + body;
}

int msg_unpack(const char *bytes, struct flow_msg *out)
{
	uint32_t head = msg_get32(bytes + 4), body = msg_get32(bytes + 8);

	*out = (struct flow_msg){
		.head = json_loadb(bytes + MSG_START, head, JSON_REJECT_DUPLICATES, NULL)};
	if (!json_is_object(out->head)) {
		msg_free(out);
		return -EPROTO;
	}
	out->body = malloc((size_t)body + 1);
	if (!out->body) {
		msg_free(out);
		return -ENOMEM;
	}
	memcpy(out->body, bytes + MSG_START + head, body);
	out->body[body] = 0;
	out->body_len = body;
	return 0;
}

void msg_free(struct flow_msg *m)
{
	json_decref(m->head);
	free(m->body);
	*m = (struct flow_msg){0};
}
