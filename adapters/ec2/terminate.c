/*
 * terminate.c - ends of instances, asked for together
 *
 * One TerminateInstances for all that come within a moment. EC2 refuses the whole of it when it does not know one id, and
 * may leave some running (termination protection), so then each is asked for alone. An end is done when the answer says that
 * the instance is shutting down or terminated. That it is not known right after its launch proves nothing.
 */
#include "adapters/ec2/flight.h"
#include "adapters/ec2/query.h"
#include "core/limits.h"

#include <stdlib.h>

struct batch {
	struct plm_ec2_terminate *terminate;
	struct batch *prev, *next;
	struct plm_ec2_flight *first; /* by 'line' */
	uint32_t count;
	struct plm_aws_sent *sent;
};

struct plm_ec2_terminate {
	struct plm_ec2_effect *effect;
	uv_timer_t *timer;	      /* owned until its close */
	struct plm_ec2_flight *first; /* that wait for the next batch, by 'line' */
	struct plm_ec2_flight **last;
	uint32_t count;
	int64_t since_ms; /* the first of them came */
	struct batch *batches;
};

/* ---- answers ------------------------------------------------------------------------------------- */

static const struct plm_aws_node *change_of(const struct plm_aws_node *root, const char *id)
{
	const struct plm_aws_node *set = plm_aws_get(root, "instancesSet");
	const struct plm_aws_node *at = set == NULL ? NULL : set->child;

	while (at != NULL && !plm_slice_is(plm_aws_text(at, "instanceId"), id)) {
		at = at->next;
	}
	return at;
}

static void alone(struct plm_ec2_terminate *terminate, struct plm_ec2_flight *flight)
{
	flight->alone = true;
	plm_ec2_terminate_go(terminate, flight);
}

static void changed(struct plm_ec2_terminate *terminate, struct plm_ec2_flight *flight,
		    const struct plm_aws_answer *answer)
{
	const struct plm_aws_node *change = change_of(answer->root, flight->id);
	struct plm_slice before = plm_aws_text(plm_aws_get(change, "previousState"), "name");
	struct plm_slice now = plm_aws_text(plm_aws_get(change, "currentState"), "name");
	struct plm_w_result result = {.class = PLM_RESULT_DONE, .price_micro = PLM_UNSET};

	if (plm_ec2_has_ended(now)) {
		if (plm_ec2_has_ended(before)) {
			result.class = PLM_RESULT_ALREADY_DONE;
			result.code = now;
		}
		plm_ec2_flight_final(flight, &result, answer->request_id);
	} else if (!flight->alone) {
		alone(terminate, flight);
	} else {
		plm_ec2_flight_later(flight, &(struct plm_ec2_later){
						     .class = PLM_RESULT_RETRYABLE,
						     .code = "NotTerminating",
						     .message = "EC2 took it and left it running",
						     .wait_ms = PLM_UNSET});
	}
}

static void not_found(struct plm_ec2_flight *flight, const struct plm_aws_answer *answer)
{
	if (strcmp(answer->code, "InvalidInstanceID.Malformed") == 0 ||
	    plm_ec2_flight_gone(flight)) {
		plm_ec2_flight_ends(flight, PLM_RESULT_FAILED, answer->code, answer->message);
		return;
	}
	plm_ec2_flight_later(flight, &(struct plm_ec2_later){.class = PLM_RESULT_RETRYABLE,
							     .code = answer->code,
							     .message = answer->message,
							     .wait_ms = PLM_UNSET});
}

/* It says something of who asks, not of one of the instances. */
static bool is_about_us(const struct plm_aws_answer *answer)
{
	static const char *const codes[] = {"UnauthorizedOperation", "AuthFailure", "AccessDenied",
					    "AccessDeniedException", "OptInRequired"};

	for (size_t i = 0; i < PLM_COUNTOF(codes); i++) {
		if (strcmp(answer->code, codes[i]) == 0) {
			return true;
		}
	}
	return false;
}

static void answered(struct plm_ec2_terminate *terminate, struct plm_ec2_flight *flight,
		     const struct plm_aws_answer *answer)
{
	switch (answer->class) {
	case PLM_AWS_DONE:
		changed(terminate, flight, answer);
		return;
	case PLM_AWS_NOT_FOUND:
		if (flight->alone) {
			not_found(flight, answer);
		} else {
			alone(terminate, flight);
		}
		return;
	case PLM_AWS_EXISTS:
	case PLM_AWS_REFUSED:
	case PLM_AWS_MISMATCH:
		if (flight->alone || is_about_us(answer)) {
			plm_ec2_flight_ends(flight, PLM_RESULT_FAILED, answer->code,
					    answer->message);
		} else {
			alone(terminate, flight);
		}
		return;
	case PLM_AWS_UNKNOWN:
	case PLM_AWS_THROTTLED:
	case PLM_AWS_NOT_SENT:
	case PLM_AWS_FORBIDDEN:
		plm_ec2_flight_failed(flight, answer);
		return;
	}
	PLM_UNREACHABLE();
}

