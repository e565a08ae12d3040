#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "adapters/http/client.h"
#include "adapters/kube/kube.h"
#include "adapters/kube/review.h"
#include "clock.h"
#include "cloud.h"
#include "core/limits.h"
#include "core/tables.h"
#include "hold.h"
#include "jsonlog.h"
#include "metrics.h"
#include "settings.h"

struct cluster {
	const struct plm_config *config; /* borrowed, as 'loop' */
	struct plm_loop *loop;
	unsigned modes;		      /* enum plm_kube_mode */
	struct plm_settings settings; /* owned */
	struct plm_http_client *http; /* owned, as all that follows */
	struct plm_kube_client *client;
	struct plm_kube *kube;
	struct plm_cloud_side *cloud; /* NULL: --cloud none */
	struct plm_hold *hold;	      /* NULL: nothing is to be enforced */
	struct plm_gate *gate;	      /* borrowed */
	bool asked, met;	      /* the server was asked what it has; it answered */
	struct plm_error why;	      /* of the last answer that was none */
	char minor[16];		      /* "1.37", as images are named after */
};

static void note(void *self, const char *text)
{
	const struct plm_log_field fields[] = {PLM_LOG_STR("note", text), PLM_LOG_END};

	(void)self;
	plm_jsonlog(PLM_LOG_WARN, "kube", "from the API server's end", fields);
}

/* ---- the first answer -------------------------------------------------------------------------- */

static void discovered(void *self, enum plm_code code, const char *why)
{
	struct cluster *cluster = self;
	const struct plm_log_field fields[] = {PLM_LOG_STR("error", why), PLM_LOG_END};

	cluster->asked = false;
	cluster->met = code == PLM_OK;
	if (code != PLM_OK) {
		(void)plm_fail(&cluster->why, code, "%s", why);
		plm_jsonlog(PLM_LOG_WARN, "kube", "the API server does not answer", fields);
	}
}

static bool answered(void *self)
{
	return !((const struct cluster *)self)->asked;
}

static enum plm_code discover(struct cluster *cluster, struct plm_error *err)
{
	while (!cluster->met) {
		cluster->asked = true;
		plm_kube_discover(cluster->client, discovered, cluster);
		if (!plm_loop_wait(cluster->loop, answered, cluster, 0) ||
		    (!cluster->met &&
		     !plm_loop_wait(cluster->loop, NULL, NULL, PLM_LIMIT_MEET_AGAIN_MS))) {
			return plm_fail(err, PLM_E_AGAIN,
					"told to end before the API server answered");
		}
	}
	return PLM_OK;
}

/* Tokens are reviewed where others than this machine may ask: serve.h. */
static unsigned modes_of(const struct cluster *cluster)
{
	return PLM_KUBE_OBSERVE |
	       (plm_config_has(cluster->config, PLM_CONFIG_KEY_LISTEN) ? PLM_KUBE_SERVE : 0U) |
	       (cluster->gate->queues ? PLM_KUBE_QUEUES : 0U) |
	       (cluster->gate->nodes ? PLM_KUBE_NODES : 0U);
}

/* From here on it is known what is enforced. */
static void settle_areas(struct cluster *cluster)
{
	cluster->modes = modes_of(cluster);
	plm_kube_client_allow(cluster->client, cluster->modes);
	if (cluster->gate->queues != cluster->gate->nodes) {
		cluster->settings.config.only =
			cluster->gate->queues ? PLM_ONLY_QUEUES : PLM_ONLY_NODES;
	} else {
		cluster->settings.config.only =
			cluster->gate->queues ? PLM_ONLY_ALL : PLM_ONLY_NOTHING;
	}
	cluster->settings.config.class_status = cluster->cloud != NULL ? 1 : 0;
	cluster->settings.config.publish = (cluster->gate->queues ? PLM_PUBLISH_QUEUES : 0) |
					   (cluster->gate->nodes ? PLM_PUBLISH_NODES : 0);
}

static enum plm_code take_hold(struct cluster *cluster, const struct plm_end_meet *meet,
			       struct plm_error *err)
{
	const struct plm_hold_options options = {
		.loop = cluster->loop,
		.client = cluster->client,
		.clock = plm_clock_system(),
		.folder = meet->folder,
		.log = meet->log,
		.gate = cluster->gate,
		.accept_older =
			plm_config_number(cluster->config, PLM_CONFIG_KEY_ACCEPT_OLDER) != 0,
	};
	enum plm_code code = PLM_OK;

