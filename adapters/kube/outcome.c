#include "adapters/kube/outcome.h"

static void end(struct plm_outcome *out, enum plm_result_class class, const char *code)
{
	out->next = PLM_OUTCOME_END;
	out->class = class;
	if (code != NULL) {
		out->code = plm_slice_str(code);
	}
}

static void wait_for(struct plm_outcome *out, enum plm_result_class class, const char *code)
{
	out->next = PLM_OUTCOME_WAIT;
	out->class = class;
	if (out->code.size == 0) {
		out->code = plm_slice_str(code);
	}
}

static bool contains(struct plm_slice text, const char *part)
{
	size_t size = strlen(part);

	for (size_t i = 0; i + size <= text.size; i++) {
		if (memcmp(text.ptr + i, part, size) == 0) {
			return true;
		}
	}
	return false;
}

/* Not carried out, and never will be as things are: 500 is how the eviction API says it. */
static bool several_budgets(enum plm_call call, const struct plm_kube_answer *answer)
{
	return call == PLM_CALL_POD_EVICT && answer->status == 500 &&
	       contains(answer->message, "more than one PodDisruptionBudget");
}

/* The object is not there, or another has its name. */
static void gone(const struct plm_step *step, struct plm_outcome *out, bool is_done)
{
	if (step->kind == PLM_STEP_READ) {
		out->next = PLM_OUTCOME_ABSENT;
	} else if (is_done) {
		end(out, PLM_RESULT_ALREADY_DONE, "NotFound");
	} else if (step->verb == PLM_KUBE_CREATE) {
		end(out, PLM_RESULT_FAILED, NULL); /* its namespace, or its kind */
	} else {
		end(out, PLM_RESULT_CONFLICT, "NotFound");
	}
}

static void changed(struct plm_outcome *out)
{
	out->next = PLM_OUTCOME_AGAIN;
	out->class = PLM_RESULT_CONFLICT;
	out->code = plm_slice_str("Conflict");
}

static void lost(enum plm_call call, const struct plm_step *step,
		 const struct plm_kube_answer *answer, struct plm_outcome *out)
{
	if (several_budgets(call, answer)) {
		end(out, PLM_RESULT_FAILED, "InternalError");
	} else if (step->kind == PLM_STEP_READ) {
		wait_for(out, PLM_RESULT_RETRYABLE, "Unavailable"); /* a read changes nothing */
	} else {
		wait_for(out, PLM_RESULT_UNKNOWN, "Timeout");
	}
}

static void denied(const struct plm_kube_answer *answer, struct plm_outcome *out)
{
	if (answer->status == 401) {
		wait_for(out, PLM_RESULT_RETRYABLE, "Unauthorized");
	} else {
		end(out, PLM_RESULT_FAILED, out->code.size == 0 ? "Forbidden" : NULL);
	}
}

/* The area may be enforced again; a call that the table does not have never goes. */
static void forbidden(const struct plm_step *step, struct plm_outcome *out)
{
	if (plm_kube_call_find(step->resource, step->subresource, step->verb) == NULL) {
		end(out, PLM_RESULT_FAILED, "NoSuchCall");
	} else {
		wait_for(out, PLM_RESULT_RETRYABLE, "NotEnforced");
	}
}

void plm_outcome(enum plm_call call, const struct plm_step *step,
		 const struct plm_kube_answer *answer, struct plm_outcome *out)
{
	*out = (struct plm_outcome){.next = PLM_OUTCOME_GO_ON,
				    .code = answer->reason,
				    .message = answer->message,
				    .wait_ms = answer->retry_after_ms};
	switch (answer->fate) {
	case PLM_KUBE_DONE:
		return;
	case PLM_KUBE_NOT_FOUND:
	case PLM_KUBE_NO_RESOURCE:
		gone(step, out, step->gone_is_done);
		return;
	case PLM_KUBE_EXISTS:
		out->next = PLM_OUTCOME_TAKEN;
		return;
	case PLM_KUBE_CONFLICT:
		changed(out);
		return;
	case PLM_KUBE_OWNED:
		end(out, PLM_RESULT_CONFLICT, "FieldManagerConflict");
		return;
	case PLM_KUBE_BUDGET:
		end(out, PLM_RESULT_FAILED, "TooManyRequests");
		return;
	case PLM_KUBE_INVALID:
		end(out, PLM_RESULT_FAILED, out->code.size == 0 ? "Invalid" : NULL);
		return;
	case PLM_KUBE_DENIED:
		denied(answer, out);
		return;
	case PLM_KUBE_THROTTLED:
		wait_for(out, PLM_RESULT_RETRYABLE, "TooManyRequests");
		return;
	case PLM_KUBE_GONE:
		wait_for(out, PLM_RESULT_RETRYABLE, "Gone");
		return;
	case PLM_KUBE_FORBIDDEN_HERE:
		forbidden(step, out);
		return;
	case PLM_KUBE_UNSENT:
		wait_for(out, PLM_RESULT_RETRYABLE, "Unreachable");
		return;
	case PLM_KUBE_UNKNOWN:
		lost(call, step, answer, out);
		return;
	}
	PLM_UNREACHABLE();
}
