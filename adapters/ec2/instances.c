#include "adapters/ec2/instances.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/ec2/fleet.h"
#include "adapters/ec2/page.h"
#include "adapters/ec2/query.h"
#include "adapters/ec2/sight.h"
#include "adapters/http/backoff.h"
#include "core/limits.h"

/* What is under way: one at a time. */
enum asking {
	NOTHING,
	LIST, /* a whole one */
	LOOK, /* some by their ids */
};

struct plm_ec2_instances {
	struct plm_ec2_context *context;
	struct plm_sights sights;
	struct plm_arena arena; /* of one item */
	uv_timer_t *timer;	/* owned until its close; NULL = not started */
	struct plm_backoff backoff;
	enum asking asking;
	struct plm_aws_pages *pages;
	bool held; /* a page waits until what was told has room */
	uint64_t round;
	uint64_t shown, count; /* by the list under way, by the newest whole one */
	bool listed;
	int64_t list_due_ms;
	int64_t answered_ms; /* the newest success; boot clock */
	int64_t fresh_ms;    /* lists are fast until then */
	int64_t lag_ms;
	bool away;
	char why[128];
};

static int64_t boot_ms(const struct plm_ec2_instances *instances)
{
	return instances->context->clock.boot_ms(instances->context->clock.self);
}

/* ---- telling ------------------------------------------------------------------------------------- */

static void tell(struct plm_ec2_instances *instances, const struct plm_sight *sight)
{
	plm_ec2_tell(instances->context, PLM_EV_INSTANCE, &sight->fact,
		     (uint64_t)sight->fact.intent, "");
}

static void tell_reach(struct plm_ec2_instances *instances, bool away)
{
	const struct plm_w_reach reach = {.source = PLM_SOURCE_CLOUD, .away = away ? 1 : 0};

	if (instances->away != away) {
		instances->away = away;
		plm_ec2_tell(instances->context, PLM_EV_REACH, &reach, 0, "");
	}
}

/* ---- pages --------------------------------------------------------------------------------------- */

static void note_lag(struct plm_ec2_instances *instances, struct plm_sight *sight, int64_t now_ms)
{
	if (sight->answered_ms != PLM_UNSET && sight->fact.state.size == 0) {
		instances->lag_ms = plm_max(instances->lag_ms, now_ms - sight->answered_ms);
	}
}

static void see(void *self, const struct plm_aws_node *item)
{
	struct plm_ec2_instances *instances = self;
	const struct plm_ec2_whose whose = {instances->context->cluster_uid,
					    instances->context->options.cluster_name};
	int64_t now_ms = boot_ms(instances);
	struct plm_w_instance fact;
	struct plm_sight *sight = NULL;
	char id[PLM_EC2_ID_SIZE];

	plm_arena_reset(&instances->arena);
	if (!plm_ec2_instance_read(item, &whose, &instances->arena, &fact) ||
	    !plm_ec2_instance_id(fact.provider_id, id)) {
		return;
	}
	sight = plm_sights_get(&instances->sights, id);
	note_lag(instances, sight, now_ms);
	if (sight->round != instances->round) {
		sight->round = instances->round;
		instances->shown++;
	}
	if (plm_sight_see(sight, &fact, now_ms)) {
		tell(instances, sight);
	}
}

static bool on_page(void *self, const struct plm_aws_node *root)
{
	struct plm_ec2_instances *instances = self;

	plm_ec2_instances_each(root, see, instances);
	instances->held = !plm_ec2_told(instances->context);
	return !instances->held;
}

/* ---- when ---------------------------------------------------------------------------------------- */

static void arm(struct plm_ec2_instances *instances);

static int64_t pause_ms(const struct plm_ec2_instances *instances)
{
	if (boot_ms(instances) < instances->fresh_ms) {
		return PLM_LIMIT_EC2_ROUND_FRESH_MS;
	}
	return instances->sights.count > 0 ? PLM_LIMIT_EC2_ROUND_MS : PLM_LIMIT_EC2_ROUND_IDLE_MS;
}

