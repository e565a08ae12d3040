/*
 * launch.c - one try of a launch: what is in doubt is looked for, templates are made, the frozen form is sent
 *
 * The form is built once for a flight and is the same after a restart (fleet.h). Answers by their class: done; refused for
 * good; surely not carried out, then it is sent again; or not known. From the last one on the launch is in doubt: it
 * is looked for by its tag before each repetition, and a refusal of a repetition counts only when nothing was seen for
 * PLM_LIMIT_EC2_SETTLE_MS, since rights and templates may have changed after the call that was carried out.
 */
#include "adapters/ec2/flight.h"
#include "adapters/ec2/launch_answer.h"
#include "core/limits.h"
#include "core/wire_copy.h"

/* ---- building ------------------------------------------------------------------------------------ */

static void keep_refusal(struct plm_ec2_flight *flight, const struct plm_w_result *result)
{
	const struct plm_w_result *copy = plm_wire_copy(&plm_type_result, result, &flight->arena);

	flight->launch.refusal = *copy;
	flight->launch.refused = true;
}

static const char *code_of(enum plm_code code)
{
	return code == PLM_E_LIMIT ? "InvalidUserData.Malformed" : "InvalidRequest";
}

static void build(struct plm_ec2_flight *flight)
{
	struct plm_ec2_launch_try *launch = &flight->launch;
	struct plm_error err = {0};
	enum plm_code code = plm_arena_init(&flight->arena, PLM_LIMIT_EVENT_ARENA, &err);

	PLM_ASSERT(code == PLM_OK);
	launch->built = true;
	launch->request = plm_ec2_flight_request(flight, &flight->arena);
	code = plm_ec2_recipe_read(launch->request->recipe, &flight->arena, &launch->recipe, &err);
	if (code == PLM_OK) {
		const struct plm_ec2_order order = {
			.request = launch->request,
			.recipe = launch->recipe,
			.cluster_uid = plm_ec2_effect_context(flight->effect)->cluster_uid,
			.key = flight->key,
			.intent = flight->intent,
		};

		code = plm_ec2_launching(&order, &flight->arena, &launch->launching, &err);
	}
	if (code != PLM_OK) {
		keep_refusal(flight, &(struct plm_w_result){
					     .class = PLM_RESULT_FAILED,
					     .code = plm_slice_str(code_of(code)),
					     .message = plm_slice_str(err.text),
					     .price_micro = PLM_UNSET,
				     });
	}
}

/* ---- ends ---------------------------------------------------------------------------------------- */

static void in_doubt(struct plm_ec2_flight *flight)
{
	struct plm_ec2_instances *instances = plm_ec2_effect_instances(flight->effect);

	flight->launch.doubt = true;
	flight->launch.settled_ms =
		plm_ec2_effect_boot_ms(flight->effect) + PLM_LIMIT_EC2_SETTLE_MS;
	if (instances != NULL) {
		plm_ec2_instances_hurry(instances);
	}
}

/* Refused for good, unless an instance of an earlier call turns up. */
static void refuse(struct plm_ec2_flight *flight, struct plm_w_result *result,
		   const char *request_id)
{
	if (!flight->launch.doubt) {
		plm_ec2_flight_final(flight, result, request_id);
		return;
	}
	keep_refusal(flight, result);
	plm_ec2_settle_look(flight);
}

static bool is_template_missing(const char *code)
{
	static const char *const codes[] = {
		"InvalidLaunchTemplateName.NotFoundException",
		"InvalidLaunchTemplateId.NotFound",
		"InvalidLaunchTemplateId.VersionNotFound",
	};

	for (size_t i = 0; i < PLM_COUNTOF(codes); i++) {
		if (strcmp(code, codes[i]) == 0) {
			return true;
		}
	}
	return false;
}

static void forget_templates(struct plm_ec2_flight *flight)
{
	const struct plm_ec2_need *needs = flight->launch.launching.needs.ptr;

	for (size_t i = 0; i < flight->launch.launching.needs.count; i++) {
		plm_ec2_templates_forget(plm_ec2_effect_templates(flight->effect), needs[i].name);
	}
	flight->launch.need = 0;
}

