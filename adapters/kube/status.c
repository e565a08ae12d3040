/*
 * What an answer says became of a call: by its status, and where that is not enough by the Status object in
 * its body (apimachinery's reasons and causes).
 */
#include "adapters/kube/client_private.h"

#include <cjson/cJSON.h>
#include <stdio.h>

static const char *text(const cJSON *map, const char *key)
{
	const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(map, key));

	return value == NULL ? "" : value;
}

/* Does a cause of the Status have this reason? */
static bool caused_by(const cJSON *details, const char *reason)
{
	const cJSON *cause = NULL;

	cJSON_ArrayForEach(cause, cJSON_GetObjectItemCaseSensitive(details, "causes"))
	{
		if (strcmp(text(cause, "reason"), reason) == 0) {
			return true;
		}
	}
	return false;
}

/*
 * 409 of apply: the cause says whose field it is. A conflict that has no cause is a resourceVersion, or a UID
 * of a delete's preconditions.
 */
static enum plm_kube_fate judge_409(const cJSON *root, const cJSON *details)
{
	if (strcmp(text(root, "reason"), "AlreadyExists") == 0) {
		return PLM_KUBE_EXISTS;
	}
	return caused_by(details, "FieldManagerConflict") ? PLM_KUBE_OWNED : PLM_KUBE_CONFLICT;
}

/*
 * What the server says of a JSON patch that does not apply has neither a name nor a cause: a test failed, or
 * a path is not there, so that the object is not as it was read. What is invalid has both.
 */
static enum plm_kube_fate judge_422(const struct plm_kube_reply *reply, const cJSON *details)
{
	bool named = text(details, "name")[0] != '\0' ||
		     cJSON_GetObjectItemCaseSensitive(details, "causes") != NULL;

	return reply->json_patch && !named ? PLM_KUBE_CONFLICT : PLM_KUBE_INVALID;
}

static enum plm_kube_fate judge(const struct plm_kube_reply *reply, const cJSON *root)
{
	const cJSON *details = cJSON_GetObjectItemCaseSensitive(root, "details");

	switch (reply->status) {
	case 401:
	case 403:
		return PLM_KUBE_DENIED;
	case 404:
		/* Of an object there is a Status with its name; else it is the path that is not there. */
		return text(details, "name")[0] != '\0' ? PLM_KUBE_NOT_FOUND : PLM_KUBE_NO_RESOURCE;
	case 409:
		return judge_409(root, details);
	case 410:
		return PLM_KUBE_GONE;
	case 422:
		return judge_422(reply, details);
	case 429:
		return reply->eviction && caused_by(details, "DisruptionBudget")
			       ? PLM_KUBE_BUDGET
			       : PLM_KUBE_THROTTLED;
	case 500:
		/* More than one budget has the pod: so it will stay until somebody changes them. */
		return reply->eviction && strstr(text(root, "message"),
						 "more than one PodDisruptionBudget") != NULL
			       ? PLM_KUBE_BUDGET
			       : PLM_KUBE_UNKNOWN;
	default:
		break;
	}
	if (reply->status >= 200 && reply->status < 300) {
		return PLM_KUBE_DONE;
	}
	return reply->status >= 400 && reply->status < 500 && reply->status != 408
		       ? PLM_KUBE_INVALID
		       : PLM_KUBE_UNKNOWN;
}

/* One line of what the server said, for people. */
static void message(const struct plm_kube_reply *reply, const cJSON *root, char *out, size_t size)
{
	const char *said = text(root, "message");

	if (said[0] == '\0') {
		(void)snprintf(out, size, "HTTP %u", reply->status);
		return;
	}
	(void)snprintf(out, size, "%s", said);
	for (char *at = out; *at != '\0'; at++) {
		if (*at == '\n' || *at == '\r' || *at == '\t') {
			*at = ' ';
		}
	}
}

void plm_kube_judge(const struct plm_kube_reply *reply, struct plm_kube_judged *out)
{
	cJSON *root = NULL;

	*out = (struct plm_kube_judged){.fate = PLM_KUBE_DONE};
	if (reply->status >= 200 && reply->status < 300) {
		return;
	}
	root = cJSON_ParseWithLength((const char *)reply->body.ptr, reply->body.size);
	out->fate = judge(reply, root);
	(void)snprintf(out->reason, sizeof(out->reason), "%s", text(root, "reason"));
	message(reply, root, out->message, sizeof(out->message));
	cJSON_Delete(root);
}
