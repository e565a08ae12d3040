#include "world.h"

#include <stdlib.h>

#include "adapters/manifest/manifest.h"
#include "jsonlog.h"
#include "resume.h"
#include "tools/sim/scenario.h"

struct plm_embedded {
	char uid[PLM_CLUSTER_UID_SIZE];
	struct plm_scenario scenario; /* owned */
	struct plm_resume *resume;    /* owned; NULL before start and after it */
	struct plm_world *world;      /* owned */
	int64_t shift_ms;	      /* from the scenario's time to ours */
	int64_t seen_ms;	      /* wall time of the log's last event; PLM_UNSET = empty */
	size_t next;		      /* action */
	size_t resumed;
};

static void warn(void *ctx, const char *text)
{
	const struct plm_log_field fields[] = {PLM_LOG_STR("warning", text), PLM_LOG_END};

	(void)ctx;
	plm_jsonlog(PLM_LOG_WARN, "manifest", "input has something that nothing decides on",
		    fields);
}

/* What a flag says wins over what a scenario or settings document says. */
static void set_config(struct plm_embedded *embedded, const struct plm_config *config)
{
	struct plm_w_config *w = &embedded->scenario.config;

	w->compat = plm_config_is(config, PLM_CONFIG_KEY_COMPAT, "strict") ? PLM_COMPAT_STRICT
									   : PLM_COMPAT_BETTER;
	w->cluster_name = plm_slice_str(plm_config_text(config, PLM_CONFIG_KEY_CLUSTER_NAME));
}

static enum plm_code read_input(const struct plm_config *config, struct plm_embedded **out,
				struct plm_error *err)
{
	const struct plm_config_value *files = &config->values[PLM_CONFIG_KEY_FILENAME];
	struct plm_scenario_source source = {
		.path = plm_config_text(config, PLM_CONFIG_KEY_SCENARIO),
		.manifests = files->texts,
		.manifest_count = files->count,
		.catalog = plm_config_text(config, PLM_CONFIG_KEY_CATALOG),
		.region = plm_config_text(config, PLM_CONFIG_KEY_REGION),
		.seed = (uint64_t)plm_config_number(config, PLM_CONFIG_KEY_SEED),
		.warn = warn,
	};
	struct plm_embedded *embedded = calloc(1, sizeof(*embedded));
	enum plm_code code = PLM_OK;

	if (embedded == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "embedded world: out of memory");
	}
	code = plm_scenario_read(&source, &embedded->scenario, err);
	if (code != PLM_OK) {
		free(embedded);
		return code;
	}
	set_config(embedded, config);
	*out = embedded;
	return PLM_OK;
}

static void embedded_free(void *self)
{
	struct plm_embedded *embedded = self;

	plm_world_free(embedded->world);
	plm_resume_free(embedded->resume);
	plm_scenario_fini(&embedded->scenario);
	free(embedded);
}

static size_t embedded_resumed(const void *self)
{
	return ((const struct plm_embedded *)self)->resumed;
}

/* ---- time -------------------------------------------------------------------------------------- */

static void shift_stock(struct plm_embedded *embedded, struct plm_sim_options *options)
{
	struct plm_arena *arena = &embedded->scenario.arena;
	struct plm_sim_stock_out *outs =
		PLM_NEW_ARRAY(arena, options->stock_out_count, struct plm_sim_stock_out);
	struct plm_sim_launch_error *errors =
		PLM_NEW_ARRAY(arena, options->launch_error_count, struct plm_sim_launch_error);

	for (size_t i = 0; i < options->stock_out_count; i++) {
		outs[i] = options->stock_outs[i];
		outs[i].from_ms = plm_add_sat(outs[i].from_ms, embedded->shift_ms);
		outs[i].to_ms = plm_add_sat(outs[i].to_ms, embedded->shift_ms);
	}
	for (size_t i = 0; i < options->launch_error_count; i++) {
		errors[i] = options->launch_errors[i];
		errors[i].from_ms = plm_add_sat(errors[i].from_ms, embedded->shift_ms);
		errors[i].to_ms = plm_add_sat(errors[i].to_ms, embedded->shift_ms);
	}
	options->stock_outs = outs;
	options->launch_errors = errors;
}

