#include "hold.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "adapters/kube/lease.h"
#include "core/limits.h"
#include "jsonlog.h"

#define IDENTITY_SIZE 33
/* How often it is said that a peer is not known yet. */
#define PEERS_SAID_MS 20000
#define ROOT_BYTES ((PLM_LEASE_ROOT_SIZE - 1) / 2)

enum area {
	AREA_QUEUES,
	AREA_NODES,
	AREA_COUNT,
};

static const struct {
	const char *area, *peer, *ns, *name;
} peers[AREA_COUNT] = {
	[AREA_QUEUES] = {"queues", "Kueue", "kueue-system", "c1f6bfd2.kueue.x-k8s.io"},
	[AREA_NODES] = {"nodes", "Karpenter", "kube-system", "karpenter-leader-election"},
};

struct plm_hold {
	struct plm_hold_options options;
	char identity[IDENTITY_SIZE];	     /* of the volume */
	char process[IDENTITY_SIZE + 1 + 8]; /* and of this process */
	struct plm_lease *lease;	     /* owned; NULL before plm_hold_take() */
	struct plm_peer *peer[AREA_COUNT];   /* owned; NULL: the area is not wanted */
	struct plm_log_head head;
	bool taken, released;
	char over[256];	   /* why it is over; "" = it is not */
	char yielded[128]; /* areas that were left to living peers; "" = none */
};

static void tell(enum plm_log_level level, const char *message, const char *key, const char *text)
{
	const struct plm_log_field fields[] = {PLM_LOG_STR(key, text), PLM_LOG_END};

	plm_jsonlog(level, "lease", message, fields);
}

/* ---- identity ---------------------------------------------------------------------------------- */

static enum plm_code make_identity(const char *path, char identity[IDENTITY_SIZE],
				   struct plm_error *err)
{
	uint8_t random[(IDENTITY_SIZE - 1) / 2];
	bool drawn = getrandom(random, sizeof(random), 0) == (ssize_t)sizeof(random);
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool written = false;

	if (file < 0) {
		return plm_fail(err, PLM_E_IO, "%s: cannot be made", path);
	}
	for (size_t i = 0; i < sizeof(random) && drawn; i++) {
		(void)snprintf(identity + 2 * i, 3, "%02x", random[i]);
	}
	written = drawn && write(file, identity, IDENTITY_SIZE - 1) == IDENTITY_SIZE - 1 &&
		  fsync(file) == 0;
	(void)close(file);
	return written ? PLM_OK : plm_fail(err, PLM_E_IO, "%s: cannot be written", path);
}

static enum plm_code read_identity(const char *folder, char identity[IDENTITY_SIZE],
				   struct plm_error *err)
{
	char path[4096];
	int file = -1;
	ssize_t got = 0;

	(void)snprintf(path, sizeof(path), "%s/identity", folder);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0 && errno == ENOENT) {
		return make_identity(path, identity, err);
	}
	if (file >= 0) {
		got = read(file, identity, IDENTITY_SIZE - 1);
		(void)close(file);
	}
	if (got != IDENTITY_SIZE - 1) { /* one that was cut by a crash named nobody yet */
		(void)unlink(path);
		return make_identity(path, identity, err);
	}
	identity[IDENTITY_SIZE - 1] = '\0';
	return PLM_OK;
}

/* ---- our log, as the Lease says it ------------------------------------------------------------- */

static void root_of(const struct plm_log_head *head, char out[PLM_LEASE_ROOT_SIZE])
{
	for (size_t i = 0; i < ROOT_BYTES; i++) {
		(void)snprintf(out + 2 * i, 3, "%02x", head->chain.bytes[i]);
	}
}

static void head_of(void *self, struct plm_lease_head *out)
{
	const struct plm_hold *hold = self;

	*out = (struct plm_lease_head){.seq = hold->head.seq, .epoch = hold->head.epoch};
	root_of(&hold->head, out->root);
}

/* The record that the witness names ends a frame, with that chain: then the log is that one, or longer. */
static bool holds(void *self, const struct plm_lease_head *witness)
{
	const struct plm_hold *hold = self;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record = {0};
	char root[PLM_LEASE_ROOT_SIZE] = "";
	bool same = false;

	if (hold->taken || witness->seq == 0) {
		return true; /* the engine has the log by now; it was looked at before */
	}
	if (plm_log_cursor_open(hold->options.log, witness->seq, &cursor, NULL) == PLM_OK &&
	    plm_log_cursor_next(cursor, &record, NULL) == PLM_OK && record.last_of_frame) {
		root_of(&record.head, root);
		same = strcmp(root, witness->root) == 0;
	}
	plm_log_cursor_close(cursor);
	return same;
}

