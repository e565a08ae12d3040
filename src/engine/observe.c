/* Events from outside: checked, compared with state, taken into the batch. */
#include "codec/codec.h"
#include "core/limits.h"
#include "engine/engine_private.h"

/* An observation, decoded. */
struct observed {
	const struct plm_observation *from;
	const struct plm_event_info *info;
	struct plm_payload payload;
	struct plm_hash128 print;
	enum plm_kind kind;
	struct plm_slice ns, name;
};

/* Is it the object that a fact tells, or does it only speak about one, as CLASS_STATUS? */
static bool is_of_object(const struct plm_event_info *info)
{
	return info->class == PLM_CLASS_FACT &&
	       (info->type == PLM_EV_GONE || info->type == PLM_EV_WORKLOAD_PATCH ||
		info->payload->fields[0].type == &plm_type_meta);
}

/* Every object fact begins with its meta. */
static void name_object(struct observed *seen)
{
	if (seen->info->type == PLM_EV_GONE) {
		const struct plm_w_gone *gone = seen->payload.value;

		seen->ns = gone->ns;
		seen->name = gone->name;
	} else if (seen->info->type == PLM_EV_WORKLOAD_PATCH) {
		const struct plm_w_workload_patch *patch = seen->payload.value;

		seen->ns = patch->ns;
		seen->name = patch->name;
	} else if (seen->kind != PLM_KIND_NONE) {
		const struct plm_w_meta *meta = seen->payload.value;

		PLM_ASSERT(seen->info->payload->fields[0].type == &plm_type_meta);
		seen->ns = meta->ns;
		seen->name = meta->name;
	}
}

static enum plm_code decode_observation(struct plm_engine *engine, struct observed *seen,
					struct plm_error *err)
{
	seen->info = plm_event_info((uint16_t)seen->from->type);
	if (seen->info == NULL ||
	    (seen->info->class != PLM_CLASS_FACT && seen->info->class != PLM_CLASS_RESULT)) {
		return plm_fail(err, PLM_E_INPUT, "event type %d does not come from outside",
				(int)seen->from->type);
	}
	if (seen->from->payload.size > PLM_LIMIT_PAYLOAD_BYTES ||
	    seen->from->pos.size > PLM_LIMIT_POSITION_BYTES) {
		return plm_fail(err, PLM_E_INPUT, "%s is larger than the limits allow",
				seen->info->name);
	}
	plm_arena_reset(&engine->scratch);
	if (plm_payload_decode(seen->info, seen->from->payload, &engine->scratch, &seen->payload,
			       err) != PLM_OK) {
		return plm_fail_prefix(err, PLM_E_INPUT, "%s", seen->info->name);
	}
	if (seen->info->class == PLM_CLASS_FACT) {
		seen->print = plm_xxh128(seen->payload.projection);
	}
	seen->kind = is_of_object(seen->info) ? plm_event_kind(seen->info, seen->payload.value)
					      : PLM_KIND_NONE;
	name_object(seen);
	return PLM_OK;
}

static plm_id known_object(const struct plm_engine *engine, const struct observed *seen)
{
	const struct plm_state *st = &engine->state;
	plm_sym ns = plm_sym_find(st, seen->ns);
	plm_sym name = plm_sym_find(st, seen->name);

	if ((ns.n == 0 && seen->ns.size > 0) || name.n == 0) {
		return (plm_id){0};
	}
	return plm_find(st, seen->kind, ns, name);
}

/* What the cloud says of a class is what it said last. */
static bool stands(const struct plm_engine *engine, const struct observed *seen)
{
	const struct plm_w_class_status *status = seen->payload.value;
	const struct plm_state *st = &engine->state;
	plm_sym name = plm_sym_find(st, status->name);
	plm_id id = name.n == 0 ? (plm_id){0}
				: plm_find(st, (enum plm_kind)status->kind, (plm_sym){0}, name);
	const struct plm_node_class *class = plm_node_class_at(st, id);

	return id.n != 0 && class->looked_up != 0 && class->status_low == seen->print.low &&
	       class->status_high == seen->print.high;
}

/* Nothing new: an equal projection, the end of what is not there, the result of a closed intent. */
static bool is_duplicate(struct plm_engine *engine, const struct observed *seen)
{
	plm_id id = {0};

	if (seen->info->class == PLM_CLASS_RESULT) {
		uint64_t seq = (uint64_t)((const struct plm_w_result *)seen->payload.value)->intent;

		id = plm_index_find(&engine->state, PLM_KEY_INTENT, (uint32_t)seq,
				    (uint32_t)(seq >> 32));
		return id.n == 0;
	}
	if (seen->info->type == PLM_EV_CLASS_STATUS) {
		return stands(engine, seen);
	}
	if (seen->kind == PLM_KIND_NONE || seen->info->type == PLM_EV_WORKLOAD_PATCH) {
		return false;
	}
	id = known_object(engine, seen);
	if (seen->info->type == PLM_EV_GONE) {
		return id.n == 0;
	}
	if (id.n != 0) {
		const struct plm_object *object =
			plm_slot(&engine->state, plm_kind_table(seen->kind), id);

		return object->seq != 0 && object->print_low == seen->print.low &&
		       object->print_high == seen->print.high;
	}
	return false;
}