	plm_kube_client_allow(cluster->client, modes_of(cluster));
	if (cluster->gate->queues || cluster->gate->nodes) {
		code = plm_hold_new(&options, &cluster->hold, err);
		if (code == PLM_OK) {
			code = plm_hold_take(cluster->hold, err);
		}
	}
	settle_areas(cluster);
	return code;
}

static bool is_placed(void *self)
{
	return plm_cloud_side_place(((const struct cluster *)self)->cloud)[0] != '\0';
}

/* Where the cloud is decides which catalogue there is to begin with. */
static enum plm_code find_place(struct cluster *cluster, struct plm_error *err)
{
	if (cluster->cloud == NULL) {
		return PLM_OK;
	}
	if (!is_placed(cluster) &&
	    !plm_loop_wait(cluster->loop, is_placed, cluster, PLM_LIMIT_PLACE_MS)) {
		return plm_fail(err, PLM_E_AGAIN, "told to end before the region was known");
	}
	if (!is_placed(cluster)) {
		return plm_config_fail(cluster->config, PLM_CONFIG_KEY_REGION, err,
				       "must be set: neither AWS_REGION nor a profile nor the "
				       "metadata of this machine say it");
	}
	return plm_settings_move(&cluster->settings, cluster->config,
				 plm_cloud_side_place(cluster->cloud), err);
}

