#include "adapters/ec2/classes.h"

#include "adapters/ec2/classes_profile.h"
#include "adapters/ec2/classes_status.h"
#include "codec/codec.h"
#include "core/limits.h"
#include "core/wire_copy.h"

#include <stdio.h>
#include <stdlib.h>

/* Address space: one class as it was told, and a copy of it; all that a pass over one class makes. */
#define CLASS_BYTES ((size_t)64 << 20)
#define PASS_BYTES ((size_t)256 << 20)

struct class
{
	struct class *next;
	struct plm_arena arena; /* holds 'value' */
	const struct plm_w_node_class *value;
	struct plm_ec2_class_memory memory;
	bool changed; /* since the last pass */
	bool unseen;  /* in the list that is being told */
	int64_t since_ms; /* boot time of the first pass over it that waits for an answer; PLM_UNSET = none does */
	uint8_t *told; /* owned: the fact as it was told last */
	size_t told_size;
	struct plm_slice *reservations; /* owned, with their texts behind */
	size_t reservation_count;
};

struct plm_ec2_classes {
	struct plm_ec2_context *context; /* borrowed */
	uv_timer_t *timer;		 /* owned until its close */
	struct class *first;		 /* by kind and name */
	struct plm_ec2_asks *asks;	 /* NULL before start() */
	struct plm_ec2_profiles *profiles;
	struct plm_arena pass;
	bool dirty;
};

static int64_t boot_ms(const struct plm_ec2_classes *classes)
{
	return classes->context->clock.boot_ms(classes->context->clock.self);
}

/* ---- the timer ----------------------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer)
{
	(void)plm_ec2_classes_tick(timer->data);
}

static void arm(struct plm_ec2_classes *classes, int64_t wait_ms)
{
	PLM_ASSERT(uv_timer_start(classes->timer, on_timer, (uint64_t)plm_max(wait_ms, 0), 0) == 0);
}

static void touch(struct plm_ec2_classes *classes)
{
	classes->dirty = true;
	if (classes->asks != NULL) {
		arm(classes, 0);
	}
}

static void changed(void *self)
{
	touch(self);
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

/* ---- classes ------------------------------------------------------------------------------------- */

static void drop(struct class *class)
{
	plm_arena_fini(&class->arena);
	plm_ec2_class_memory_fini(&class->memory);
	free(class->told);
	free(class->reservations);
	free(class);
}

static int compare(const struct class *class, int64_t kind, struct plm_slice name)
{
	if (class->value->kind != kind) {
		return class->value->kind < kind ? -1 : 1;
	}
	return plm_slice_compare(class->value->meta.name, name);
}

static struct class **place_of(struct plm_ec2_classes *classes, int64_t kind, struct plm_slice name)
{
	struct class **at = &classes->first;

	while (*at != NULL && compare(*at, kind, name) < 0) {
		at = &(*at)->next;
	}
	return at;
}

static void remove_class(struct plm_ec2_classes *classes, struct class **at)
{
	struct class *class = *at;

	*at = class->next;
	drop(class);
	touch(classes);
}

static void put(struct class *class, const struct plm_w_node_class *value)
{
	struct plm_arena arena = {0};
	struct plm_error err = {0};

	PLM_ASSERT(plm_arena_init(&arena, 2 * CLASS_BYTES, &err) == PLM_OK);
	class->value = plm_wire_copy(&plm_type_node_class, value, &arena);
	plm_arena_fini(&class->arena);
	class->arena = arena;
	class->changed = true;
	class->unseen = false;
}

/* A class of the same name with another UID is another class. */
static void saw_class(struct plm_ec2_classes *classes, const struct plm_w_node_class *value)
{
	struct class **at = place_of(classes, value->kind, value->meta.name);
	struct class *class = *at;

	if (class != NULL && compare(class, value->kind, value->meta.name) == 0 &&
	    !plm_slice_equal(class->value->meta.uid, value->meta.uid)) {
		remove_class(classes, at);
		class = *at;
	}
	if (class == NULL || compare(class, value->kind, value->meta.name) != 0) {
		class = calloc(1, sizeof(*class));
		PLM_ASSERT(class != NULL);
		class->since_ms = PLM_UNSET;
		class->next = *at;
		*at = class;
	}
	put(class, value);
	touch(classes);
}

static bool is_class(int64_t kind)
{
	return kind == PLM_KIND_NODE_CLASS || kind == PLM_KIND_NODE_TEMPLATE;
}

static void saw_gone(struct plm_ec2_classes *classes, const struct plm_w_gone *gone)
{
	struct class **at = place_of(classes, gone->kind, gone->name);

	if (*at != NULL && is_class(gone->kind) && compare(*at, gone->kind, gone->name) == 0 &&
	    (gone->uid.size == 0 || plm_slice_equal((*at)->value->meta.uid, gone->uid))) {
		remove_class(classes, at);
	}
}