static void failed(struct plm_ec2_instances *instances, const struct plm_aws_answer *answer)
{
	int64_t now_ms = boot_ms(instances);

	(void)snprintf(instances->why, sizeof(instances->why), "%s: %s", answer->code,
		       answer->message);
	if (now_ms - instances->answered_ms >= PLM_LIMIT_EC2_AWAY_MS) {
		tell_reach(instances, true);
	}
	instances->list_due_ms =
		now_ms + plm_backoff_failed(&instances->backoff, now_ms, answer->retry_after_ms);
}

/* What a list or look had to show and did not. */
static void missed(struct plm_ec2_instances *instances, struct plm_sight *sight)
{
	if (!plm_sight_miss(sight, boot_ms(instances))) {
		return;
	}
	if (sight->fact.state.size == 0) {
		plm_sights_drop(&instances->sights, sight);
	} else {
		tell(instances, sight);
	}
}

static void tidy(struct plm_ec2_instances *instances)
{
	int64_t now_ms = boot_ms(instances);
	struct plm_sight *next = NULL;

	for (struct plm_sight *at = instances->sights.first; at != NULL; at = next) {
		next = at->next;
		if (at->ended_ms != PLM_UNSET) {
			if (now_ms - at->ended_ms >= PLM_LIMIT_EC2_ENDED_MS) {
				plm_sights_drop(&instances->sights, at);
			}
		} else if (at->round != instances->round) {
			missed(instances, at);
		}
	}
}

static void listed(struct plm_ec2_instances *instances)
{
	const struct plm_w_listed fact = {.kind = PLM_KIND_NONE};
	bool news = !instances->listed || instances->away;

	tidy(instances);
	instances->count = instances->shown;
	instances->listed = true;
	instances->away = false; /* LISTED says so */
	if (news) {		 /* what changed was told by itself */
		plm_ec2_tell(instances->context, PLM_EV_LISTED, &fact, 0, "");
	}
	instances->list_due_ms = boot_ms(instances) + pause_ms(instances);
}

static void on_list(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_instances *instances = self;

	instances->pages = NULL;
	instances->held = false;
	instances->asking = NOTHING;
	if (answer->class == PLM_AWS_DONE) {
		instances->answered_ms = boot_ms(instances);
		instances->why[0] = '\0';
		plm_backoff_good(&instances->backoff);
		listed(instances);
	} else {
		failed(instances, answer);
	}
	arm(instances);
}

static void on_look(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_instances *instances = self;
	struct plm_sight *next = NULL;

	instances->pages = NULL;
	instances->held = false;
	instances->asking = NOTHING;
	for (struct plm_sight *at = instances->sights.first; at != NULL; at = next) {
		next = at->next;
		if (!at->asked) {
			continue;
		}
		at->asked = false;
		if (answer->class == PLM_AWS_DONE && at->round != instances->round) {
			missed(instances, at);
		}
	}
	arm(instances);
}

/* ---- asking -------------------------------------------------------------------------------------- */

static void ask(struct plm_ec2_instances *instances, enum asking asking,
		const struct plm_query *query)
{
	instances->asking = asking;
	instances->pages = plm_aws_pages_start(instances->context->client,
					       &(struct plm_aws_paging){
						       .call = PLM_AWS_CALL_DESCRIBE_INSTANCES,
						       .body = plm_query_form(query),
						       .on_page = on_page,
						       .on_end = asking == LIST ? on_list : on_look,
						       .self = instances,
					       });
}

