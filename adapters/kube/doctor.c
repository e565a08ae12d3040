#include "adapters/kube/doctor.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/limits.h"
#include "core/timefmt.h"

#define OLDEST_MINOR 31
#define NEWEST_MINOR 37

/* Kinds whose CRDs are looked for; 'dialect' = only ours has them. */
static const struct {
	const char *name;
	bool dialect, queues;
} kinds[] = {
	{"clusterqueues.kueue.x-k8s.io", false, true},
	{"localqueues.kueue.x-k8s.io", false, true},
	{"cohorts.kueue.x-k8s.io", false, true},
	{"resourceflavors.kueue.x-k8s.io", false, true},
	{"workloads.kueue.x-k8s.io", false, true},
	{"workloadpriorityclasses.kueue.x-k8s.io", false, true},
	{"admissionchecks.kueue.x-k8s.io", false, true},
	{"topologies.kueue.x-k8s.io", false, true},
	{"nodepools.karpenter.sh", false, false},
	{"nodeclaims.karpenter.sh", false, false},
	{"ec2nodeclasses.karpenter.k8s.aws", false, false},
	{"workqueues.kueue.x-k8s.io", true, true},
	{"podsets.kueue.x-k8s.io", true, true},
	{"nodetemplates.karpenter.sh", true, false},
};

static const struct {
	const char *name, *lease, *service;
} peers[] = {
	{"Kueue", "c1f6bfd2.kueue.x-k8s.io", "kueue-webhook-service"},
	{"Karpenter", "karpenter-leader-election", "karpenter"},
};

enum peer_state {
	PEER_ABSENT,
	PEER_STALE,
	PEER_FRESH,
};

struct looking {
	plm_doctor_sink *sink;
	void *self;
	int64_t now_ms;
	enum {
		CRD_ABSENT,
		CRD_OURS,
		CRD_UPSTREAM
	} crds[PLM_COUNTOF(kinds)];
	enum peer_state peer[PLM_COUNTOF(peers)];
	char holder[PLM_COUNTOF(peers)][2 * PLM_SPLIT_TEXT];
	uint32_t policies;
};

static void tell(const struct looking *l, enum plm_doctor_level level, const char *subject,
		 const char *object, const char *format, ...) PLM_PRINTF(5, 6);

static void tell(const struct looking *l, enum plm_doctor_level level, const char *subject,
		 const char *object, const char *format, ...)
{
	struct plm_doctor_line line = {.level = level, .subject = subject};
	va_list args;

	(void)snprintf(line.object, sizeof(line.object), "%s", object);
	va_start(args, format);
	(void)vsnprintf(line.text, sizeof(line.text), format, args);
	va_end(args);
	l->sink(l->self, &line);
}

/* ---- reading ----------------------------------------------------------------------------------- */

static const cJSON *at(const cJSON *node, const char *const *path)
{
	for (size_t i = 0; path[i] != NULL && node != NULL; i++) {
		node = cJSON_GetObjectItemCaseSensitive(node, path[i]);
	}
	return node;
}

static const char *text_at(const cJSON *node, const char *const *path)
{
	const cJSON *found = at(node, path);

	return cJSON_IsString(found) != 0 ? found->valuestring : "";
}

static enum plm_code on_crd(void *self, const struct plm_split_item *item, struct plm_error *err)
{
	static const char *const part[] = {"metadata", "labels", "app.kubernetes.io/part-of", NULL};
	struct looking *l = self;
	cJSON *crd = NULL;

	(void)err;
	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		if (strcmp(kinds[i].name, item->name) != 0) {
			continue;
		}
		crd = cJSON_ParseWithLength((const char *)item->text.ptr, item->text.size);
		l->crds[i] = strcmp(text_at(crd, part), "plimsoll") == 0 ? CRD_OURS : CRD_UPSTREAM;
		cJSON_Delete(crd);
	}
	return PLM_OK;
}

