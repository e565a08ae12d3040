/*
 * ec2.c - the parts of the EC2 end put together
 *
 * Keys are fetched from the start on, since the region may come with them; everything else begins with start().
 */
#include "adapters/ec2/ec2.h"

#include "adapters/ec2/catalog.h"
#include "adapters/ec2/classes.h"
#include "adapters/ec2/context.h"
#include "adapters/ec2/effect.h"
#include "adapters/ec2/instances.h"
#include "adapters/ec2/queue.h"
#include "adapters/ec2/status.h"

#include "core/limits.h"

#include <stdlib.h>

struct ec2 {
	struct plm_ec2_context context;
	struct plm_aws_credentials *credentials; /* owned, as all that follows */
	struct plm_aws_client *client;
	struct plm_ec2_classes *classes;
	struct plm_ec2_catalog *catalog;
	struct plm_ec2_instances *instances;
	struct plm_ec2_effect *effect;
	struct plm_ec2_queue *queue;
	struct plm_ec2_status *status;
	uv_timer_t timer; /* asks for keys again; ours until on_closed() */
	bool asked;	  /* for keys, and they have not come */
	char why[128];	  /* there are none: as they say */
};

/* ---- who and where we are ---------------------------------------------------------------------- */

static void ask_for_keys(struct ec2 *ec2);

static void on_timer(uv_timer_t *timer)
{
	ask_for_keys(timer->data);
}

static void keys_came(void *self, const struct plm_aws_keys *keys, const char *why)
{
	struct ec2 *ec2 = self;

	ec2->asked = false;
	(void)snprintf(ec2->why, sizeof(ec2->why), "%s", keys == NULL ? why : "");
	/* A role may be given to us later, or be taken away. */
	(void)uv_timer_start(&ec2->timer, on_timer, PLM_LIMIT_AWS_KEYS_AGAIN_MS, 0);
}

static void ask_for_keys(struct ec2 *ec2)
{
	if (!ec2->asked) {
		ec2->asked = true;
		(void)plm_aws_credentials_get(ec2->credentials, keys_came, ec2);
	}
}

static const char *place(const void *self)
{
	return plm_aws_credentials_region(((const struct ec2 *)self)->credentials);
}

/* ---- the port ---------------------------------------------------------------------------------- */

static void start(void *self, const struct plm_cloud_start *start)
{
	struct ec2 *ec2 = self;
	struct plm_ec2_context *context = &ec2->context;

	context->inbox = start->inbox;
	context->clock = start->clock;
	context->cluster_uid = start->cluster_uid;
	context->act = start->act;
	if (context->options.kubernetes_version == NULL && start->kubernetes[0] != '\0') {
		context->options.kubernetes_version = start->kubernetes;
	}
	plm_aws_client_allow(ec2->client,
			     PLM_AWS_OBSERVE | (start->act ? (unsigned)PLM_AWS_NODES : 0U));
	plm_ec2_classes_start(ec2->classes);
	plm_ec2_catalog_start(ec2->catalog);
	plm_ec2_instances_start(ec2->instances);
	plm_ec2_effect_start(ec2->effect, ec2->instances);
	plm_ec2_status_start(ec2->status);
	plm_ec2_queue_start(ec2->queue);
}

static struct plm_effects effects(void *self)
{
	return plm_ec2_effects(((struct ec2 *)self)->effect);
}

static void saw(void *self, const struct plm_observation *observation)
{
	plm_ec2_classes_saw(((struct ec2 *)self)->classes, observation);
}

static void resume(void *self)
{
	struct ec2 *ec2 = self;

	plm_ec2_tell_more(&ec2->context);
	plm_ec2_classes_resume(ec2->classes);
	plm_ec2_catalog_resume(ec2->catalog);
	plm_ec2_instances_resume(ec2->instances);
	plm_ec2_status_resume(ec2->status);
	plm_ec2_queue_resume(ec2->queue);
}

static void say(struct plm_ready_check *check, const char *name, const char *why)
{
	*check = (struct plm_ready_check){.name = name, .ok = why[0] == '\0'};
	(void)snprintf(check->why, sizeof(check->why), "%s", why);
}

static size_t ready(const void *self, struct plm_ready_check *out, size_t max)
{
	const struct ec2 *ec2 = self;
	char why[128] = "";
	size_t count = 2;

	PLM_ASSERT(max >= count);
	say(&out[0], "cloud-credentials", ec2->why);
	if (!plm_ec2_instances_away(ec2->instances, why) &&
	    plm_ec2_instances_listed(ec2->instances)) {
		why[0] = '\0'; /* one list that failed is nothing yet */
	} else if (why[0] == '\0') {
		(void)snprintf(why, sizeof(why), "the instances were not listed whole yet");
	}
	say(&out[1], "cloud-instances", why);
	count += plm_ec2_catalog_ready(ec2->catalog, &out[count], max - count);
	count += plm_ec2_status_ready(ec2->status, &out[count], max - count);
	return count + plm_ec2_queue_ready(ec2->queue, &out[count], max - count);
}