/* ---- changes ----------------------------------------------------------------------------------- */

static void lease_changed(void *self, enum plm_lease_state state, const char *why)
{
	struct plm_hold *hold = self;
	const struct plm_log_field fields[] = {PLM_LOG_STR("state", plm_lease_state_name(state)),
					       PLM_LOG_STR("why", why), PLM_LOG_END};

	plm_jsonlog(state == PLM_LEASE_HELD || state == PLM_LEASE_RELEASED ? PLM_LOG_INFO
									   : PLM_LOG_WARN,
		    "lease", "Lease", fields);
	if (state == PLM_LEASE_LOST) {
		(void)snprintf(hold->over, sizeof(hold->over), "the Lease is lost: %s", why);
	}
}

static bool lives(const struct plm_hold *hold, enum area area)
{
	return hold->peer[area] != NULL && plm_peer_state(hold->peer[area]) == PLM_PEER_FRESH;
}

static bool *enforced(const struct plm_hold *hold, enum area area)
{
	return area == AREA_QUEUES ? &hold->options.gate->queues : &hold->options.gate->nodes;
}

static void peer_changed(void *self, enum plm_peer_state state, const char *holder)
{
	struct plm_hold *hold = self;

	(void)state;
	for (uint32_t area = 0; area < AREA_COUNT && hold->taken; area++) {
		if (hold->peer[area] != NULL && hold->over[0] == '\0' &&
		    lives(hold, area) == *enforced(hold, area)) {
			(void)snprintf(hold->over, sizeof(hold->over), "%s %s: area %s (%s)",
				       peers[area].peer,
				       lives(hold, area) ? "has come" : "has gone",
				       peers[area].area, holder);
		}
	}
}

/* ---- start ------------------------------------------------------------------------------------- */

enum plm_code plm_hold_new(const struct plm_hold_options *options, struct plm_hold **out,
			   struct plm_error *err)
{
	struct plm_hold *hold = calloc(1, sizeof(*hold));
	enum plm_code code = PLM_OK;
	uint32_t nonce = 0;

	PLM_ASSERT(hold != NULL);
	hold->options = *options;
	hold->head = plm_log_head(options->log);
	code = read_identity(options->folder, hold->identity, err);
	if (code == PLM_OK && getrandom(&nonce, sizeof(nonce), 0) != (ssize_t)sizeof(nonce)) {
		code = plm_fail(err, PLM_E_IO, "there is no randomness");
	}
	(void)snprintf(hold->process, sizeof(hold->process), "%s_%08" PRIx32, hold->identity,
		       nonce);
	if (code != PLM_OK) {
		free(hold);
		return code;
	}
	*out = hold;
	return PLM_OK;
}

void plm_hold_free(struct plm_hold *hold)
{
	if (hold == NULL) {
		return;
	}
	for (uint32_t area = 0; area < AREA_COUNT; area++) {
		plm_peer_free(hold->peer[area]);
	}
	plm_lease_free(hold->lease);
	free(hold);
}

static bool peers_known(void *self)
{
	const struct plm_hold *hold = self;

	for (uint32_t area = 0; area < AREA_COUNT; area++) {
		if (hold->peer[area] != NULL &&
		    plm_peer_state(hold->peer[area]) == PLM_PEER_UNKNOWN) {
			return false;
		}
	}
	return true;
}

/* One that lives is known after a few seconds, one that is stale when its time is up. */
static void say_unknown(const struct plm_hold *hold)
{
	for (uint32_t area = 0; area < AREA_COUNT; area++) {
		if (hold->peer[area] != NULL &&
		    plm_peer_state(hold->peer[area]) == PLM_PEER_UNKNOWN) {
			tell(PLM_LOG_WARN, "a peer's Lease is not known yet", peers[area].name,
			     plm_peer_why(hold->peer[area]));
		}
	}
}

static bool lease_known(void *self)
{
	enum plm_lease_state state = plm_lease_status(((struct plm_hold *)self)->lease).state;

	return state == PLM_LEASE_HELD || state == PLM_LEASE_BEHIND || state == PLM_LEASE_LOST;
}

static void look_at_peers(struct plm_hold *hold)
{
	for (uint32_t area = 0; area < AREA_COUNT; area++) {
		const struct plm_peer_options options = {
			.loop = plm_loop_uv(hold->options.loop),
			.client = hold->options.client,
			.clock = hold->options.clock,
			.ns = peers[area].ns,
			.name = peers[area].name,
			.seed = (uint64_t)getpid() + area,
			.on_change = peer_changed,
			.self = hold,
		};

		if (*enforced(hold, area)) {
			hold->peer[area] = plm_peer_new(&options);
		}
	}
}

