#include "cloud.h"

#include <stdlib.h>
#include <unistd.h>

#include "adapters/ec2/ec2.h"
#include "clock.h"
#include "core/limits.h"
#include "jsonlog.h"

struct plm_cloud_side {
	struct plm_cloud cloud;	   /* owned */
	struct plm_effects beyond; /* of the cloud */
	struct plm_effects kube;
	struct plm_inbox inbox; /* of the API server's end */
	char cluster_name[128];
};

static void note(void *self, const char *text)
{
	const struct plm_log_field fields[] = {PLM_LOG_STR("note", text), PLM_LOG_END};

	(void)self;
	plm_jsonlog(PLM_LOG_WARN, "cloud", "from the cloud's end", fields);
}

static void traced(void *self, const char *text)
{
	const struct plm_log_field fields[] = {PLM_LOG_STR("request", text), PLM_LOG_END};

	(void)self;
	plm_jsonlog(PLM_LOG_DEBUG, "cloud", "asked AWS", fields);
}

/* ---- settings ---------------------------------------------------------------------------------- */

/* A flag wins over Karpenter's variable. */
static const char *text_of(const struct plm_config *config, enum plm_config_key key,
			   const char *variable)
{
	const char *value = plm_config_text(config, key);

	if (value == NULL) {
		value = getenv(variable);
	}
	return value == NULL || value[0] == '\0' ? NULL : value;
}

static bool is_on(const struct plm_config *config, enum plm_config_key key, const char *variable)
{
	const char *value = getenv(variable);
	bool said = strcmp(config->values[key].origin, "default") != 0;

	return said || value == NULL ? plm_config_number(config, key) != 0
				     : strcmp(value, "true") == 0;
}

/* NULL: the cloud's own sources say it. */
static const char *region_of(const struct plm_config *config)
{
	const struct plm_config_value *region = &config->values[PLM_CONFIG_KEY_REGION];

	return strcmp(region->origin, "default") == 0 ? NULL : region->texts[0];
}

static enum plm_code check(const struct plm_cloud_side_options *options, struct plm_error *err)
{
	const struct plm_config *config = options->config;
	const struct plm_config_value *name = &config->values[PLM_CONFIG_KEY_CLUSTER_NAME];

	if (strcmp(name->origin, "default") == 0 && getenv("CLUSTER_NAME") == NULL &&
	    plm_slice_is(options->settings->config.cluster_name, name->texts[0])) {
		return plm_config_fail(config, PLM_CONFIG_KEY_CLUSTER_NAME, err,
				       "must be set with a cloud: it is the tag by which instances "
				       "are known to be this cluster's");
	}
	if (options->settings->config.cluster_name.size > PLM_LIMIT_CLUSTER_NAME) {
		return plm_config_fail(config, PLM_CONFIG_KEY_CLUSTER_NAME, err,
				       "has more than %d bytes, which a tag cannot hold",
				       PLM_LIMIT_CLUSTER_NAME);
	}
	return PLM_OK;
}

static enum plm_code open_ec2(const struct plm_cloud_side_options *options,
			      struct plm_cloud_side *side, struct plm_error *err)
{
	const struct plm_config *config = options->config;
	const char *endpoint = text_of(config, PLM_CONFIG_KEY_CLUSTER_ENDPOINT, "CLUSTER_ENDPOINT");
	const struct plm_ec2_options ec2 = {
		.loop = options->loop,
		.http = options->http,
		.clock = plm_clock_system(),
		.environment = (const char *const *)environ,
		.region = region_of(config),
		.endpoint = plm_config_text(config, PLM_CONFIG_KEY_EC2_ENDPOINT),
		.cluster_name = side->cluster_name,
		.cluster_endpoint = endpoint,
		.cluster_ca = text_of(config, PLM_CONFIG_KEY_CLUSTER_CA, "CLUSTER_CA_BUNDLE"),
		.interruption_queue = text_of(config, PLM_CONFIG_KEY_QUEUE, "INTERRUPTION_QUEUE"),
		.isolated_vpc = is_on(config, PLM_CONFIG_KEY_ISOLATED_VPC, "ISOLATED_VPC"),
		.eks = endpoint == NULL || is_on(config, PLM_CONFIG_KEY_EKS, "EKS_CONTROL_PLANE"),
		.config = &options->settings->config,
		.builtin = &options->settings->catalog,
		.seed = (uint64_t)getpid() ^ uv_hrtime(), /* of jitter */
		.note = note,
		.traced = plm_jsonlog_on(PLM_LOG_DEBUG) ? traced : NULL,
	};
	enum plm_code code = plm_ec2_new(&ec2, &side->cloud, err);

	if (code == PLM_E_CONFIG) {
		struct plm_error why = *err;

		return plm_config_fail(config, PLM_CONFIG_KEY_CLOUD, err, "%s", why.text);
	}
	return code;
}

enum plm_code plm_cloud_side_new(const struct plm_cloud_side_options *options,
				 struct plm_cloud_side **out, struct plm_error *err)
{
	struct plm_slice name = options->settings->config.cluster_name;
	struct plm_cloud_side *side = NULL;
	enum plm_code code = PLM_OK;