static bool is_fresh(const struct looking *l, const cJSON *lease)
{
	static const char *const renewed[] = {"spec", "renewTime", NULL};
	static const char *const lasts[] = {"spec", "leaseDurationSeconds", NULL};
	const cJSON *seconds = at(lease, lasts);
	int64_t at_ms = 0;

	if (plm_time_parse(plm_slice_str(text_at(lease, renewed)), &at_ms, NULL) != PLM_OK) {
		return false;
	}
	return l->now_ms - at_ms <
	       PLM_MS_PER_SECOND * (cJSON_IsNumber(seconds) != 0 ? seconds->valueint : 15);
}

static enum plm_code on_lease(void *self, const struct plm_split_item *item, struct plm_error *err)
{
	static const char *const holder[] = {"spec", "holderIdentity", NULL};
	struct looking *l = self;
	cJSON *lease = NULL;

	(void)err;
	for (size_t i = 0; i < PLM_COUNTOF(peers); i++) {
		if (strcmp(peers[i].lease, item->name) != 0) {
			continue;
		}
		lease = cJSON_ParseWithLength((const char *)item->text.ptr, item->text.size);
		l->peer[i] = is_fresh(l, lease) ? PEER_FRESH : PEER_STALE;
		(void)snprintf(l->holder[i], sizeof(l->holder[i]), "%s/%s", item->ns,
			       text_at(lease, holder));
		cJSON_Delete(lease);
	}
	return PLM_OK;
}

/* A webhook that calls the service of a peer that is not there blocks what it guards. */
static enum plm_code on_webhook(void *self, const struct plm_split_item *item,
				struct plm_error *err)
{
	static const char *const service[] = {"clientConfig", "service", "name", NULL};
	static const char *const policy[] = {"failurePolicy", NULL};
	const struct looking *l = self;
	cJSON *config = cJSON_ParseWithLength((const char *)item->text.ptr, item->text.size);
	const cJSON *webhooks = cJSON_GetObjectItemCaseSensitive(config, "webhooks");
	const cJSON *webhook = NULL;
	uint32_t dead[PLM_COUNTOF(peers)] = {0};

	(void)err;
	cJSON_ArrayForEach(webhook, webhooks)
	{
		for (size_t i = 0; i < PLM_COUNTOF(peers); i++) {
			dead[i] += l->peer[i] != PEER_FRESH &&
				   strcmp(text_at(webhook, service), peers[i].service) == 0 &&
				   strcmp(text_at(webhook, policy), "Ignore") != 0;
		}
	}
	for (size_t i = 0; i < PLM_COUNTOF(peers); i++) {
		if (dead[i] > 0) {
			tell(l, PLM_DOCTOR_FINDING, "webhooks", item->name,
			     "%u webhooks call %s, which is not alive: what they guard cannot be "
			     "written; delete the configuration",
			     dead[i], peers[i].name);
		}
	}
	cJSON_Delete(config);
	return PLM_OK;
}

static enum plm_code on_policy(void *self, const struct plm_split_item *item, struct plm_error *err)
{
	struct looking *l = self;

	(void)err;
	l->policies += strncmp(item->name, "plimsoll-", 9) == 0;
	return PLM_OK;
}

/* ---- saying ------------------------------------------------------------------------------------ */

static void say_server(const struct looking *l, const struct plm_kube_server *server)
{
	bool known =
		server->emulated_minor >= OLDEST_MINOR && server->emulated_minor <= NEWEST_MINOR;

	tell(l, known ? PLM_DOCTOR_OK : PLM_DOCTOR_NOTE, "server", server->version,
	     known ? "supported" : "not among those that are tested (1.%d to 1.%d)", OLDEST_MINOR,
	     NEWEST_MINOR);
	if (!server->mutating_policies) {
		tell(l, PLM_DOCTOR_NOTE, "server", server->version,
		     "has no MutatingAdmissionPolicy: kinds with a suspend field are suspended on "
		     "sight; plain pods, Deployments, StatefulSets and LeaderWorkerSets cannot be "
		     "held");
	}
}