static void unlink_batch(struct batch *batch)
{
	*(batch->prev == NULL ? &batch->terminate->batches : &batch->prev->next) = batch->next;
	if (batch->next != NULL) {
		batch->next->prev = batch->prev;
	}
}

static void on_answer(void *self, const struct plm_aws_answer *answer)
{
	struct batch *batch = self;
	struct plm_ec2_terminate *terminate = batch->terminate;
	struct plm_ec2_flight *flight = batch->first;

	unlink_batch(batch);
	if (batch->count == 1) {
		flight->alone = true; /* what it says is of this one */
	}
	free(batch);
	while (flight != NULL) {
		struct plm_ec2_flight *next = flight->line;

		flight->line = NULL;
		answered(terminate, flight, answer);
		flight = next;
	}
}

/* ---- batches ------------------------------------------------------------------------------------- */

static bool is_named(const struct plm_ec2_flight *first, const struct plm_ec2_flight *flight)
{
	while (first != flight && strcmp(first->id, flight->id) != 0) {
		first = first->line;
	}
	return first != flight;
}

static void send_call(struct plm_ec2_terminate *terminate, struct plm_ec2_flight *first,
		      uint32_t count)
{
	struct batch *batch = calloc(1, sizeof(*batch));
	struct plm_query query;
	unsigned number = 0;

	PLM_ASSERT(batch != NULL);
	*batch = (struct batch){
		.terminate = terminate, .next = terminate->batches, .first = first, .count = count};
	if (batch->next != NULL) {
		batch->next->prev = batch;
	}
	terminate->batches = batch;
	plm_query_init(&query, plm_ec2_effect_arena(terminate->effect));
	for (const struct plm_ec2_flight *at = first; at != NULL; at = at->line) {
		if (!is_named(first, at)) {
			plm_query_put(&query, plm_slice_str(at->id), "InstanceId.%u", ++number);
		}
	}
	batch->sent = plm_aws_send(plm_ec2_effect_context(terminate->effect)->client,
				   &(struct plm_aws_request){
					   .call = PLM_AWS_CALL_TERMINATE_INSTANCES,
					   .body = plm_query_form(&query),
					   .on_done = on_answer,
					   .self = batch,
				   });
}

static void flush(struct plm_ec2_terminate *terminate)
{
	struct plm_ec2_flight *first = terminate->first;
	uint32_t count = terminate->count;

	(void)uv_timer_stop(terminate->timer);
	terminate->first = NULL;
	terminate->last = &terminate->first;
	terminate->count = 0;
	if (count > 0) {
		send_call(terminate, first, count);
	}
}

static void on_timer(uv_timer_t *timer)
{
	flush(timer->data);
}

void plm_ec2_terminate_go(struct plm_ec2_terminate *terminate, struct plm_ec2_flight *flight)
{
	int64_t now_ms = plm_ec2_effect_boot_ms(terminate->effect);
	int64_t left_ms = 0;

	flight->line = NULL;
	if (flight->alone) {
		send_call(terminate, flight, 1);
		return;
	}
	if (terminate->count++ == 0) {
		terminate->since_ms = now_ms;
	}
	*terminate->last = flight;
	terminate->last = &flight->line;
	left_ms = terminate->since_ms + PLM_LIMIT_EC2_TERMINATE_MAX_MS - now_ms;
	if (terminate->count == PLM_LIMIT_EC2_TERMINATE_IDS || left_ms <= 0) {
		flush(terminate);
		return;
	}
	(void)uv_timer_start(terminate->timer, on_timer,
			     (uint64_t)plm_min(left_ms, (int64_t)PLM_LIMIT_EC2_TERMINATE_IDLE_MS),
			     0);
}

/* ---- life ---------------------------------------------------------------------------------------- */

struct plm_ec2_terminate *plm_ec2_terminate_new(struct plm_ec2_effect *effect, uv_loop_t *loop)
{
	struct plm_ec2_terminate *terminate = calloc(1, sizeof(*terminate));
	int failed = 0;

	PLM_ASSERT(terminate != NULL);
	terminate->effect = effect;
	terminate->last = &terminate->first;
	terminate->timer = calloc(1, sizeof(*terminate->timer));
	PLM_ASSERT(terminate->timer != NULL);
	failed = uv_timer_init(loop, terminate->timer);
	PLM_ASSERT(failed == 0);
	terminate->timer->data = terminate;
	return terminate;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

void plm_ec2_terminate_free(struct plm_ec2_terminate *terminate)
{
	struct batch *next = NULL;

	if (terminate == NULL) {
		return;
	}
	for (struct batch *batch = terminate->batches; batch != NULL; batch = next) {
		next = batch->next;
		plm_aws_cancel(batch->sent);
		free(batch);
	}
	uv_close((uv_handle_t *)terminate->timer, on_closed);
	free(terminate);
}