/*
 * An object as it was before: the same one with a smaller generation. A watch may do that (D15); a list is
 * consistent, so what it tells is so, as after a restored backup.
 */
static bool is_older(const struct plm_engine *engine, const struct observed *seen)
{
	const struct plm_w_meta *meta = seen->payload.value;
	const struct plm_object *object = NULL;
	plm_id id = {0};

	if (seen->kind == PLM_KIND_NONE || seen->info->type == PLM_EV_GONE ||
	    seen->info->type == PLM_EV_WORKLOAD_PATCH || meta->generation <= 0 ||
	    plm_sweep_open(&engine->sweeps, seen->kind)) {
		return false;
	}
	id = known_object(engine, seen);
	object = plm_slot(&engine->state, plm_kind_table(seen->kind), id);
	return id.n != 0 && object->seq != 0 && meta->generation < object->generation &&
	       plm_slice_equal(plm_str(&engine->state, object->uid), meta->uid);
}

/* The deletion of an object whose name another one has taken since. */
static bool is_stale(const struct plm_engine *engine, const struct observed *seen)
{
	const struct plm_w_gone *gone = seen->payload.value;
	plm_id id = {0};
	const struct plm_object *object = NULL;

	if (seen->info->type != PLM_EV_GONE || gone->uid.size == 0) {
		return false;
	}
	id = known_object(engine, seen);
	object = plm_slot(&engine->state, plm_kind_table(seen->kind), id);
	return id.n != 0 && object->seq != 0 &&
	       !plm_slice_equal(plm_str(&engine->state, object->uid), gone->uid);
}

/* The name of the table that is full even after growing, else NULL. */
static const char *no_room(struct plm_engine *engine, const struct observed *seen)
{
	struct plm_w_limits limits;

	if (seen->info->class == PLM_CLASS_RESULT || seen->info->type == PLM_EV_GONE ||
	    (seen->kind != PLM_KIND_NONE && known_object(engine, seen).n != 0)) {
		return NULL;
	}
	while (plm_state_full(&engine->state, seen->from->payload.size) != NULL) {
		if (!plm_state_grow(&engine->state, &engine->batch.arena, &limits)) {
			return plm_state_full(&engine->state, seen->from->payload.size);
		}
		plm_engine_add_control(engine, PLM_EV_LIMITS, &limits);
	}
	return NULL;
}

static void reject(struct plm_engine *engine, const struct observed *seen, const char *limit)
{
	struct plm_w_rejected rejected = {plm_slice_str(limit), seen->kind, seen->ns, seen->name};

	plm_engine_add_control(engine, PLM_EV_REJECTED, &rejected);
	engine->stats.rejected++;
}

static void take(struct plm_engine *engine, const struct observed *seen)
{
	struct plm_batch_event event = {
		.type = seen->from->type,
		.source = seen->from->source,
		.intent = seen->from->intent,
		.pos = seen->from->pos,
		.payload = seen->from->payload,
	};
	const char *limit = NULL;

	plm_engine_begin_batch(engine);
	limit = no_room(engine, seen);
	if (limit != NULL) {
		reject(engine, seen, limit);
		return;
	}
	plm_engine_apply(engine, event.type, plm_batch_add(&engine->batch, &event),
			 seen->payload.value, seen->print);
	engine->batch.facts++;
	if (seen->info->class == PLM_CLASS_RESULT) {
		engine->stats.results++;
	} else {
		engine->stats.facts++;
	}
}

/* ---- lists ------------------------------------------------------------------------------------- */

/* A list shows this object. */
static void mark(struct plm_engine *engine, const struct observed *seen)
{
	if (seen->kind != PLM_KIND_NONE && plm_sweep_open(&engine->sweeps, seen->kind)) {
		plm_sweep_mark(&engine->sweeps, seen->kind, known_object(engine, seen));
	}
}

/* What is no event: LIST_BEGINS, STANDS. */
static enum plm_code take_sign(struct plm_engine *engine, const struct observed *seen,
			       struct plm_error *err)
{
	enum plm_observed observed = seen->from->observed;