/* What Karpenter and we launched for this cluster, ended ones aside. */
static void list(struct plm_ec2_instances *instances)
{
	static const char *const words[] = {"pending", "running", "stopping", "stopped",
					    "shutting-down"};
	struct plm_slice states[PLM_COUNTOF(words)];
	struct plm_query query;

	for (size_t i = 0; i < PLM_COUNTOF(words); i++) {
		states[i] = plm_slice_str(words[i]);
	}
	instances->round++;
	instances->shown = 0;
	plm_arena_reset(&instances->arena);
	plm_query_init(&query, &instances->arena);
	plm_query_filter_one(&query, "tag-key", plm_slice_str(PLM_EC2_TAG_POOL));
	plm_query_filter_one(&query, "tag-key", plm_slice_str("karpenter.k8s.aws/ec2nodeclass"));
	plm_query_filter_one(&query, "tag:" PLM_EC2_TAG_EKS,
			     plm_slice_str(instances->context->options.cluster_name));
	plm_query_filter(&query, "instance-state-name",
			 (struct plm_vec){states, PLM_COUNTOF(states)});
	plm_query_text(&query, "MaxResults", "1000");
	ask(instances, LIST, &query);
}

/* By a filter, which an id that is not visible yet does not turn into an error. */
static void look(struct plm_ec2_instances *instances)
{
	int64_t now_ms = boot_ms(instances);
	struct plm_slice ids[PLM_LIMIT_EC2_LOOK_IDS];
	size_t count = 0;
	struct plm_query query;

	instances->round++;
	plm_arena_reset(&instances->arena);
	plm_query_init(&query, &instances->arena);
	for (struct plm_sight *at = instances->sights.first;
	     at != NULL && count < PLM_LIMIT_EC2_LOOK_IDS; at = at->next) {
		if (at->watch != PLM_SIGHT_CALM && at->due_ms <= now_ms) {
			plm_sight_looked(at, now_ms);
			at->asked = true;
			ids[count++] = plm_slice_str(at->id);
		}
	}
	PLM_ASSERT(count > 0);
	plm_query_filter(&query, "instance-id", (struct plm_vec){ids, count});
	ask(instances, LOOK, &query);
}

static int64_t look_due_ms(const struct plm_ec2_instances *instances)
{
	int64_t due_ms = INT64_MAX;

	for (const struct plm_sight *at = instances->sights.first; at != NULL; at = at->next) {
		if (at->watch != PLM_SIGHT_CALM) {
			due_ms = plm_min(due_ms, at->due_ms);
		}
	}
	return due_ms;
}

static void on_timer(uv_timer_t *timer)
{
	struct plm_ec2_instances *instances = timer->data;
	int64_t now_ms = boot_ms(instances);

	if (instances->list_due_ms <= now_ms) {
		list(instances);
	} else if (look_due_ms(instances) <= now_ms) {
		look(instances);
	} else {
		arm(instances);
	}
}

static void arm(struct plm_ec2_instances *instances)
{
	int64_t due_ms = instances->list_due_ms;

	if (instances->timer == NULL || instances->asking != NOTHING) {
		return;
	}
	due_ms = plm_min(due_ms, look_due_ms(instances));
	(void)uv_timer_start(instances->timer, on_timer,
			     (uint64_t)plm_max(0, due_ms - boot_ms(instances)), 0);
}

/* ---- for effect.c -------------------------------------------------------------------------------- */

void plm_ec2_instances_hurry(struct plm_ec2_instances *instances)
{
	int64_t now_ms = boot_ms(instances);

	instances->fresh_ms = now_ms + PLM_LIMIT_EC2_FRESH_MS;
	if (instances->backoff.failures == 0) {
		instances->list_due_ms =
			plm_min(instances->list_due_ms, now_ms + PLM_LIMIT_EC2_ROUND_FRESH_MS);
	}
	arm(instances);
}

static struct plm_sight *watch(struct plm_ec2_instances *instances, const char *id,
			       enum plm_sight_watch why)
{
	struct plm_sight *sight = plm_sights_get(&instances->sights, id);

	plm_sight_watch(sight, why, boot_ms(instances));
	return sight;
}

void plm_ec2_instances_launched(struct plm_ec2_instances *instances, struct plm_slice provider_id)
{
	struct plm_sight *sight = NULL;
	char id[PLM_EC2_ID_SIZE];

	if (!plm_ec2_instance_id(provider_id, id)) {
		return;
	}
	sight = plm_sights_find(&instances->sights, id);
	if (sight == NULL) {
		sight = watch(instances, id, PLM_SIGHT_FRESH);
	}
	if (sight->answered_ms == PLM_UNSET) {
		sight->answered_ms = boot_ms(instances);
	}
	arm(instances);
}

