/* SPDX-License-Identifier: BSD-2-Clause */
#include "why_priv.h"

#include <stdio.h>

void why_report(const struct why_sink *s, const struct obj *o, struct lab_finding *f)
{
	snprintf(f->function, sizeof(f->function), "%s", o->vhca->name);
	snprintf(f->object, sizeof(f->object), "%s", obj_type_name(o->type));
	f->id = o->id;
	s->found(s->ctx, o, f);
}

static void why_queue(const struct why_sink *s, const struct obj *o)
{
	const struct queue *q = (const struct queue *)o;

	if (q->sq && q->sq->priv)
		why_sq(s, q);
	if (q->rq && q->rq->priv)
		why_rq(s, q);
}

static void why_of_srq(const struct why_sink *s, const struct obj *o)
{
	why_srq(s, (const struct srq *)o);
}

static void why_of_cq(const struct why_sink *s, const struct obj *o)
{
	why_cq(s, (const struct cq *)o);
}

static const struct {
	enum obj_type type;
	void (*fn)(const struct why_sink *, const struct obj *);
} why_types[] = {
	{OBJ_QP, why_queue},   {OBJ_SQ, why_queue}, {OBJ_RQ, why_queue},
	{OBJ_SRQ, why_of_srq}, {OBJ_CQ, why_of_cq},
};

static void why_function(const struct why_sink *s, const struct vhca *v)
{
	const struct obj *o;

	for (unsigned int i = 0; i < sizeof(why_types) / sizeof(why_types[0]); i++)
		for (uint32_t at = 0; (o = obj_next(v, why_types[i].type, at)); at = o->id + 1)
			if (!s->uid || o->uid == s->uid)
				why_types[i].fn(s, o);
}

static void why_chip(const struct why_sink *s, const struct vhca *v, enum finding_kind kind,
		     const char *object)
{
	struct lab_finding f = {.kind = kind, .id = 1};

	snprintf(f.object, sizeof(f.object), "%s", object);
	snprintf(f.function, sizeof(f.function), "%s", v->name);
	s->found(s->ctx, NULL, &f);
}

void why_device(const struct device *dev, const struct why_sink *s)
{
	if (dev->link_down && !s->uid)
		why_chip(s, &dev->vhca[0], FINDING_LINK_DOWN, "port");
	if (dev->failed && !s->uid)
		why_chip(s, &dev->vhca[0], FINDING_FATAL, "device");
	for (unsigned int i = 0; i < dev->nfunctions; i++)
		why_function(s, &dev->vhca[i]);
}