/* ---- the call itself ----------------------------------------------------------------------------- */

static void make_templates(struct plm_ec2_flight *flight);

static void took_answer(struct plm_ec2_flight *flight, const struct plm_aws_answer *answer)
{
	struct plm_w_result result;

	if (!plm_ec2_launch_answer(&flight->launch.launching, flight->launch.recipe, answer->root,
				   plm_ec2_effect_arena(flight->effect), &result)) {
		in_doubt(flight);
		plm_ec2_flight_later(flight, &(struct plm_ec2_later){
						     .class = PLM_RESULT_UNKNOWN,
						     .code = "EmptyAnswer",
						     .message = "neither an instance nor an error",
						     .wait_ms = PLM_UNSET});
	} else if (result.class == PLM_RESULT_DONE) {
		plm_ec2_flight_final(flight, &result, answer->request_id);
	} else {
		const struct plm_w_refusal *refused = result.refused.ptr;

		for (size_t i = 0; i < result.refused.count; i++) {
			if (plm_slice_is(refused[i].code,
					 "InvalidLaunchTemplateName.NotFoundException")) {
				forget_templates(flight);
			}
		}
		refuse(flight, &result, answer->request_id);
	}
}

static void was_refused(struct plm_ec2_flight *flight, const struct plm_aws_answer *answer)
{
	struct plm_w_result result;

	if (is_template_missing(answer->code)) {
		forget_templates(flight);
		if (!flight->launch.made_again) {
			flight->launch.made_again = true;
			make_templates(flight);
			return;
		}
	}
	plm_ec2_launch_refused(&flight->launch.launching, answer->code, answer->message,
			       plm_ec2_effect_arena(flight->effect), &result);
	if (answer->class == PLM_AWS_MISMATCH) {
		in_doubt(flight); /* whoever used the token may have launched by it */
	}
	if (answer->class == PLM_AWS_EXISTS) { /* IdempotentInstanceTerminated: that is known */
		plm_ec2_flight_final(flight, &result, answer->request_id);
		return;
	}
	refuse(flight, &result, answer->request_id);
}

static void on_answer(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_flight *flight = self;

	flight->sent = NULL;
	switch (answer->class) {
	case PLM_AWS_DONE:
		took_answer(flight, answer);
		return;
	case PLM_AWS_NOT_FOUND:
	case PLM_AWS_EXISTS:
	case PLM_AWS_REFUSED:
	case PLM_AWS_MISMATCH:
		was_refused(flight, answer);
		return;
	case PLM_AWS_UNKNOWN:
		in_doubt(flight);
		plm_ec2_flight_failed(flight, answer);
		return;
	case PLM_AWS_THROTTLED:
	case PLM_AWS_NOT_SENT:
	case PLM_AWS_FORBIDDEN:
		plm_ec2_flight_failed(flight, answer);
		return;
	}
	PLM_UNREACHABLE();
}

static bool too_late(const struct plm_ec2_flight *flight)
{
	return flight->deadline_ms != PLM_UNSET &&
	       plm_ec2_now_ms(plm_ec2_effect_context(flight->effect)) > flight->deadline_ms;
}

static void send_it(struct plm_ec2_flight *flight)
{
	flight->sent = plm_aws_send(plm_ec2_effect_context(flight->effect)->client,
				    &(struct plm_aws_request){
					    .call = flight->launch.launching.call,
					    .body = flight->launch.launching.body,
					    .exact = true,
					    .on_done = on_answer,
					    .self = flight,
				    });
}

/* ---- templates ----------------------------------------------------------------------------------- */