/* A list: what it does not show until its end is gone. */
static void saw_list(struct plm_ec2_classes *classes, int64_t kind, bool begins)
{
	struct class **at = &classes->first;

	while (*at != NULL) {
		if ((*at)->value->kind == kind && !begins && (*at)->unseen) {
			remove_class(classes, at);
			continue;
		}
		(*at)->unseen = (*at)->value->kind == kind ? begins : (*at)->unseen;
		at = &(*at)->next;
	}
}

/* It is there but cannot be read: it is as it was. */
static void saw_standing(struct plm_ec2_classes *classes, const struct plm_w_gone *object)
{
	struct class *class = *place_of(classes, object->kind, object->name);

	if (class != NULL && compare(class, object->kind, object->name) == 0) {
		class->unseen = false;
	}
}

void plm_ec2_classes_saw(struct plm_ec2_classes *classes, const struct plm_observation *observation)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)observation->type);
	struct plm_payload payload = {0};
	struct plm_arena arena = {0};
	struct plm_error err = {0};

	if (observation->type != PLM_EV_NODE_CLASS && observation->type != PLM_EV_GONE &&
	    observation->type != PLM_EV_LISTED) {
		return;
	}
	PLM_ASSERT(plm_arena_init(&arena, CLASS_BYTES, &err) == PLM_OK);
	if (plm_payload_decode(info, observation->payload, &arena, &payload, &err) != PLM_OK) {
		classes->context->options.note(classes->context->options.self, err.text);
	} else if (observation->type == PLM_EV_LISTED) {
		saw_list(classes, ((const struct plm_w_listed *)payload.value)->kind,
			 observation->observed == PLM_OBSERVED_LIST_BEGINS);
	} else if (observation->type == PLM_EV_NODE_CLASS) {
		saw_class(classes, payload.value);
	} else if (observation->observed == PLM_OBSERVED_STANDS) {
		saw_standing(classes, payload.value);
	} else {
		saw_gone(classes, payload.value);
	}
	plm_arena_fini(&arena);
}

/* ---- facts --------------------------------------------------------------------------------------- */

static void keep_reservations(struct class *class, struct plm_vec reservations)
{
	const struct plm_w_class_reservation *list = reservations.ptr;
	size_t size = reservations.count * sizeof(struct plm_slice) + 1;
	uint8_t *text = NULL;

	for (size_t i = 0; i < reservations.count; i++) {
		size += list[i].id.size;
	}
	free(class->reservations);
	class->reservations = malloc(size);
	PLM_ASSERT(class->reservations != NULL);
	class->reservation_count = reservations.count;
	text = (uint8_t *)(class->reservations + reservations.count);
	for (size_t i = 0; i < reservations.count; i++) {
		memcpy(text, list[i].id.ptr, list[i].id.size);
		class->reservations[i] = plm_slice_of(text, list[i].id.size);
		text += list[i].id.size;
	}
}

static void tell(struct plm_ec2_classes *classes, struct class *class,
		 const struct plm_w_class_status *status)
{
	struct plm_slice bytes = plm_wire_encode(&plm_type_class_status, status, &classes->pass);

	if (class->told != NULL &&
	    plm_slice_equal(bytes, plm_slice_of(class->told, class->told_size))) {
		return;
	}
	free(class->told);
	class->told = malloc(bytes.size);
	PLM_ASSERT(class->told != NULL);
	memcpy(class->told, bytes.ptr, bytes.size);
	class->told_size = bytes.size;
	keep_reservations(class, status->reservations);
	plm_ec2_tell(classes->context, PLM_EV_CLASS_STATUS, status, 0, "");
}

/*
 * While something was not answered yet, what is known stands. What fails from the start is told as unknown only
 * after a while: a status in the log from before a restart is better than that.
 */
static bool is_due(const struct plm_ec2_classes *classes, struct class *class,
		   const struct plm_ec2_class_result *result)
{
	int64_t now = boot_ms(classes);

	if (!result->untried && !result->unknown) {
		class->since_ms = PLM_UNSET;
		return true;
	}
	class->since_ms = class->since_ms == PLM_UNSET ? now : class->since_ms;
	return now - class->since_ms >= PLM_LIMIT_CLASS_PATIENCE_MS;
}

