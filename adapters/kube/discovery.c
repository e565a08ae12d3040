/*
 * What the server has: asked at a start, every PLM_LIMIT_DISCOVERY_MS, soon after a call was answered that
 * its resource is not there, and when the short list of groups, looked at every PLM_LIMIT_DISCOVERY_LOOK_MS,
 * is not as it was: so CRDs that are installed later begin to be watched.
 */
#include "adapters/kube/client_private.h"

#include "core/limits.h"
#include "core/units.h"
#include "hash/hash.h"

#include <stdio.h>
#include <stdlib.h>

#define AGGREGATED                                                                                 \
	"Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"            \
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"               \
	"application/json"

enum step {
	VERSION,
	GROUPS,
	CORE,
	NAMED,
	LISTS,
	CLUSTER,
	END
};

struct plm_kube_discovery {
	struct plm_kube_client *client;
	void (*on_done)(void *self, enum plm_code code, const char *why); /* NULL: nobody waits */
	void *self;
	struct plm_kube_sent *sent;
	enum step step;
	bool looks;    /* at the list of groups only */
	unsigned list; /* resource whose group and version are asked for, */
	unsigned version;
	struct plm_kube_found found;
	struct plm_kube_server server;
	uint64_t groups_hash;
};

static int64_t now_ms(const struct plm_kube_client *client)
{
	return (int64_t)uv_now(client->options.loop);
}

static void wake_in(struct plm_kube_client *client, int64_t wait_ms)
{
	if (!client->closing) {
		PLM_ASSERT(uv_timer_start(&client->look, plm_kube_discovery_on_timer,
					  (uint64_t)wait_ms, 0) == 0);
	}
}

/* ---- the end of a round ------------------------------------------------------------------------ */

static void finish(struct plm_kube_discovery *round, enum plm_code code, const char *why)
{
	struct plm_kube_client *client = round->client;
	struct plm_kube_discovery it = *round;

	client->round = NULL;
	free(round);
	if (client->discovered || code == PLM_OK) {
		wake_in(client, PLM_LIMIT_DISCOVERY_LOOK_MS);
	}
	if (it.on_done != NULL) {
		it.on_done(it.self, code, why);
	}
}

/* Take over what was found; true: something is not as before. */
static bool take_over(struct plm_kube_discovery *round)
{
	struct plm_kube_client *client = round->client;
	bool other = false;

	for (unsigned id = PLM_KUBE_RES_NONE + 1; id < PLM_KUBE_RES_COUNT; id++) {
		const char *version =
			plm_kube_found_version(&round->found, (enum plm_kube_resource_id)id);

		other = other || version != client->versions[id];
		client->versions[id] = version;
	}
	round->server.mutating_policies =
		client->versions[PLM_KUBE_RES_MUTATING_POLICIES] != NULL &&
		strcmp(client->versions[PLM_KUBE_RES_MUTATING_POLICIES], "v1") == 0;
	client->server = round->server;
	client->groups_hash = round->groups_hash;
	client->discovered_ms = now_ms(client);
	return other;
}

