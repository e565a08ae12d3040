#include "adapters/ec2/credentials_private.h"

#include "adapters/http/jitter.h"
#include "core/event.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct plm_backoff_rule fetch_rule = {
	.first_ms = PLM_LIMIT_AWS_FETCH_FIRST_MS,
	.last_ms = PLM_LIMIT_AWS_FETCH_LAST_MS,
};

int64_t plm_aws_wall_ms(void)
{
	uv_timeval64_t now = {0};

	(void)uv_gettimeofday(&now);
	return now.tv_sec * 1000 + now.tv_usec / 1000;
}

int64_t plm_aws_loop_ms(void)
{
	return (int64_t)(uv_hrtime() / 1000000U);
}

static void say(const struct plm_aws_credentials *credentials, const char *format, ...)
	PLM_PRINTF(2, 3);

static void say(const struct plm_aws_credentials *credentials, const char *format, ...)
{
	char text[512];
	va_list args;

	if (credentials->options.note == NULL) {
		return;
	}
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	credentials->options.note(credentials->options.self, text);
}

/* ---- what is at hand ------------------------------------------------------------------------------------- */

static int64_t left_ms(const struct plm_aws_credentials *credentials)
{
	return credentials->held.expires_ms == PLM_UNSET
		       ? INT64_MAX
		       : credentials->held.expires_ms - plm_aws_wall_ms();
}

static bool usable(const struct plm_aws_credentials *credentials)
{
	return credentials->held.key_id[0] != '\0' && left_ms(credentials) >= PLM_LIMIT_AWS_LEFT_MS;
}

int64_t plm_aws_credentials_left_s(const struct plm_aws_credentials *credentials)
{
	int64_t left = left_ms(credentials);

	if (credentials->held.key_id[0] == '\0') {
		return PLM_UNSET;
	}
	return left == INT64_MAX ? -1 : (left < 0 ? 0 : left / 1000);
}

const char *plm_aws_credentials_region(const struct plm_aws_credentials *credentials)
{
	return credentials->region;
}

const char *plm_aws_credentials_source(const struct plm_aws_credentials *credentials)
{
	return credentials->source;
}

/* ---- who waits ------------------------------------------------------------------------------------------- */

/* All who wait now; who comes by what they do waits for the next time. */
static void deliver(struct plm_aws_credentials *credentials)
{
	struct plm_aws_keys keys = {
		.key_id = credentials->held.key_id,
		.secret = credentials->held.secret,
		.token = credentials->held.token,
		.region = credentials->region,
	};
	uint64_t last = credentials->waits_made;
	bool good = usable(credentials);
	char why[sizeof(credentials->why) + 32];

	(void)snprintf(why, sizeof(why), "no credentials: %s", credentials->why);
	credentials->delivering = true;
	while (credentials->waits != NULL && credentials->waits->number <= last) {
		struct plm_aws_wait *wait = credentials->waits;

		credentials->waits = wait->next;
		if (credentials->waits == NULL) {
			credentials->waits_end = &credentials->waits;
		}
		wait->done(wait->self, good ? &keys : NULL, good ? NULL : why);
		free(wait);
	}
	credentials->delivering = false;
}

static void settle(struct plm_aws_credentials *credentials)
{
	bool wanted = !usable(credentials) || credentials->refused;

	if (credentials->waits == NULL || credentials->delivering) {
		return;
	}
	if (wanted && credentials->fetch == NULL && plm_aws_loop_ms() >= credentials->next_ms) {
		plm_aws_fetch_begin(credentials); /* may end at once, and come here again */
		return;
	}
	if (!wanted || credentials->fetch == NULL) {
		deliver(credentials);
	}
}

static void on_kick(uv_timer_t *timer)
{
	settle(timer->data);
}

static void kick(struct plm_aws_credentials *credentials)
{
	PLM_ASSERT(uv_timer_start(&credentials->kick, on_kick, 0, 0) == 0);
}

uint64_t plm_aws_credentials_get(struct plm_aws_credentials *credentials,
				 void (*done)(void *self, const struct plm_aws_keys *keys,
					      const char *why),
				 void *self)
{
	struct plm_aws_wait *wait = calloc(1, sizeof(*wait));

	PLM_ASSERT(wait != NULL && !credentials->dying);
	credentials->waits_made++;
	*wait = (struct plm_aws_wait){
		.number = credentials->waits_made, .done = done, .self = self};
	*credentials->waits_end = wait;
	credentials->waits_end = &wait->next;
	kick(credentials);
	return wait->number;
}

