#include "access.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core/limits.h"
#include "hash/hash.h"

/* What is known of one token. */
struct entry {
	struct plm_sha256 digest;
	enum plm_verdict verdict;
	int64_t until_ms; /* boot time; 0 = not used */
};

struct plm_review {
	struct plm_review *next;
	struct plm_access *access; /* NULL: nobody wants the answer any more */
	struct plm_sha256 digest;
	char *token; /* owned, until it was handed over */
	size_t token_size;
	uint32_t waiters;
	bool begun, ended;
	enum plm_verdict verdict;
};

struct plm_access {
	struct plm_access_options options;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t ended;
	bool stopping;
	struct plm_review *reviews;
	struct entry entries[PLM_LIMIT_ACCESS_TOKENS];
};

static void lock(struct plm_access *access)
{
	int rc = pthread_mutex_lock(&access->lock);

	PLM_ASSERT(rc == 0);
}

static void unlock(struct plm_access *access)
{
	int rc = pthread_mutex_unlock(&access->lock);

	PLM_ASSERT(rc == 0);
}

static int64_t now_ms(const struct plm_access *access)
{
	return access->options.clock.boot_ms(access->options.clock.self);
}

static bool same(const struct plm_sha256 *a, const struct plm_sha256 *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* ---- what is known ----------------------------------------------------------------------------- */

static struct entry *known(struct plm_access *access, const struct plm_sha256 *digest)
{
	for (size_t i = 0; i < PLM_COUNTOF(access->entries); i++) {
		struct entry *entry = &access->entries[i];

		if (entry->until_ms > now_ms(access) && same(&entry->digest, digest)) {
			return entry;
		}
	}
	return NULL;
}

/* In place of what was said of it before, else of the one that ends first. */
static void remember(struct plm_access *access, const struct plm_sha256 *digest,
		     enum plm_verdict verdict)
{
	struct entry *place = &access->entries[0];

	for (size_t i = 0; i < PLM_COUNTOF(access->entries); i++) {
		struct entry *entry = &access->entries[i];

		if (same(&entry->digest, digest)) {
			place = entry;
			break;
		}
		place = entry->until_ms < place->until_ms ? entry : place;
	}
	*place = (struct entry){
		.digest = *digest,
		.verdict = verdict,
		.until_ms =
			now_ms(access) + (verdict == PLM_VERDICT_ALLOWED ? PLM_LIMIT_ACCESS_YES_MS
									 : PLM_LIMIT_ACCESS_NO_MS),
	};
}

/* ---- reviews ----------------------------------------------------------------------------------- */

static void drop_token(struct plm_review *review)
{
	if (review->token != NULL) {
		explicit_bzero(review->token, review->token_size);
		free(review->token);
		review->token = NULL;
	}
}

static void unlink_review(struct plm_access *access, const struct plm_review *review)
{
	struct plm_review **link = &access->reviews;

	while (*link != NULL && *link != review) {
		link = &(*link)->next;
	}
	if (*link != NULL) {
		*link = review->next;
	}
}

/* Free it once it is over and nobody looks at it any more. */
static void let_go(struct plm_access *access, struct plm_review *review)
{
	if (review->waiters == 0 && (review->ended || !review->begun)) {
		unlink_review(access, review);
		drop_token(review);
		free(review);
	}
}

void plm_review_end(struct plm_review *review, enum plm_verdict verdict)
{
	struct plm_access *access = review->access;

	if (access == NULL) {
		free(review);
		return;
	}
	lock(access);
	review->ended = true;
	review->verdict = verdict;
	if (verdict != PLM_VERDICT_UNKNOWN) {
		remember(access, &review->digest, verdict);
	}
	(void)pthread_cond_broadcast(&access->ended);
	let_go(access, review);
	unlock(access);
}

/* One that was not begun yet, marked begun; its token is the caller's then. */
static struct plm_review *next_review(struct plm_access *access, char **token, size_t *size)
{
	struct plm_review *review = NULL;

	lock(access);
	for (review = access->reviews; review != NULL && review->begun;) {
		review = review->next;
	}
	if (review != NULL) {
		review->begun = true;
		*token = review->token;
		*size = review->token_size;
		review->token = NULL;
	}
	unlock(access);
	return review;
}

void plm_access_turn(struct plm_access *access)
{
	struct plm_review *review = NULL;
	char *token = NULL;
	size_t size = 0;

	while ((review = next_review(access, &token, &size)) != NULL) {
		access->options.port.review(access->options.port.self, plm_slice_of(token, size),
					    review);
		explicit_bzero(token, size);
		free(token);
	}
}

/* The one that is under way for the same token, or a new one. */
static struct plm_review *review_of(struct plm_access *access, const struct plm_sha256 *digest,
				    struct plm_slice token)
{
	struct plm_review *review = NULL;

	for (review = access->reviews; review != NULL; review = review->next) {
		if (!review->ended && same(&review->digest, digest)) {
			return review;
		}
	}
	review = calloc(1, sizeof(*review));
	if (review == NULL) {
		return NULL;
	}
	review->token = malloc(token.size);
	if (review->token == NULL) {
		free(review);
		return NULL;
	}
	memcpy(review->token, token.ptr, token.size);
	review->token_size = token.size;
	review->access = access;
	review->digest = *digest;
	review->next = access->reviews;
	access->reviews = review;
	return review;
}

static enum plm_verdict wait_for(struct plm_access *access, struct plm_review *review)
{
	struct timespec until = {0};
	enum plm_verdict verdict = PLM_VERDICT_UNKNOWN;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PLM_LIMIT_ACCESS_REVIEW_MS / 1000;
	review->waiters++;
	while (!review->ended && !access->stopping &&
	       pthread_cond_timedwait(&access->ended, &access->lock, &until) != ETIMEDOUT) {
	}
	verdict = review->ended ? review->verdict : PLM_VERDICT_UNKNOWN;
	review->waiters--;
	let_go(access, review);
	return verdict;
}

enum plm_verdict plm_access_check(struct plm_access *access, struct plm_slice token)
{
	struct plm_sha256 digest = plm_sha256(token);
	enum plm_verdict verdict = PLM_VERDICT_UNKNOWN;
	struct plm_review *review = NULL;
	const struct entry *entry = NULL;

	if (token.size == 0 || token.size > PLM_LIMIT_TOKEN_BYTES) {
		return PLM_VERDICT_STRANGER;
	}
	if (access->options.port.review == NULL) {
		return PLM_VERDICT_UNKNOWN;
	}
	lock(access);
	entry = known(access, &digest);
	if (entry != NULL) {
		verdict = entry->verdict;
	} else if (!access->stopping) {
		review = review_of(access, &digest, token);
	}
	if (review != NULL) {
		access->options.wake(access->options.self);
		verdict = wait_for(access, review);
	}
	unlock(access);
	return verdict;
}

/* ---- life -------------------------------------------------------------------------------------- */

struct plm_access *plm_access_new(const struct plm_access_options *options)
{
	struct plm_access *access = calloc(1, sizeof(*access));
	pthread_condattr_t attributes;
	int rc = access == NULL ? -1 : pthread_mutex_init(&access->lock, NULL);

	rc = rc == 0 ? pthread_condattr_init(&attributes) : rc;
	rc = rc == 0 ? pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) : rc;
	rc = rc == 0 ? pthread_cond_init(&access->ended, &attributes) : rc;
	PLM_ASSERT(rc == 0);
	(void)pthread_condattr_destroy(&attributes);
	access->options = *options;
	return access;
}

void plm_access_stop(struct plm_access *access)
{
	lock(access);
	access->stopping = true;
	(void)pthread_cond_broadcast(&access->ended);
	unlock(access);
}

void plm_access_free(struct plm_access *access)
{
	struct plm_review *review = NULL;

	if (access == NULL) {
		return;
	}
	while ((review = access->reviews) != NULL) {
		PLM_ASSERT(review->waiters == 0);
		access->reviews = review->next;
		drop_token(review);
		if (review->begun && !review->ended) {
			review->access = NULL; /* plm_review_end() frees it */
		} else {
			free(review);
		}
	}
	(void)pthread_cond_destroy(&access->ended);
	(void)pthread_mutex_destroy(&access->lock);
	explicit_bzero(access->entries, sizeof(access->entries));
	free(access);
}