static void succeed(struct plm_kube_discovery *round)
{
	struct plm_kube_client *client = round->client;
	bool first = !client->discovered;
	bool other = take_over(round);

	client->discovered = true;
	finish(round, PLM_OK, "");
	if (other && !first && client->options.on_resources != NULL) {
		client->options.on_resources(client->options.self);
	}
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void on_answer(void *self, const struct plm_kube_answer *answer);

static void ask(struct plm_kube_discovery *round, const char *path, const char *accept)
{
	round->sent = plm_kube_send_path(round->client, path, accept, on_answer, round);
}

/* Did a resource before 'id' ask for the same group and version? */
static bool asked(unsigned id, const char *version)
{
	const char *group = plm_kube_resource((enum plm_kube_resource_id)id)->group;

	for (unsigned i = PLM_KUBE_RES_NONE + 1; i < id; i++) {
		const struct plm_kube_resource *r = plm_kube_resource((enum plm_kube_resource_id)i);

		for (unsigned v = 0; r->versions[v] != NULL; v++) {
			if (strcmp(r->group, group) == 0 && strcmp(r->versions[v], version) == 0) {
				return true;
			}
		}
	}
	return false;
}

/* To the next group and version; false: there is none. */
static bool next_list(struct plm_kube_discovery *round)
{
	while (round->list < PLM_KUBE_RES_COUNT) {
		const struct plm_kube_resource *r =
			plm_kube_resource((enum plm_kube_resource_id)round->list);

		if (r->versions[round->version] == NULL) {
			round->list++;
			round->version = 0;
		} else if (asked(round->list, r->versions[round->version])) {
			round->version++;
		} else {
			return true;
		}
	}
	return false;
}

static void ask_list(struct plm_kube_discovery *round)
{
	const struct plm_kube_resource *r =
		plm_kube_resource((enum plm_kube_resource_id)round->list);
	char path[160];

	(void)snprintf(path, sizeof(path), "/%s%s/%s", r->group[0] == '\0' ? "api" : "apis/",
		       r->group, r->versions[round->version]);
	ask(round, path, NULL);
}

static void take_step(struct plm_kube_discovery *round)
{
	if (round->step == LISTS && (round->found.aggregated || !next_list(round))) {
		round->step = CLUSTER;
	}
	switch (round->step) {
	case VERSION:
		ask(round, "/version", NULL);
		break;
	case GROUPS:
		ask(round, "/apis", NULL);
		break;
	case CORE:
		ask(round, "/api", AGGREGATED);
		break;
	case NAMED:
		ask(round, "/apis", AGGREGATED);
		break;
	case LISTS:
		ask_list(round);
		break;
	case CLUSTER:
		ask(round, "/api/v1/namespaces/kube-system", NULL);
		break;
	case END:
		succeed(round);
		break;
	}
}

/* ---- answers ----------------------------------------------------------------------------------- */

static enum plm_code code_of(const struct plm_kube_answer *answer)
{
	return answer->fate == PLM_KUBE_DENIED ? PLM_E_REFUSED : PLM_E_UNREACHABLE;
}

static bool read_list(struct plm_kube_discovery *round, const struct plm_kube_answer *answer)
{
	const struct plm_kube_resource *r =
		plm_kube_resource((enum plm_kube_resource_id)round->list);
	const char *version = r->versions[round->version];

	round->version++;
	return answer->fate == PLM_KUBE_NO_RESOURCE ||
	       plm_kube_found_list(answer->body, r->group, version, &round->found);
}

static bool read_step(struct plm_kube_discovery *round, const struct plm_kube_answer *answer)
{
	switch (round->step) {
	case VERSION:
		return plm_kube_version_read(answer->body, &round->server);
	case GROUPS:
		round->groups_hash = plm_xxh64(answer->body);
		return true;
	case CORE:
	case NAMED:
		return plm_kube_found_read(answer->body, &round->found);
	case LISTS:
		return read_list(round, answer);
	case CLUSTER:
		return plm_kube_uid_read(answer->body, round->server.cluster_uid,
					 sizeof(round->server.cluster_uid));
	case END:
		break;
	}
	PLM_UNREACHABLE();
}

static void begin(struct plm_kube_client *client, bool looks,
		  void (*done)(void *, enum plm_code, const char *), void *self)
{
	struct plm_kube_discovery *round = calloc(1, sizeof(*round));

	PLM_ASSERT(round != NULL && client->round == NULL);
	round->client = client;
	round->on_done = done;
	round->self = self;
	round->looks = looks;
	round->step = looks ? GROUPS : VERSION;
	round->list = PLM_KUBE_RES_NONE + 1;
	client->round = round;
	take_step(round);
}

/* The list of groups: as it was, or a whole round. */
static void looked(struct plm_kube_discovery *round, const struct plm_kube_answer *answer)
{
	struct plm_kube_client *client = round->client;
	bool same = answer->fate != PLM_KUBE_DONE || plm_xxh64(answer->body) == client->groups_hash;

	finish(round, PLM_OK, "");
	if (!same) {
		begin(client, false, NULL, NULL);
	}
}

static void on_answer(void *self, const struct plm_kube_answer *answer)
{
	struct plm_kube_discovery *round = self;
	bool absent = round->step == LISTS && answer->fate == PLM_KUBE_NO_RESOURCE;
	char why[640];

	round->sent = NULL;
	if (round->looks) {
		looked(round, answer);
		return;
	}
	if (answer->fate != PLM_KUBE_DONE && !absent) {
		(void)snprintf(why, sizeof(why), "discovery at %s: %.*s",
			       round->client->login->server, (int)answer->message.size,
			       (const char *)answer->message.ptr);
		finish(round, code_of(answer), why);
		return;
	}
	if (!read_step(round, answer)) {
		(void)snprintf(why, sizeof(why),
			       "discovery at %s: this is no Kubernetes API server",
			       round->client->login->server);
		finish(round, PLM_E_INPUT, why);
		return;
	}
	if (round->step != LISTS) {
		round->step = (enum step)(round->step + 1);
	}
	take_step(round);
}

/* ---- outside ----------------------------------------------------------------------------------- */

void plm_kube_discover(struct plm_kube_client *client,
		       void (*on_done)(void *self, enum plm_code code, const char *why), void *self)
{
	/* A round that nobody waits for makes room. */
	PLM_ASSERT(client->round == NULL || client->round->on_done == NULL);
	plm_kube_discovery_drop(client);
	begin(client, false, on_done, self);
}

void plm_kube_discovery_drop(struct plm_kube_client *client)
{
	if (client->round != NULL) {
		if (client->round->sent != NULL) {
			plm_kube_cancel(client->round->sent);
		}
		free(client->round);
		client->round = NULL;
	}
}

void plm_kube_discovery_missed(struct plm_kube_client *client)
{
	int64_t now = now_ms(client);
	int64_t since_ms = client->missed_ms == PLM_UNSET ? PLM_LIMIT_DISCOVERY_SOON_MS
							  : now - client->missed_ms;

	if (client->discovered && client->round == NULL) {
		client->groups_hash = 0; /* the next look finds them different */
		client->missed_ms = now;
		wake_in(client, plm_max(0, PLM_LIMIT_DISCOVERY_SOON_MS - since_ms));
	}
}

void plm_kube_discovery_on_timer(uv_timer_t *timer)
{
	struct plm_kube_client *client = timer->data;
	bool due = now_ms(client) - client->discovered_ms >= PLM_LIMIT_DISCOVERY_MS;

	if (client->round == NULL) {
		begin(client, !due, NULL, NULL);
	}
}