void plm_aws_credentials_forget(struct plm_aws_credentials *credentials, uint64_t number)
{
	for (struct plm_aws_wait **at = &credentials->waits; *at != NULL; at = &(*at)->next) {
		struct plm_aws_wait *wait = *at;

		if (wait->number != number) {
			continue;
		}
		*at = wait->next;
		if (wait->next == NULL) {
			credentials->waits_end = at;
		}
		free(wait);
		return;
	}
}

void plm_aws_credentials_refused(struct plm_aws_credentials *credentials)
{
	int64_t age = plm_aws_loop_ms() - credentials->fetched_ms;

	if (credentials->held.key_id[0] != '\0' && credentials->fetch == NULL &&
	    age >= PLM_LIMIT_AWS_REFUSED_MS) {
		credentials->refused = true;
	}
}

/* ---- renewal --------------------------------------------------------------------------------------------- */

static void on_look(uv_timer_t *timer);

/* At the time to renew, or when the clock is looked at again. */
static void arm(struct plm_aws_credentials *credentials)
{
	int64_t wait = 0;

	if (credentials->renew_ms == PLM_UNSET) {
		(void)uv_timer_stop(&credentials->look);
		return;
	}
	wait = credentials->renew_ms - plm_aws_wall_ms();
	if (wait < credentials->next_ms - plm_aws_loop_ms()) {
		wait = credentials->next_ms - plm_aws_loop_ms();
	}
	wait = wait < 0 ? 0 : wait;
	wait = wait > PLM_LIMIT_AWS_LOOK_MS ? PLM_LIMIT_AWS_LOOK_MS : wait;
	PLM_ASSERT(uv_timer_start(&credentials->look, on_look, (uint64_t)wait, 0) == 0);
}

static void on_look(uv_timer_t *timer)
{
	struct plm_aws_credentials *credentials = timer->data;

	if (credentials->fetch != NULL) {
		return; /* its end arms anew */
	}
	if (plm_aws_wall_ms() >= credentials->renew_ms &&
	    plm_aws_loop_ms() >= credentials->next_ms) {
		plm_aws_fetch_begin(credentials);
		return;
	}
	arm(credentials);
}

/* Ahead of expiry, and not all replicas at once. */
static int64_t renew_at(struct plm_aws_credentials *credentials)
{
	int64_t life = left_ms(credentials);
	int64_t ahead = life / 4 < PLM_LIMIT_AWS_AHEAD_MS ? life / 4 : PLM_LIMIT_AWS_AHEAD_MS;

	if (life == INT64_MAX) {
		return PLM_UNSET;
	}
	ahead = ahead < 0 ? 0 : ahead;
	return credentials->held.expires_ms - ahead -
	       plm_jitter(&credentials->random, 0, ahead / 5);
}

static void keep(struct plm_aws_credentials *credentials, const struct plm_aws_fetch *fetch)
{
	bool first = credentials->held.key_id[0] == '\0';

	credentials->held = fetch->keys;
	memcpy(credentials->region, fetch->plan.region, sizeof(credentials->region));
	memcpy(credentials->source, fetch->plan.source, sizeof(credentials->source));
	credentials->renew_ms = renew_at(credentials);
	credentials->refused = false;
	credentials->why[0] = '\0';
	plm_backoff_good(&credentials->backoff);
	if (first) {
		say(credentials, "credentials: %s, region %s", credentials->source,
		    credentials->region);
	} else if (credentials->failed) {
		say(credentials, "credentials: renewed");
	}
	credentials->failed = false;
}

static void miss(struct plm_aws_credentials *credentials, const char *why)
{
	int64_t left = plm_aws_credentials_left_s(credentials);

	(void)snprintf(credentials->why, sizeof(credentials->why), "%s", why);
	credentials->next_ms = plm_aws_loop_ms() + plm_backoff_failed(&credentials->backoff,
								      plm_aws_loop_ms(), PLM_UNSET);
	credentials->failed = true;
	credentials->refused = false; /* the old ones are all there is */
	if (left == PLM_UNSET) {
		say(credentials, "no credentials: %s", why);
	} else if (left >= 0) {
		say(credentials, "credentials: not renewed, %lld s are left: %s", (long long)left,
		    why);
	} else {
		say(credentials, "credentials: not read again: %s", why);
	}
}