/* What was said before 'now_ms' is not said again. */
static void shift_warnings(struct plm_embedded *embedded, struct plm_sim_options *options,
			   int64_t now_ms)
{
	struct plm_arena *arena = &embedded->scenario.arena;
	struct plm_sim_reclaim *reclaims =
		PLM_NEW_ARRAY(arena, options->reclaim_count, struct plm_sim_reclaim);
	struct plm_sim_interrupt *interrupts =
		PLM_NEW_ARRAY(arena, options->interrupt_count, struct plm_sim_interrupt);
	size_t reclaim_count = 0;
	size_t interrupt_count = 0;

	for (size_t i = 0; i < options->reclaim_count; i++) {
		reclaims[reclaim_count] = options->reclaims[i];
		reclaims[reclaim_count].at_ms += embedded->shift_ms;
		reclaim_count += reclaims[reclaim_count].at_ms >= now_ms;
	}
	for (size_t i = 0; i < options->interrupt_count; i++) {
		struct plm_sim_interrupt *next = &interrupts[interrupt_count];

		*next = options->interrupts[i];
		next->at_ms = plm_add_sat(next->at_ms, embedded->shift_ms);
		for (; next->times > 1 && next->at_ms < now_ms; next->times--) {
			next->at_ms = plm_add_sat(next->at_ms, next->every_ms);
		}
		interrupt_count += next->at_ms >= now_ms;
	}
	options->reclaims = reclaims;
	options->reclaim_count = reclaim_count;
	options->interrupts = interrupts;
	options->interrupt_count = interrupt_count;
}

/* All that the scenario plans in our time; what is over by 'now_ms' is left out. */
static void shift_options(struct plm_embedded *embedded, struct plm_sim_options *options,
			  int64_t now_ms)
{
	struct plm_sim_fault *faults = PLM_NEW_ARRAY(&embedded->scenario.arena,
						     options->fault_count, struct plm_sim_fault);
	size_t count = 0;

	shift_stock(embedded, options);
	shift_warnings(embedded, options, now_ms);
	for (size_t i = 0; i < options->fault_count; i++) {
		faults[count] = options->faults[i];
		faults[count].at_ms += embedded->shift_ms;
		count += plm_add_sat(faults[count].at_ms, faults[count].for_ms) >= now_ms;
	}
	options->faults = faults;
	options->fault_count = count;
}

static int64_t action_ms(const struct plm_embedded *embedded, const struct plm_sim_action *action)
{
	return plm_add_sat(action->at_ms, embedded->shift_ms);
}

/* ---- what happens to the world ----------------------------------------------------------------- */

static bool is_about(const struct plm_sim_action *action, enum plm_kind kind, struct plm_slice ns,
		     struct plm_slice name)
{
	const struct plm_w_meta *meta = action->payload;

	return action->what == PLM_SIM_APPLY && plm_sim_kind_of(action->type, meta) == kind &&
	       plm_slice_equal(meta->name, name) && plm_slice_equal(meta->ns, ns);
}

/* The manifests say how long an object's pods run; the log does not. */
static struct plm_sim_extra extra_of(void *self, enum plm_kind kind, struct plm_slice ns,
				     struct plm_slice name)
{
	const struct plm_embedded *embedded = self;

	for (size_t i = 0; i < embedded->scenario.action_count; i++) {
		if (is_about(&embedded->scenario.actions[i], kind, ns, name)) {
			return embedded->scenario.actions[i].extra;
		}
	}
	return (struct plm_sim_extra){.runtime_ms = PLM_UNSET};
}

/* An action of the past was done in a past life, unless it is an object that the log has never seen. */
static bool was_done(const struct plm_embedded *embedded, const struct plm_sim_action *action)
{
	const struct plm_w_meta *meta = action->payload;

	if (embedded->seen_ms == PLM_UNSET || action_ms(embedded, action) > embedded->seen_ms) {
		return false;
	}
	return action->what != PLM_SIM_APPLY ||
	       plm_resume_knows(embedded->resume, plm_sim_kind_of(action->type, meta), meta->ns,
				meta->name);
}

static void act(struct plm_embedded *embedded, const struct plm_sim_action *action)
{
	switch (action->what) {
	case PLM_SIM_APPLY:
		plm_world_apply(embedded->world, action->type, action->payload, &action->extra);
		return;
	case PLM_SIM_DELETE:
		(void)plm_world_delete(embedded->world, action->kind, action->ns, action->name);
		return;
	case PLM_SIM_SCALE:
		(void)plm_world_scale(embedded->world, action->kind, action->ns, action->name,
				      action->replicas);
		return;
	case PLM_SIM_PATCH:
		(void)plm_world_patch(embedded->world, action->payload);
		return;
	}
	PLM_UNREACHABLE();
}

static void embedded_advance(void *self, int64_t now_ms)
{
	struct plm_embedded *embedded = self;
	const struct plm_scenario *scenario = &embedded->scenario;

	for (; embedded->next < scenario->action_count; embedded->next++) {
		const struct plm_sim_action *action = &scenario->actions[embedded->next];
		int64_t at_ms = action_ms(embedded, action);

		if (at_ms > now_ms) {
			break;
		}
		if (!was_done(embedded, action)) {
			plm_world_advance(embedded->world,
					  plm_max(at_ms, plm_world_now(embedded->world)));
			act(embedded, action);
		}
	}
	plm_world_advance(embedded->world, plm_max(now_ms, plm_world_now(embedded->world)));
}