	if (observed == PLM_OBSERVED_LIST_BEGINS && seen->info->type == PLM_EV_LISTED) {
		const struct plm_w_listed *list = seen->payload.value;
		enum plm_kind kind = (enum plm_kind)list->kind;

		if (plm_table_info(plm_kind_table(kind))->keyed) {
			plm_sweep_begin(&engine->sweeps, kind);
			return PLM_OK;
		}
	}
	if (observed == PLM_OBSERVED_STANDS && seen->info->type == PLM_EV_GONE) {
		mark(engine, seen);
		return PLM_OK;
	}
	return plm_fail(err, PLM_E_INPUT, "%s cannot be observed so", seen->info->name);
}

/* The object at 'id' is gone, says the list that is at hand. */
static void infer_gone(struct plm_engine *engine, const struct observed *seen, enum plm_kind kind,
		       plm_id id)
{
	const struct plm_state *st = &engine->state;
	const struct plm_object *object = plm_slot(st, plm_kind_table(kind), id);
	const struct plm_w_gone gone = {
		.kind = kind,
		.ns = plm_str(st, object->ns),
		.name = plm_str(st, object->name),
		.uid = plm_str(st, object->uid),
	};
	struct plm_batch_event event = {
		.type = PLM_EV_GONE,
		.source = seen->from->source,
		.pos = seen->from->pos,
	};

	plm_engine_begin_batch(engine);
	event.payload = plm_payload_encode(plm_event_info(PLM_EV_GONE), &gone,
					   (struct plm_slice){0}, &engine->batch.arena);
	plm_engine_apply(engine, event.type, plm_batch_add(&engine->batch, &event), &gone,
			 (struct plm_hash128){0, 0});
	engine->batch.facts++;
	engine->stats.facts++;
	engine->stats.inferred++;
}

static bool batch_full(const struct plm_engine *engine)
{
	return engine->batch.open && (engine->batch.facts >= PLM_LIMIT_BATCH_FACTS ||
				      engine->batch.bytes >= PLM_LIMIT_BATCH_BYTES);
}

/* Lists come again and again; which ones the log must know of. */
static bool is_news(struct plm_engine *engine, enum plm_kind kind)
{
	struct plm_sweep_end end = plm_sweep_end(&engine->sweeps, kind);

	return end.swept || (plm_waits_for_list(kind) &&
			     (end.first || plm_root(&engine->state)->kube_away_ms != PLM_UNSET));
}

/*
 * The end of a list: first what it did not show, then LISTED, so that nobody reads LISTED before it is
 * true. PLM_E_AGAIN: the batch is full, the rest when it comes again.
 */
static enum plm_code end_list(struct plm_engine *engine, const struct observed *seen,
			      struct plm_error *err)
{
	const struct plm_w_listed *list = seen->payload.value;
	enum plm_kind kind = (enum plm_kind)list->kind;
	plm_id id = {0};

	if (!plm_sweep_open(&engine->sweeps, kind)) {
		take(engine, seen);
		return PLM_OK;
	}
	while (!batch_full(engine)) {
		id = plm_sweep_next(&engine->sweeps, &engine->state, kind);
		if (id.n == 0) {
			break;
		}
		infer_gone(engine, seen, kind, id);
	}
	if (id.n != 0) {
		return plm_fail(err, PLM_E_AGAIN, "the batch is full");
	}
	if (is_news(engine, kind)) {
		take(engine, seen);
	} else {
		engine->stats.duplicates++;
	}
	return PLM_OK;
}

enum plm_code plm_engine_observe(struct plm_engine *engine,
				 const struct plm_observation *observation, struct plm_error *err)
{
	struct observed seen = {.from = observation};
	enum plm_code code = PLM_OK;

	PLM_ASSERT(!engine->dead);
	if (batch_full(engine)) {
		return plm_fail(err, PLM_E_AGAIN, "the batch is full");
	}
	code = decode_observation(engine, &seen, err);
	if (code != PLM_OK) {
		return code;
	}
	if (observation->observed != PLM_OBSERVED_FACT) {
		return take_sign(engine, &seen, err);
	}
	if (seen.info->type == PLM_EV_LISTED) {
		return end_list(engine, &seen, err);
	}
	if (is_duplicate(engine, &seen)) {
		engine->stats.duplicates++;
	} else if (is_stale(engine, &seen) || is_older(engine, &seen)) {
		engine->stats.stale++;
	} else {
		take(engine, &seen);
	}
	if (seen.info->type != PLM_EV_GONE) {
		mark(engine, &seen);
	}
	return PLM_OK;
}

enum plm_code plm_engine_mark(struct plm_engine *engine, const char *name, const char *reason,
			      struct plm_error *err)
{
	struct plm_w_mark mark = {plm_slice_str(name), plm_slice_str(reason)};

	if (name[0] == '\0') {
		return plm_fail(err, PLM_E_USAGE, "a mark needs a name");
	}
	plm_engine_begin_batch(engine);
	plm_engine_add_control(engine, PLM_EV_MARK, &mark);
	return PLM_OK;
}