static void look(struct plm_ec2_classes *classes)
{
	const struct plm_ec2_context *context = classes->context;
	const struct plm_ec2_class_env env = {
		.asks = classes->asks,
		.profiles = classes->profiles,
		.options = &context->options,
		.region = plm_aws_region(context->client),
		.wall_ms = plm_ec2_now_ms(context),
		.boot_ms = boot_ms(classes),
		.arena = &classes->pass,
	};

	classes->dirty = false;
	plm_ec2_asks_begin(classes->asks);
	plm_ec2_profiles_begin(classes->profiles);
	for (struct class *class = classes->first; class != NULL; class = class->next) {
		struct plm_ec2_class_result result = {0};

		plm_arena_reset(&classes->pass);
		plm_ec2_asks_fresh(classes->asks, class->changed);
		class->changed = false;
		plm_ec2_class_look(&env, class->value, &class->memory, &result);
		if (is_due(classes, class, &result)) {
			tell(classes, class, &result.status);
		}
	}
	plm_ec2_profiles_end(classes->profiles);
	plm_ec2_asks_end(classes->asks);
}

/* The next time at which a class that waits is told all the same. */
static int64_t patience(const struct plm_ec2_classes *classes)
{
	int64_t next = INT64_MAX;

	for (const struct class *class = classes->first; class != NULL; class = class->next) {
		if (class->since_ms != PLM_UNSET) {
			next = plm_min(next, class->since_ms + PLM_LIMIT_CLASS_PATIENCE_MS);
		}
	}
	return next;
}

int64_t plm_ec2_classes_tick(struct plm_ec2_classes *classes)
{
	int64_t now = boot_ms(classes);
	int64_t next = INT64_MAX;

	/* A pass costs little, and what is old or due by time alone shows in one only. */
	look(classes);
	next = plm_min(plm_ec2_asks_tick(classes->asks), plm_ec2_profiles_tick(classes->profiles));
	next = plm_min(next, now + PLM_LIMIT_CLASS_SUBNETS_MS);
	if (patience(classes) > now) {
		next = plm_min(next, patience(classes));
	}
	arm(classes, classes->dirty ? 0 : next - now);
	return next;
}

/* ---- life ---------------------------------------------------------------------------------------- */

enum plm_code plm_ec2_classes_new(struct plm_ec2_context *context, struct plm_ec2_classes **out,
				  struct plm_error *err)
{
	struct plm_ec2_classes *classes = calloc(1, sizeof(*classes));
	enum plm_code code = PLM_OK;

	if (classes == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "node classes: out of memory");
	}
	classes->context = context;
	code = plm_arena_init(&classes->pass, PASS_BYTES, err);
	if (code != PLM_OK) {
		free(classes);
		return code;
	}
	classes->timer = calloc(1, sizeof(*classes->timer));
	PLM_ASSERT(classes->timer != NULL);
	PLM_ASSERT(uv_timer_init(context->options.loop, classes->timer) == 0);
	classes->timer->data = classes;
	*out = classes;
	return PLM_OK;
}

void plm_ec2_classes_free(struct plm_ec2_classes *classes)
{
	if (classes == NULL) {
		return;
	}
	uv_close((uv_handle_t *)classes->timer, on_closed);
	plm_ec2_asks_free(classes->asks);
	plm_ec2_profiles_free(classes->profiles);
	while (classes->first != NULL) {
		struct class *next = classes->first->next;

		drop(classes->first);
		classes->first = next;
	}
	plm_arena_fini(&classes->pass);
	free(classes);
}

void plm_ec2_classes_start(struct plm_ec2_classes *classes)
{
	const struct plm_ec2_context *context = classes->context;
	const struct plm_ec2_asks_options asks = {
		.client = context->client,
		.clock = context->clock,
		.note = context->options.note,
		.note_self = context->options.self,
		.changed = changed,
		.self = classes,
	};
	const struct plm_ec2_profiles_options profiles = {
		.client = context->client,
		.clock = context->clock,
		.cluster_name = context->options.cluster_name,
		.act = context->act,
		.note = context->options.note,
		.note_self = context->options.self,
		.changed = changed,
		.self = classes,
	};

	classes->asks = plm_ec2_asks_new(&asks);
	classes->profiles = plm_ec2_profiles_new(&profiles);
	touch(classes);
}

/* Facts wait in the context's outbox, not here. */
void plm_ec2_classes_resume(struct plm_ec2_classes *classes)
{
	if (classes->asks != NULL && classes->dirty) {
		arm(classes, 0);
	}
}

bool plm_ec2_classes_reserve(const struct plm_ec2_classes *classes, struct plm_slice id)
{
	for (const struct class *class = classes->first; class != NULL; class = class->next) {
		for (size_t i = 0; i < class->reservation_count; i++) {
			if (plm_slice_equal(class->reservations[i], id)) {
				return true;
			}
		}
	}
	return false;
}