static int64_t embedded_next_due(const void *self)
{
	const struct plm_embedded *embedded = self;
	const struct plm_scenario *scenario = &embedded->scenario;
	int64_t due = plm_world_next_due(embedded->world);
	int64_t action = PLM_UNSET;

	if (embedded->next < scenario->action_count) {
		action = action_ms(embedded, &scenario->actions[embedded->next]);
	}
	if (due == PLM_UNSET || action == PLM_UNSET) {
		return due == PLM_UNSET ? action : due;
	}
	return plm_min(due, action);
}

/* ---- start ------------------------------------------------------------------------------------- */

static enum plm_code add_nodes(struct plm_embedded *embedded, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	for (size_t i = 0; i < embedded->scenario.node_count && code == PLM_OK; i++) {
		const struct plm_sim_node *node = &embedded->scenario.nodes[i];

		if (!plm_resume_knows(embedded->resume, PLM_KIND_NODE, (struct plm_slice){0},
				      node->name)) {
			code = plm_world_add_node(embedded->world, node, err);
		}
	}
	return code;
}

static enum plm_code embedded_start(void *self, const struct plm_end_start *start,
				    struct plm_error *err)
{
	struct plm_embedded *embedded = self;
	struct plm_sim_options options = embedded->scenario.world;
	struct plm_resume_build build = {
		.cluster_uid = start->cluster_uid, .extra = extra_of, .self = embedded};
	uint64_t seq = plm_log_head(start->log).seq;
	int64_t began_ms = start->now_ms;
	enum plm_code code = plm_resume_read(start->log, &embedded->resume, err);

	if (code != PLM_OK) {
		return code;
	}
	if (plm_resume_started_ms(embedded->resume) != PLM_UNSET) {
		began_ms = plm_resume_started_ms(embedded->resume);
	}
	embedded->seen_ms = plm_resume_seen_ms(embedded->resume);
	embedded->shift_ms = plm_sub_sat(began_ms, options.start_ms);
	shift_options(embedded, &options, start->now_ms);
	options.start_ms = start->now_ms;
	options.inbox = start->inbox;
	code = plm_world_new(&options, &embedded->world, err);
	if (code == PLM_OK && seq > 0) {
		build.world = embedded->world;
		build.number = 4 * seq + (uint64_t)plm_max(0, start->now_ms - began_ms);
		code = plm_resume_world(embedded->resume, &build, err);
		embedded->resumed = plm_resume_count(embedded->resume);
	}
	return code == PLM_OK ? add_nodes(embedded, err) : code;
}

static struct plm_effects embedded_effects(void *self)
{
	return plm_world_effects(((struct plm_embedded *)self)->world);
}

static const char *embedded_violation(const void *self)
{
	return plm_world_violation(((const struct plm_embedded *)self)->world);
}

static void embedded_durable(void *self, const struct plm_log_head *head)
{
	(void)self;
	(void)head;
}

/* Nobody else acts on it. */
static bool embedded_may_act(const void *self)
{
	(void)self;
	return true;
}

static const char *embedded_over(const void *self)
{
	(void)self;
	return NULL;
}

static void embedded_leave(void *self)
{
	(void)self;
}

/* ---- the end ----------------------------------------------------------------------------------- */

/* The identity of an embedded cluster follows from its name. */
static enum plm_code embedded_meet(void *self, const struct plm_end_meet *meet,
				   char uid[PLM_CLUSTER_UID_SIZE], struct plm_error *err)
{
	const struct plm_embedded *embedded = self;

	(void)meet;
	(void)err;
	memcpy(uid, embedded->uid, PLM_CLUSTER_UID_SIZE);
	return PLM_OK;
}

static void name_cluster(struct plm_embedded *embedded)
{
	struct plm_slice uid = plm_manifest_uid(&embedded->scenario.arena, PLM_KIND_NAMESPACE,
						embedded->scenario.config.cluster_name,
						plm_slice_str("kube-system"));

	PLM_ASSERT(uid.size < sizeof(embedded->uid));
	memcpy(embedded->uid, uid.ptr, uid.size);
}

enum plm_code plm_embedded_end(const struct plm_config *config, struct plm_end *out,
			       struct plm_error *err)
{
	struct plm_embedded *embedded = NULL;
	enum plm_code code = read_input(config, &embedded, err);

	if (code != PLM_OK) {
		return code;
	}
	name_cluster(embedded);
	*out = (struct plm_end){
		.self = embedded,
		.config = &embedded->scenario.config,
		.catalog = &embedded->scenario.catalog,
		.meet = embedded_meet,
		.start = embedded_start,
		.effects = embedded_effects,
		.advance = embedded_advance,
		.next_due = embedded_next_due,
		.violation = embedded_violation,
		.resumed = embedded_resumed,
		.durable = embedded_durable,
		.may_act = embedded_may_act,
		.over = embedded_over,
		.leave = embedded_leave,
		.free = embedded_free,
	};
	return PLM_OK;
}
