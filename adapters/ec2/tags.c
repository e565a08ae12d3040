/*
 * tags.c - tags that are known only when an instance has its node: one CreateTags a second, in order
 *
 * CreateTags is the same whether once or twice. An instance that is not known may not be visible yet.
 */
#include "adapters/ec2/flight.h"
#include "adapters/ec2/query.h"
#include "core/limits.h"

#include <stdlib.h>

struct plm_ec2_tagging {
	struct plm_ec2_effect *effect;
	uv_timer_t *timer;	      /* owned until its close */
	struct plm_ec2_flight *first; /* that wait, by 'line' */
	struct plm_ec2_flight **last;
	bool waits; /* for the timer, since the call before */
};

static void on_answer(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_flight *flight = self;

	flight->sent = NULL;
	switch (answer->class) {
	case PLM_AWS_DONE:
	case PLM_AWS_EXISTS:
		plm_ec2_flight_ends(flight, PLM_RESULT_DONE, "", "");
		return;
	case PLM_AWS_NOT_FOUND:
		if (!plm_ec2_flight_gone(flight)) {
			plm_ec2_flight_later(flight,
					     &(struct plm_ec2_later){.class = PLM_RESULT_RETRYABLE,
								     .code = answer->code,
								     .message = answer->message,
								     .wait_ms = PLM_UNSET});
			return;
		}
		plm_ec2_flight_ends(flight, PLM_RESULT_FAILED, answer->code, answer->message);
		return;
	case PLM_AWS_REFUSED:
	case PLM_AWS_MISMATCH:
		plm_ec2_flight_ends(flight, PLM_RESULT_FAILED, answer->code, answer->message);
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

static void send_call(struct plm_ec2_tagging *tagging, struct plm_ec2_flight *flight)
{
	struct plm_arena *arena = plm_ec2_effect_arena(tagging->effect);
	const struct plm_w_req_instance_tag *request = plm_ec2_flight_request(flight, arena);
	const struct plm_w_kv *tags = request->tags.ptr;
	struct plm_query query;

	plm_query_init(&query, arena);
	plm_query_text(&query, "ResourceId.1", flight->id);
	for (size_t i = 0; i < request->tags.count; i++) {
		plm_query_put(&query, tags[i].key, "Tag.%zu.Key", i + 1);
		plm_query_put(&query, tags[i].value, "Tag.%zu.Value", i + 1);
	}
	flight->sent = plm_aws_send(plm_ec2_effect_context(tagging->effect)->client,
				    &(struct plm_aws_request){
					    .call = PLM_AWS_CALL_CREATE_TAGS,
					    .body = plm_query_form(&query),
					    .on_done = on_answer,
					    .self = flight,
				    });
}

static void next(struct plm_ec2_tagging *tagging);

static void on_timer(uv_timer_t *timer)
{
	struct plm_ec2_tagging *tagging = timer->data;

	tagging->waits = false;
	next(tagging);
}

static void next(struct plm_ec2_tagging *tagging)
{
	struct plm_ec2_flight *flight = tagging->first;

	if (flight == NULL || tagging->waits) {
		return;
	}
	tagging->first = flight->line;
	if (tagging->first == NULL) {
		tagging->last = &tagging->first;
	}
	flight->line = NULL;
	tagging->waits = true;
	(void)uv_timer_start(tagging->timer, on_timer, PLM_LIMIT_EC2_TAG_EVERY_MS, 0);
	send_call(tagging, flight);
}

void plm_ec2_tagging_go(struct plm_ec2_tagging *tagging, struct plm_ec2_flight *flight)
{
	flight->line = NULL;
	*tagging->last = flight;
	tagging->last = &flight->line;
	next(tagging);
}

struct plm_ec2_tagging *plm_ec2_tagging_new(struct plm_ec2_effect *effect, uv_loop_t *loop)
{
	struct plm_ec2_tagging *tagging = calloc(1, sizeof(*tagging));
	int failed = 0;

	PLM_ASSERT(tagging != NULL);
	tagging->effect = effect;
	tagging->last = &tagging->first;
	tagging->timer = calloc(1, sizeof(*tagging->timer));
	PLM_ASSERT(tagging->timer != NULL);
	failed = uv_timer_init(loop, tagging->timer);
	PLM_ASSERT(failed == 0);
	tagging->timer->data = tagging;
	return tagging;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

void plm_ec2_tagging_free(struct plm_ec2_tagging *tagging)
{
	if (tagging == NULL) {
		return;
	}
	uv_close((uv_handle_t *)tagging->timer, on_closed);
	free(tagging);
}