void plm_ec2_instances_unlaunched(struct plm_ec2_instances *instances, uint64_t intent)
{
	for (struct plm_sight *at = instances->sights.first; at != NULL; at = at->next) {
		if (at->fact.intent == (int64_t)intent) {
			at->told = false;
		}
	}
}

void plm_ec2_instances_ending(struct plm_ec2_instances *instances, const char *id)
{
	(void)watch(instances, id, PLM_SIGHT_ENDING);
	arm(instances);
}

int64_t plm_ec2_instances_age_ms(const struct plm_ec2_instances *instances, const char *id)
{
	const struct plm_sight *sight = plm_sights_find(&instances->sights, id);

	if (sight == NULL) {
		return PLM_UNSET;
	}
	if (sight->answered_ms != PLM_UNSET) {
		return boot_ms(instances) - sight->answered_ms;
	}
	return sight->fact.state.size == 0 || sight->fact.launched_ms == PLM_UNSET
		       ? PLM_UNSET
		       : plm_ec2_now_ms(instances->context) - sight->fact.launched_ms;
}

/* ---- what others ask ----------------------------------------------------------------------------- */

uint64_t plm_ec2_instances_count(const struct plm_ec2_instances *instances)
{
	return instances->count;
}

bool plm_ec2_instances_listed(const struct plm_ec2_instances *instances)
{
	return instances->listed;
}

bool plm_ec2_instances_away(const struct plm_ec2_instances *instances, char *why)
{
	memcpy(why, instances->why, sizeof(instances->why));
	return instances->away;
}

int64_t plm_ec2_instances_lag_ms(const struct plm_ec2_instances *instances)
{
	return instances->lag_ms;
}

/* ---- life ---------------------------------------------------------------------------------------- */

enum plm_code plm_ec2_instances_new(struct plm_ec2_context *context, struct plm_ec2_instances **out,
				    struct plm_error *err)
{
	struct plm_ec2_instances *instances = calloc(1, sizeof(*instances));

	PLM_ASSERT(instances != NULL);
	if (plm_arena_init(&instances->arena, PLM_LIMIT_EVENT_ARENA, err) != PLM_OK) {
		free(instances);
		return PLM_E_LIMIT;
	}
	instances->context = context;
	plm_backoff_init(&instances->backoff,
			 &(struct plm_backoff_rule){.first_ms = PLM_LIMIT_EC2_WAIT_FIRST_MS,
						    .last_ms = PLM_LIMIT_EC2_ROUND_IDLE_MS / 2},
			 context->options.seed);
	*out = instances;
	return PLM_OK;
}

void plm_ec2_instances_start(struct plm_ec2_instances *instances)
{
	int failed_with = 0;

	PLM_ASSERT(instances->timer == NULL);
	instances->timer = calloc(1, sizeof(*instances->timer));
	PLM_ASSERT(instances->timer != NULL);
	failed_with = uv_timer_init(instances->context->options.loop, instances->timer);
	PLM_ASSERT(failed_with == 0);
	instances->timer->data = instances;
	instances->answered_ms = boot_ms(instances);
	instances->list_due_ms = instances->answered_ms;
	instances->fresh_ms = instances->answered_ms + PLM_LIMIT_EC2_FRESH_MS;
	arm(instances);
}

void plm_ec2_instances_resume(struct plm_ec2_instances *instances)
{
	if (instances->held && plm_ec2_told(instances->context)) {
		instances->held = false;
		plm_aws_pages_go(instances->pages);
	}
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

void plm_ec2_instances_free(struct plm_ec2_instances *instances)
{
	if (instances == NULL) {
		return;
	}
	if (instances->pages != NULL) {
		plm_aws_pages_cancel(instances->pages);
	}
	if (instances->timer != NULL) {
		uv_close((uv_handle_t *)instances->timer, on_closed);
	}
	plm_sights_fini(&instances->sights);
	plm_arena_fini(&instances->arena);
	free(instances);
}