static void on_template(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_flight *flight = self;
	struct plm_w_result result;

	switch (answer->class) {
	case PLM_AWS_DONE:
	case PLM_AWS_EXISTS:
		flight->launch.need++;
		make_templates(flight);
		return;
	case PLM_AWS_NOT_FOUND:
	case PLM_AWS_REFUSED:
	case PLM_AWS_MISMATCH:
		plm_ec2_launch_refused(&flight->launch.launching, answer->code, answer->message,
				       plm_ec2_effect_arena(flight->effect), &result);
		refuse(flight, &result, answer->request_id);
		return;
	case PLM_AWS_UNKNOWN:
	case PLM_AWS_THROTTLED:
	case PLM_AWS_NOT_SENT:
	case PLM_AWS_FORBIDDEN:
		/* The launch itself has not been sent: a template twice is the same template. */
		plm_ec2_flight_later(flight,
				     &(struct plm_ec2_later){.class = PLM_RESULT_RETRYABLE,
							     .code = answer->code,
							     .message = answer->message,
							     .wait_ms = answer->retry_after_ms});
		return;
	}
	PLM_UNREACHABLE();
}

static void make_templates(struct plm_ec2_flight *flight)
{
	struct plm_ec2_launch_try *launch = &flight->launch;
	const struct plm_ec2_need *needs = launch->launching.needs.ptr;
	struct plm_w_result late = {.class = PLM_RESULT_FAILED,
				    .code = plm_slice_str("DeadlineExceeded"),
				    .price_micro = PLM_UNSET};

	if (too_late(flight)) { /* also where no template can be made */
		refuse(flight, &late, "");
		return;
	}
	while (launch->need < launch->launching.needs.count) {
		launch->template_wait.done = on_template;
		launch->template_wait.self = flight;
		if (!plm_ec2_templates_ensure(plm_ec2_effect_templates(flight->effect),
					      &needs[launch->need], &launch->template_wait)) {
			return;
		}
		launch->need++;
	}
	send_it(flight);
}

/* ---- a try --------------------------------------------------------------------------------------- */

static void settle(struct plm_ec2_flight *flight)
{
	struct plm_ec2_launch_try *launch = &flight->launch;
	int64_t left_ms = launch->settled_ms - plm_ec2_effect_boot_ms(flight->effect);

	if (!launch->refused) {
		make_templates(flight);
	} else if (left_ms <= 0) {
		plm_ec2_flight_final(flight, &launch->refusal, "");
	} else {
		plm_ec2_flight_later(
			flight, &(struct plm_ec2_later){.class = PLM_RESULT_UNKNOWN,
							.code = "InDoubt",
							.message = "refused, after a call whose "
								   "outcome is not known",
							.wait_ms = PLM_UNSET,
							.most_ms = left_ms});
	}
}

void plm_ec2_launch_looked(struct plm_ec2_flight *flight, const struct plm_aws_answer *answer)
{
	struct plm_w_result result;

	if (answer->class != PLM_AWS_DONE) {
		plm_ec2_flight_later(flight,
				     &(struct plm_ec2_later){.class = PLM_RESULT_UNKNOWN,
							     .code = answer->code,
							     .message = answer->message,
							     .wait_ms = answer->retry_after_ms});
	} else if (flight->launch.seen) {
		plm_ec2_launch_found(&flight->launch.found, flight->launch.found_image, &result);
		plm_ec2_flight_final(flight, &result, answer->request_id);
	} else {
		settle(flight);
	}
}

void plm_ec2_launch_go(struct plm_ec2_flight *flight)
{
	if (!flight->launch.built) {
		build(flight);
	}
	flight->launch.need = 0;
	if (flight->launch.doubt) {
		plm_ec2_settle_look(flight);
	} else if (flight->launch.refused) {
		plm_ec2_flight_final(flight, &flight->launch.refusal, "");
	} else {
		make_templates(flight);
	}
}

void plm_ec2_launch_cancel(struct plm_ec2_flight *flight)
{
	plm_ec2_templates_leave(&flight->launch.template_wait);
	if (flight->launch.look != NULL) {
		plm_aws_pages_cancel(flight->launch.look);
		flight->launch.look = NULL;
	}
}