	if (!plm_config_is(options->config, PLM_CONFIG_KEY_CLOUD, "ec2")) {
		*out = NULL;
		return PLM_OK;
	}
	code = check(options, err);
	if (code != PLM_OK) {
		return code;
	}
	side = calloc(1, sizeof(*side));
	if (side == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "cloud: out of memory");
	}
	(void)snprintf(side->cluster_name, sizeof(side->cluster_name), "%.*s", (int)name.size,
		       (const char *)name.ptr);
	code = open_ec2(options, side, err);
	if (code != PLM_OK) {
		free(side);
		return code;
	}
	*out = side;
	return PLM_OK;
}

void plm_cloud_side_free(struct plm_cloud_side *side)
{
	if (side != NULL) {
		side->cloud.free(side->cloud.self);
		free(side);
	}
}

const char *plm_cloud_side_place(const struct plm_cloud_side *side)
{
	return side == NULL ? "" : side->cloud.place(side->cloud.self);
}

/* ---- what the API server's end tells ----------------------------------------------------------- */

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct plm_cloud_side *side = self;
	enum plm_code code = side->inbox.put(side->inbox.self, observation);

	if (code == PLM_OK) {
		side->cloud.saw(side->cloud.self, observation);
	}
	return code;
}

static uint64_t accepted(void *self)
{
	const struct plm_cloud_side *side = self;

	return side->inbox.accepted(side->inbox.self);
}

static uint64_t settled(void *self)
{
	const struct plm_cloud_side *side = self;

	return side->inbox.settled(side->inbox.self);
}

struct plm_inbox plm_cloud_side_inbox(struct plm_cloud_side *side, struct plm_inbox inbox)
{
	if (side == NULL) {
		return inbox;
	}
	side->inbox = inbox;
	return (struct plm_inbox){
		.self = side, .put = put, .accepted = accepted, .settled = settled};
}

/* ---- effects ----------------------------------------------------------------------------------- */

static void submit(void *self, const struct plm_effect *effect)
{
	const struct plm_cloud_side *side = self;
	const struct plm_effects *to =
		plm_cloud_carries(effect->call) ? &side->beyond : &side->kube;

	to->submit(to->self, effect);
}

static void durable(void *self, uint64_t seq)
{
	const struct plm_cloud_side *side = self;

	if (side->kube.durable != NULL) {
		side->kube.durable(side->kube.self, seq);
	}
	if (side->beyond.durable != NULL) {
		side->beyond.durable(side->beyond.self, seq);
	}
}

void plm_cloud_side_start(struct plm_cloud_side *side, const struct plm_cloud_start *start,
			  struct plm_effects kube)
{
	if (side != NULL) {
		side->kube = kube;
		side->cloud.start(side->cloud.self, start);
		side->beyond = side->cloud.effects(side->cloud.self);
	}
}

struct plm_effects plm_cloud_side_effects(struct plm_cloud_side *side)
{
	return (struct plm_effects){.self = side, .submit = submit, .durable = durable};
}

void plm_cloud_side_resume(struct plm_cloud_side *side)
{
	if (side != NULL) {
		side->cloud.resume(side->cloud.self);
	}
}

/* ---- what is said of it ------------------------------------------------------------------------ */

size_t plm_cloud_side_ready(const struct plm_cloud_side *side, struct plm_ready_check *out,
			    size_t max)
{
	return side == NULL ? 0 : side->cloud.ready(side->cloud.self, out, max);
}

static void tell_one(void *ctx, enum plm_cloud_number number, const char *label, int64_t value)
{
	static const enum plm_telling tellings[] = {
		[PLM_CLOUD_CALLS] = PLM_TELL_CLOUD_CALLS,
		[PLM_CLOUD_CALL_MS] = PLM_TELL_CLOUD_CALL_MS,
		[PLM_CLOUD_THROTTLED] = PLM_TELL_CLOUD_THROTTLED,
		[PLM_CLOUD_INSTANCES] = PLM_TELL_CLOUD_INSTANCES,
		[PLM_CLOUD_LAG_MS] = PLM_TELL_CLOUD_LAG,
		[PLM_CLOUD_MESSAGES] = PLM_TELL_CLOUD_MESSAGES,
		[PLM_CLOUD_DELETED] = PLM_TELL_CLOUD_DELETED,
		[PLM_CLOUD_UNREADABLE] = PLM_TELL_CLOUD_UNREADABLE,
		[PLM_CLOUD_CREDENTIALS_S] = PLM_TELL_CLOUD_CREDENTIALS,
	};
	char first[64] = "";
	const char *space = label == NULL ? NULL : strchr(label, ' ');

	if (space != NULL) { /* "Service.Action outcome" */
		(void)snprintf(first, sizeof(first), "%.*s", (int)(space - label), label);
		plm_metrics_tell(ctx, tellings[number], first, space + 1, value);
	} else {
		plm_metrics_tell(ctx, tellings[number], label, NULL, value);
	}
}

void plm_cloud_side_tell(const struct plm_cloud_side *side, struct plm_metrics *metrics)
{
	if (side != NULL) {
		side->cloud.tell(side->cloud.self, tell_one, metrics);
	}
}
