/* The status of EC2NodeClasses: what the cloud's end found for them. karpenter.md 1.3. */
#include "reducers/provision/class_use.h"
#include "reducers/provision/emit.h"
#include "reducers/publish/node_objects.h"
#include "reducers/publish/print.h"

static struct plm_slice text(const struct plm_node_objects *o, plm_sym sym)
{
	return plm_sched_text(&o->sched, sym);
}

static struct plm_vec subnets_of(const struct plm_node_objects *o, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_class_subnet *from =
		PLM_SPAN(o->p->st, span, struct plm_class_subnet, &count);
	struct plm_w_class_subnet *out =
		PLM_NEW_ARRAY(o->p->arena, count, struct plm_w_class_subnet);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_class_subnet){text(o, from[i].id), text(o, from[i].zone),
						     text(o, from[i].zone_id)};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec exprs_of(const struct plm_node_objects *o, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_expr *from = PLM_SPAN(o->p->st, span, struct plm_expr, &count);
	struct plm_w_expr *out = PLM_NEW_ARRAY(o->p->arena, count, struct plm_w_expr);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t values = 0;
		const plm_sym *list = PLM_SPAN(o->p->st, from[i].values, plm_sym, &values);
		struct plm_slice *texts = PLM_NEW_ARRAY(o->p->arena, values, struct plm_slice);

		for (uint32_t k = 0; k < values; k++) {
			texts[k] = text(o, list[k]);
		}
		out[i] = (struct plm_w_expr){.key = text(o, from[i].key),
					     .op = from[i].op,
					     .values = {texts, values},
					     .min_values = PLM_UNSET};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec images_of(const struct plm_node_objects *o, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_class_image *from =
		PLM_SPAN(o->p->st, span, struct plm_class_image, &count);
	struct plm_w_class_image *out = PLM_NEW_ARRAY(o->p->arena, count, struct plm_w_class_image);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_class_image){.id = text(o, from[i].id),
						    .name = text(o, from[i].name),
						    .requirements =
							    exprs_of(o, from[i].requirements),
						    .deprecated = from[i].deprecated};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec groups_of(const struct plm_node_objects *o, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_class_group *from =
		PLM_SPAN(o->p->st, span, struct plm_class_group, &count);
	struct plm_w_class_group *out = PLM_NEW_ARRAY(o->p->arena, count, struct plm_w_class_group);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_class_group){text(o, from[i].id), text(o, from[i].name)};
	}
	return (struct plm_vec){out, count};
}

/* Those that were found, and Ready from all of them but one that says so itself. */
static struct plm_vec conditions_of(const struct plm_node_objects *o,
				    const struct plm_node_class *class)
{
	static const char *const words[] = {"Unknown", "False", "True"};
	struct plm_said_conditions said = plm_said_new(o->p, class->object.generation);
	uint32_t count = 0;
	const struct plm_class_condition *from =
		PLM_SPAN(o->p->st, class->conditions, struct plm_class_condition, &count);

	for (uint32_t i = 0; i < count && said.count + 1 < PLM_SAID_CONDITIONS_MAX; i++) {
		struct plm_w_condition one = {.type = text(o, from[i].type),
					      .status = plm_slice_str(words[from[i].met]),
					      .reason = text(o, from[i].reason),
					      .message = text(o, from[i].message),
					      .since_ms = o->p->now_ms};

		if (plm_slice_is(one.type, "Ready")) {
			continue;
		}
		if (one.reason.size == 0 && from[i].met == PLM_CLASS_MET_UNKNOWN) {
			one.reason = plm_slice_str("AwaitingReconciliation");
		}
		plm_said_add(&said, &one);
	}
	plm_said_ready(o->p, &said, said.count);
	return plm_said_list(&said);
}

static uint64_t print_of(const struct plm_node_class *class, struct plm_vec conditions)
{
	uint64_t print = plm_said_print(PLM_PRINT_BASIS, conditions);

	/* The rest is in the fact, whose print stands for it. */
	print = plm_print_number(print, (int64_t)class->status_low);
	return plm_print_number(print, (int64_t)class->status_high);
}

void plm_publish_class(struct plm_node_objects *o, plm_id id)
{
	const struct plm_node_class *class = plm_node_class_at(o->p->st, id);
	struct plm_w_req_class_status *request = NULL;
	uint64_t print = 0;

	if (!plm_class_known(class)) {
		return;
	}
	request = PLM_NEW(o->p->arena, struct plm_w_req_class_status);
	*request = (struct plm_w_req_class_status){
		.name = text(o, class->object.name),
		.uid = text(o, class->object.uid),
		.status = {.kind = class->object.kind,
			   .name = text(o, class->object.name),
			   .uid = text(o, class->object.uid),
			   .class_hash = text(o, class->status_hash),
			   .subnets = subnets_of(o, class->subnets),
			   .images = images_of(o, class->images),
			   .security_groups = groups_of(o, class->security_groups),
			   .instance_profile = text(o, class->instance_profile)},
		.conditions = conditions_of(o, class),
	};
	print = print_of(class, request->conditions);
	if (print != class->written_print) {
		plm_publish_ask(o->p, PLM_CALL_CLASS_STATUS, &class->object, request, print);
	}
}