void plm_aws_fetched(struct plm_aws_credentials *credentials, const char *why)
{
	struct plm_aws_fetch *fetch = credentials->fetch;

	credentials->fetched_ms = plm_aws_loop_ms();
	if (why == NULL) {
		keep(credentials, fetch);
	} else {
		miss(credentials, why);
	}
	credentials->fetch = NULL;
	plm_aws_fetch_cancel(fetch);
	arm(credentials);
	settle(credentials);
}

/* ---- its life -------------------------------------------------------------------------------------------- */

static enum plm_code read_ca(struct plm_aws_credentials *credentials, struct plm_error *err)
{
	const char *path = plm_aws_variable(credentials->options.environment, "AWS_CA_BUNDLE");
	char *text = NULL;
	enum plm_code code = PLM_OK;

	if (path == NULL) {
		return PLM_OK;
	}
	code = plm_aws_file_read(path, PLM_LIMIT_CA_BYTES, &text, err);
	if (code != PLM_OK) {
		err->code = PLM_E_CONFIG;
		return plm_fail_prefix(err, PLM_E_CONFIG, "AWS_CA_BUNDLE");
	}
	credentials->ca = plm_slice_str(text);
	return PLM_OK;
}

/* What cannot become right by waiting is said at once. */
static enum plm_code check(struct plm_aws_credentials *credentials, struct plm_error *err)
{
	struct plm_aws_plan *plan = calloc(1, sizeof(*plan));
	enum plm_code code = PLM_OK;

	PLM_ASSERT(plan != NULL);
	code = plm_aws_plan_make(&credentials->options, plan, err);
	memcpy(credentials->region, plan->region, sizeof(credentials->region));
	explicit_bzero(plan, sizeof(*plan));
	free(plan);
	return code == PLM_OK ? read_ca(credentials, err) : code;
}

static void start_timer(struct plm_aws_credentials *credentials, uv_timer_t *timer)
{
	PLM_ASSERT(uv_timer_init(credentials->options.loop, timer) == 0);
	timer->data = credentials;
	credentials->handles++;
}

enum plm_code plm_aws_credentials_new(const struct plm_aws_credentials_options *options,
				      struct plm_aws_credentials **out, struct plm_error *err)
{
	struct plm_aws_credentials *credentials = calloc(1, sizeof(*credentials));
	enum plm_code code = PLM_OK;

	PLM_ASSERT(credentials != NULL && err != NULL);
	credentials->options = *options;
	credentials->waits_end = &credentials->waits;
	credentials->random = options->seed;
	credentials->renew_ms = PLM_UNSET;
	credentials->held.expires_ms = PLM_UNSET;
	plm_backoff_init(&credentials->backoff, &fetch_rule, options->seed);
	code = check(credentials, err);
	if (code != PLM_OK) {
		free(credentials);
		return code;
	}
	start_timer(credentials, &credentials->look);
	start_timer(credentials, &credentials->kick);
	start_timer(credentials, &credentials->again);
	*out = credentials;
	return PLM_OK;
}

static void on_closed(uv_handle_t *handle)
{
	struct plm_aws_credentials *credentials = handle->data;

	credentials->handles--;
	if (credentials->handles == 0) {
		explicit_bzero(credentials, sizeof(*credentials));
		free(credentials);
	}
}

void plm_aws_credentials_free(struct plm_aws_credentials *credentials)
{
	if (credentials == NULL) {
		return;
	}
	PLM_ASSERT(!credentials->delivering && !credentials->dying);
	credentials->dying = true;
	plm_aws_fetch_cancel(credentials->fetch);
	credentials->fetch = NULL;
	while (credentials->waits != NULL) {
		struct plm_aws_wait *next = credentials->waits->next;

		free(credentials->waits);
		credentials->waits = next;
	}
	while (credentials->servers != NULL) {
		struct plm_aws_server *next = credentials->servers->next;

		plm_http_peer_free(credentials->servers->peer);
		free(credentials->servers);
		credentials->servers = next;
	}
	free((void *)(uintptr_t)credentials->ca.ptr);
	explicit_bzero(&credentials->held, sizeof(credentials->held));
	uv_close((uv_handle_t *)&credentials->look, on_closed);
	uv_close((uv_handle_t *)&credentials->kick, on_closed);
	uv_close((uv_handle_t *)&credentials->again, on_closed);
}