static enum plm_code cluster_meet(void *self, const struct plm_end_meet *meet,
				  char uid[PLM_CLUSTER_UID_SIZE], struct plm_error *err)
{
	struct cluster *cluster = self;
	const struct plm_kube_server *server = NULL;
	enum plm_code code = discover(cluster, err);

	if (code == PLM_OK) {
		code = find_place(cluster, err);
	}
	if (code == PLM_OK) {
		code = take_hold(cluster, meet, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	server = plm_kube_server(cluster->client);
	PLM_ASSERT(strlen(server->cluster_uid) < PLM_CLUSTER_UID_SIZE);
	memcpy(uid, server->cluster_uid, strlen(server->cluster_uid) + 1);
	(void)snprintf(cluster->minor, sizeof(cluster->minor), "1.%u", server->emulated_minor);
	return PLM_OK;
}

/* ---- life -------------------------------------------------------------------------------------- */

static enum plm_code cluster_start(void *self, const struct plm_end_start *start,
				   struct plm_error *err)
{
	struct cluster *cluster = self;
	const struct plm_kube_options options = {
		.loop = plm_loop_uv(cluster->loop),
		.client = cluster->client,
		.inbox = plm_cloud_side_inbox(cluster->cloud, start->inbox),
		.clock = plm_clock_system(),
		.relist_ms = PLM_LIMIT_RELIST_MS,
		.note = note,
		.self = cluster,
	};
	const struct plm_cloud_start beyond = {
		.inbox = start->inbox,
		.clock = plm_clock_system(),
		.cluster_uid = start->cluster_uid,
		.act = cluster->gate->nodes,
		.kubernetes = cluster->minor,
	};
	enum plm_code code = plm_kube_new(&options, &cluster->kube, err);

	if (code == PLM_OK) {
		plm_cloud_side_start(cluster->cloud, &beyond, plm_kube_effects(cluster->kube));
		plm_kube_start(cluster->kube);
	}
	return code;
}

static struct plm_effects cluster_effects(void *self)
{
	struct cluster *cluster = self;

	return cluster->cloud == NULL ? plm_kube_effects(cluster->kube)
				      : plm_cloud_side_effects(cluster->cloud);
}

static void cluster_advance(void *self, int64_t now_ms)
{
	struct cluster *cluster = self;

	(void)now_ms;
	plm_kube_resume(cluster->kube);
	plm_cloud_side_resume(cluster->cloud);
}

static int64_t cluster_next_due(const void *self)
{
	(void)self;
	return PLM_UNSET; /* it has timers of its own on the loop */
}

static const char *cluster_violation(const void *self)
{
	(void)self;
	return NULL; /* nobody knows the truth but the API server */
}

static void reviewed(void *self, enum plm_kube_verdict verdict)
{
	static const enum plm_verdict verdicts[] = {
		[PLM_KUBE_NOT_REVIEWED] = PLM_VERDICT_UNKNOWN,
		[PLM_KUBE_STRANGER] = PLM_VERDICT_STRANGER,
		[PLM_KUBE_MAY_NOT] = PLM_VERDICT_FORBIDDEN,
		[PLM_KUBE_MAY] = PLM_VERDICT_ALLOWED,
	};

	plm_review_end(self, verdicts[verdict]);
}

static void cluster_review(void *self, struct plm_slice token, struct plm_review *review)
{
	struct cluster *cluster = self;
	const struct plm_kube_review_request request = {
		.token = token,
		.group = PLM_ACCESS_GROUP,
		.resource = PLM_ACCESS_RESOURCE,
		.verb = PLM_ACCESS_VERB,
		.done = reviewed,
		.self = review,
	};

	plm_kube_review(cluster->client, &request);
}

/* Events of an area that another program runs are its own to tell. */
static void cluster_announce(void *self, const struct plm_kube_event *event)
{
	struct cluster *cluster = self;
	bool nodes = event->kind == PLM_KIND_NODE || event->kind == PLM_KIND_NODE_CLAIM ||
		     event->kind == PLM_KIND_NODE_POOL;

	if ((cluster->modes & (nodes ? PLM_KUBE_NODES : PLM_KUBE_QUEUES)) != 0) {
		plm_kube_announce(cluster->kube, event);
	}
}

static size_t cluster_resumed(const void *self)
{
	(void)self;
	return 0; /* a real cluster outlives us and is read again */
}

static void cluster_free(void *self)
{
	struct cluster *cluster = self;

	plm_cloud_side_free(cluster->cloud);
	plm_kube_free(cluster->kube);
	plm_hold_free(cluster->hold);
	plm_kube_client_free(cluster->client);
	plm_http_client_free(cluster->http);
	plm_settings_fini(&cluster->settings);
	free(cluster);
}

/* A short text: why a check fails, or what of it. */
static void say(struct plm_ready_check *check, const char *name, bool ok, const char *why)
{
	check->name = name;
	check->ok = ok;
	(void)snprintf(check->why, sizeof(check->why), "%s", why);
}

static size_t cluster_ready(const void *self, struct plm_ready_check *out, size_t max)
{
	const struct cluster *cluster = self;
	struct plm_kube_status status = {.away = true};

	PLM_ASSERT(max >= 3);
	if (cluster->kube != NULL) {
		status = plm_kube_status(cluster->kube);
	}
	say(&out[0], "api-server", !status.away,
	    status.away ? "the API server cannot be reached" : "");
	say(&out[1], "caught-up", status.synced,
	    status.synced ? "" : "not every resource was listed whole yet");
	if (cluster->hold == NULL) {
		say(&out[2], "lease", true, "nothing is enforced");
	} else {
		say(&out[2], "lease", plm_hold_may_act(cluster->hold), plm_hold_why(cluster->hold));
	}
	return 3 + plm_cloud_side_ready(cluster->cloud, &out[3], max - 3);
}

static void cluster_tell(const void *self, struct plm_metrics *metrics)
{
	const struct cluster *cluster = self;
	struct plm_kube_watch_status watch;

	for (enum plm_kube_resource_id id = 1; id < PLM_KUBE_RES_COUNT && cluster->kube != NULL;
	     id++) {
		const char *name = plm_kube_resource(id)->name;

		if (!plm_kube_watch_status(cluster->kube, id, &watch)) {
			continue;
		}
		plm_metrics_tell(metrics, PLM_TELL_WATCH_LAG, name, NULL, watch.lag_ms);
		plm_metrics_tell(metrics, PLM_TELL_WATCH_RESTARTS, name, "gone",
				 (int64_t)watch.restarts_gone);
		plm_metrics_tell(metrics, PLM_TELL_WATCH_RESTARTS, name, "closed",
				 (int64_t)watch.restarts_closed);
		plm_metrics_tell(metrics, PLM_TELL_WATCH_RESTARTS, name, "error",
				 (int64_t)watch.restarts_error);
	}
	plm_cloud_side_tell(cluster->cloud, metrics);
	if (cluster->hold != NULL) {
		plm_metrics_tell(metrics, PLM_TELL_LEADER, PLM_KUBE_LEASE, NULL,
				 plm_hold_may_act(cluster->hold) ? 1 : 0);
	}
}

static void cluster_durable(void *self, const struct plm_log_head *head)
{
	struct cluster *cluster = self;

	if (cluster->hold != NULL) {
		plm_hold_durable(cluster->hold, head);
	}
}

static bool cluster_may_act(const void *self)
{
	const struct cluster *cluster = self;

	return cluster->hold == NULL || plm_hold_may_act(cluster->hold);
}

static const char *cluster_over(const void *self)
{
	const struct cluster *cluster = self;

	return cluster->hold == NULL ? NULL : plm_hold_over(cluster->hold);
}

static void cluster_leave(void *self)
{
	struct cluster *cluster = self;

	if (cluster->hold != NULL) {
		plm_hold_release(cluster->hold);
	}
}

static enum plm_code connect_to(struct cluster *cluster, struct plm_error *err)
{
	const struct plm_http_client_options http = {
		.loop = plm_loop_uv(cluster->loop),
		.calls_max = PLM_LIMIT_HTTP_CALLS,
		.user_agent = "plimsoll/" PLM_VERSION,
	};
	struct plm_kube_client_options options = {
		.loop = plm_loop_uv(cluster->loop),
		.kubeconfig = plm_config_text(cluster->config, PLM_CONFIG_KEY_KUBECONFIG),
		.context = plm_config_text(cluster->config, PLM_CONFIG_KEY_CONTEXT),
		.field_manager = "plimsoll",
		.note = note,
		.self = cluster,
		/* In a pod it says where the API server is; credential plugins look for things there. */
		.environment = (const char *const *)environ,
		.rate_milli = cluster->settings.rate_milli,
		.burst = cluster->settings.burst,
	};
	enum plm_code code = plm_http_client_new(&http, &cluster->http, err);

	if (code == PLM_OK) {
		options.http = cluster->http;
		code = plm_kube_client_new(&options, &cluster->client, err);
	}
	if (code == PLM_E_CONFIG) {
		struct plm_error why = *err;

		return plm_config_fail(cluster->config, PLM_CONFIG_KEY_KUBECONFIG, err, "%s",
				       why.text);
	}
	return code;
}

static enum plm_code open_cloud(struct cluster *cluster, struct plm_error *err)
{
	const struct plm_cloud_side_options options = {
		.config = cluster->config,
		.settings = &cluster->settings,
		.loop = plm_loop_uv(cluster->loop),
		.http = cluster->http,
	};

	return plm_cloud_side_new(&options, &cluster->cloud, err);
}

enum plm_code plm_cluster_end(const struct plm_config *config, struct plm_loop *loop,
			      struct plm_gate *gate, struct plm_end *out, struct plm_error *err)
{
	struct cluster *cluster = calloc(1, sizeof(*cluster));
	enum plm_code code = PLM_OK;

	if (cluster == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "cluster: out of memory");
	}
	cluster->config = config;
	cluster->loop = loop;
	cluster->gate = gate;
	code = plm_settings_read(config, &cluster->settings, err);
	if (code == PLM_OK) {
		code = connect_to(cluster, err);
	}
	if (code == PLM_OK) {
		code = open_cloud(cluster, err);
	}
	if (code != PLM_OK) {
		cluster_free(cluster);
		return code;
	}
	cluster->settings.config.publish =
		(gate->queues ? PLM_PUBLISH_QUEUES : 0) | (gate->nodes ? PLM_PUBLISH_NODES : 0);
	*out = (struct plm_end){
		.self = cluster,
		.config = &cluster->settings.config,
		.catalog = &cluster->settings.catalog,
		.meet = cluster_meet,
		.start = cluster_start,
		.effects = cluster_effects,
		.advance = cluster_advance,
		.next_due = cluster_next_due,
		.violation = cluster_violation,
		.access = {.review = cluster_review, .self = cluster},
		.resumed = cluster_resumed,
		.announce = gate->queues || gate->nodes ? cluster_announce : NULL,
		.ready = cluster_ready,
		.tell = cluster_tell,
		.durable = cluster_durable,
		.may_act = cluster_may_act,
		.over = cluster_over,
		.leave = cluster_leave,
		.free = cluster_free,
	};
	return PLM_OK;
}