static void say_crds(const struct looking *l)
{
	bool upstream[2] = {false, false};

	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		if (l->crds[i] == CRD_ABSENT) {
			tell(l, PLM_DOCTOR_FINDING, "crds", kinds[i].name,
			     "is not there: nothing of this kind can be made; apply deploy/crds");
		} else {
			tell(l, PLM_DOCTOR_OK, "crds", kinds[i].name,
			     l->crds[i] == CRD_OURS ? "ours" : "upstream's: it is used as it is");
		}
		upstream[kinds[i].queues ? 1 : 0] |= l->crds[i] == CRD_UPSTREAM;
	}
	if (upstream[0] || upstream[1]) {
		tell(l, PLM_DOCTOR_NOTE, "crds", "",
		     "%s are upstream's: ClusterQueues, LocalQueues and NodePools of the simple "
		     "dialect are refused there; WorkQueue, PodSet and NodeTemplate are always "
		     "ours",
		     upstream[1] && upstream[0] ? "Kueue's and Karpenter's CRDs"
		     : upstream[1]		? "Kueue's CRDs"
						: "Karpenter's CRDs");
	}
}

static void say_peers(const struct looking *l)
{
	for (size_t i = 0; i < PLM_COUNTOF(peers); i++) {
		const char *area = i == 0 ? "queues" : "nodes";

		if (l->peer[i] == PEER_FRESH) {
			tell(l, PLM_DOCTOR_NOTE, "peers", peers[i].name,
			     "lives (%s): area %s can be observed, not enforced, until it is gone",
			     l->holder[i], area);
		} else {
			tell(l, PLM_DOCTOR_OK, "peers", peers[i].name,
			     l->peer[i] == PEER_STALE ? "has gone: its Lease has run out"
						      : "is not here");
		}
	}
}

/* What a server may lack is not a failure. */
static enum plm_code list(struct plm_kube_ask *ask, enum plm_kube_resource_id resource,
			  plm_split_sink item, struct looking *l, struct plm_error *err)
{
	enum plm_code code = plm_kube_ask_list(ask, resource, item, l, err);

	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

enum plm_code plm_kube_doctor(struct plm_kube_ask *ask, int64_t now_ms, plm_doctor_sink *sink,
			      void *self, struct plm_error *err)
{
	struct looking l = {.sink = sink, .self = self, .now_ms = now_ms};
	enum plm_code code = list(ask, PLM_KUBE_RES_CRDS, on_crd, &l, err);

	if (code == PLM_OK) {
		code = list(ask, PLM_KUBE_RES_LEASES, on_lease, &l, err);
	}
	if (code == PLM_OK) {
		say_server(&l, plm_kube_ask_server(ask));
		say_crds(&l);
		say_peers(&l);
		code = list(ask, PLM_KUBE_RES_MUTATING_WEBHOOKS, on_webhook, &l, err);
	}
	if (code == PLM_OK) {
		code = list(ask, PLM_KUBE_RES_VALIDATING_WEBHOOKS, on_webhook, &l, err);
	}
	if (code == PLM_OK) {
		code = list(ask, PLM_KUBE_RES_MUTATING_POLICIES, on_policy, &l, err);
	}
	if (code == PLM_OK) {
		code = list(ask, PLM_KUBE_RES_VALIDATING_POLICIES, on_policy, &l, err);
	}
	if (code == PLM_OK) {
		tell(&l, l.policies > 0 ? PLM_DOCTOR_OK : PLM_DOCTOR_FINDING, "policies", "",
		     l.policies > 0
			     ? "%u admission policies of ours"
			     : "no admission policy of ours (%u): queued Jobs are suspended on "
			       "sight only; apply deploy/policies",
		     l.policies);
	}
	return code;
}