static void tell(const void *self,
		 void (*one)(void *ctx, enum plm_cloud_number number, const char *label,
			     int64_t value),
		 void *ctx)
{
	const struct ec2 *ec2 = self;

	plm_aws_client_tell(ec2->client, one, ctx);
	one(ctx, PLM_CLOUD_INSTANCES, NULL, (int64_t)plm_ec2_instances_count(ec2->instances));
	one(ctx, PLM_CLOUD_LAG_MS, NULL, plm_ec2_instances_lag_ms(ec2->instances));
	plm_ec2_catalog_tell(ec2->catalog, one, ctx);
	plm_ec2_queue_tell(ec2->queue, one, ctx);
}

/* ---- life -------------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *timer)
{
	free(timer->data);
}

static void end(void *self)
{
	struct ec2 *ec2 = self;

	plm_ec2_queue_free(ec2->queue);
	plm_ec2_status_free(ec2->status);
	plm_ec2_effect_free(ec2->effect);
	plm_ec2_instances_free(ec2->instances);
	plm_ec2_catalog_free(ec2->catalog);
	plm_ec2_classes_free(ec2->classes);
	plm_aws_client_free(ec2->client);
	plm_aws_credentials_free(ec2->credentials);
	plm_ec2_context_fini(&ec2->context);
	uv_close((uv_handle_t *)&ec2->timer, on_closed);
}

static enum plm_code open_client(struct ec2 *ec2, struct plm_error *err)
{
	const struct plm_ec2_options *options = &ec2->context.options;
	const struct plm_aws_credentials_options keys = {
		.loop = options->loop,
		.http = options->http,
		.environment = options->environment,
		.region = options->region,
		.endpoint = options->endpoint,
		.seed = options->seed,
		.note = options->note,
		.self = options->self,
	};
	struct plm_aws_client_options client = {
		.loop = options->loop,
		.http = options->http,
		.clock = options->clock,
		.endpoint = options->endpoint,
		.environment = options->environment,
		.seed = options->seed,
		.note = options->note,
		.traced = options->traced,
		.self = options->self,
	};
	enum plm_code code = plm_aws_credentials_new(&keys, &ec2->credentials, err);

	if (code == PLM_OK) {
		client.credentials = ec2->credentials;
		code = plm_aws_client_new(&client, &ec2->client, err);
	}
	ec2->context.client = ec2->client;
	return code;
}

static enum plm_code open_parts(struct ec2 *ec2, struct plm_error *err)
{
	struct plm_ec2_context *context = &ec2->context;
	enum plm_code code = plm_ec2_classes_new(context, &ec2->classes, err);

	if (code == PLM_OK) {
		code = plm_ec2_catalog_new(context, &ec2->catalog, err);
	}
	if (code == PLM_OK) {
		code = plm_ec2_instances_new(context, &ec2->instances, err);
	}
	if (code == PLM_OK) {
		code = plm_ec2_effect_new(context, &ec2->effect, err);
	}
	if (code == PLM_OK) {
		code = plm_ec2_status_new(context, &ec2->status, err);
	}
	return code == PLM_OK ? plm_ec2_queue_new(context, &ec2->queue, err) : code;
}

enum plm_code plm_ec2_new(const struct plm_ec2_options *options, struct plm_cloud *out,
			  struct plm_error *err)
{
	struct ec2 *ec2 = calloc(1, sizeof(*ec2));
	enum plm_code code = PLM_OK;

	if (ec2 == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "ec2: out of memory");
	}
	ec2->context.options = *options;
	ec2->context.clock = options->clock;
	(void)uv_timer_init(options->loop, &ec2->timer);
	ec2->timer.data = ec2;
	uv_unref((uv_handle_t *)&ec2->timer);
	code = open_client(ec2, err);
	if (code == PLM_OK) {
		code = open_parts(ec2, err);
	}
	if (code != PLM_OK) {
		end(ec2);
		return code;
	}
	ask_for_keys(ec2);
	*out = (struct plm_cloud){
		.self = ec2,
		.name = "ec2",
		.place = place,
		.start = start,
		.effects = effects,
		.saw = saw,
		.resume = resume,
		.ready = ready,
		.tell = tell,
		.free = end,
	};
	return PLM_OK;
}