/* What a living peer does is observed. */
static void yield_areas(struct plm_hold *hold)
{
	for (uint32_t area = 0; area < AREA_COUNT; area++) {
		if (lives(hold, area)) {
			const struct plm_log_field fields[] = {
				PLM_LOG_STR("area", peers[area].area),
				PLM_LOG_STR("peer", peers[area].peer),
				PLM_LOG_STR("holder", plm_peer_holder(hold->peer[area])),
				PLM_LOG_END,
			};

			plm_jsonlog(PLM_LOG_WARN, "lease",
				    "a peer lives: its area is observed, not enforced", fields);
			*enforced(hold, area) = false;
			(void)snprintf(hold->yielded, sizeof(hold->yielded),
				       "%s lives: area %s is observed", peers[area].peer,
				       peers[area].area);
		}
	}
}

static enum plm_code take_lease(struct plm_hold *hold, struct plm_error *err)
{
	const struct plm_lease_options options = {
		.loop = plm_loop_uv(hold->options.loop),
		.client = hold->options.client,
		.clock = hold->options.clock,
		.ns = plm_kube_namespace(hold->options.client),
		.name = PLM_KUBE_LEASE,
		.identity = hold->process,
		.seed = (uint64_t)getpid(),
		.head = head_of,
		.holds = holds,
		.accept_behind = hold->options.accept_older,
		.on_change = lease_changed,
		.self = hold,
	};
	struct plm_lease_status status;

	hold->lease = plm_lease_new(&options);
	if (!plm_loop_wait(hold->options.loop, lease_known, hold, 0)) {
		status = plm_lease_status(hold->lease);
		return plm_fail(err, PLM_E_AGAIN, "told to end before the Lease was ours: %s, %s",
				plm_lease_state_name(status.state), status.why);
	}
	status = plm_lease_status(hold->lease);
	if (status.state == PLM_LEASE_BEHIND) {
		return plm_fail(err, PLM_E_REFUSED,
				"the log is behind what the Lease says of it: an old copy, or its "
				"tail is lost; --accept-older-log goes on from it (%s)",
				status.why);
	}
	return status.state == PLM_LEASE_HELD
		       ? PLM_OK
		       : plm_fail(err, PLM_E_AGAIN, "the Lease was lost: %s", status.why);
}

enum plm_code plm_hold_take(struct plm_hold *hold, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	look_at_peers(hold);
	while (!peers_known(hold)) {
		if (!plm_loop_wait(hold->options.loop, peers_known, hold, PEERS_SAID_MS)) {
			return plm_fail(err, PLM_E_AGAIN,
					"told to end before the peers' Leases were read");
		}
		say_unknown(hold);
	}
	yield_areas(hold);
	if (hold->options.gate->queues || hold->options.gate->nodes) {
		code = take_lease(hold, err);
	}
	hold->taken = code == PLM_OK;
	return code;
}

/* ---- the run ----------------------------------------------------------------------------------- */

void plm_hold_durable(struct plm_hold *hold, const struct plm_log_head *head)
{
	hold->head = *head;
}

bool plm_hold_may_act(const struct plm_hold *hold)
{
	return hold->over[0] == '\0' && (hold->lease == NULL || plm_lease_may_act(hold->lease));
}

const char *plm_hold_why(const struct plm_hold *hold)
{
	if (hold->over[0] != '\0') {
		return hold->over;
	}
	if (hold->yielded[0] != '\0') {
		return hold->yielded;
	}
	return hold->lease == NULL ? "the peers' Leases are looked at"
				   : plm_lease_state_name(plm_lease_status(hold->lease).state);
}

const char *plm_hold_over(const struct plm_hold *hold)
{
	return hold->over[0] == '\0' ? NULL : hold->over;
}

static void released(void *self, bool given_back)
{
	struct plm_hold *hold = self;

	hold->released = true;
	if (!given_back) {
		tell(PLM_LOG_WARN, "the Lease was not given back", "why", "it runs out by itself");
	}
}

static bool is_released(void *self)
{
	return ((const struct plm_hold *)self)->released;
}

void plm_hold_release(struct plm_hold *hold)
{
	if (hold->lease == NULL || plm_lease_status(hold->lease).state != PLM_LEASE_HELD) {
		return;
	}
	plm_lease_release(hold->lease, released, hold);
	(void)plm_loop_wait(hold->options.loop, is_released, hold, 3 * PLM_LIMIT_LEASE_CALL_MS);
}
