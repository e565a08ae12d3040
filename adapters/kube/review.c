#include "adapters/kube/review.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

struct review {
	struct plm_kube_client *client; /* borrowed */
	struct plm_kube_review_request request;
};

static void end(struct review *review, enum plm_kube_verdict verdict)
{
	review->request.done(review->request.self, verdict);
	free(review);
}

/* Send 'body', which is given up; false: there was no memory for it. */
static bool send_review(struct review *review, enum plm_kube_resource_id resource, cJSON *body,
			void (*on_done)(void *self, const struct plm_kube_answer *answer))
{
	char *text = body == NULL ? NULL : cJSON_PrintUnformatted(body);
	const struct plm_kube_request request = {
		.resource = resource,
		.subresource = "",
		.verb = PLM_KUBE_CREATE,
		.body = plm_slice_str(text),
		.on_done = on_done,
		.self = review,
	};

	cJSON_Delete(body);
	if (text == NULL) {
		return false;
	}
	(void)plm_kube_send(review->client, &request);
	explicit_bzero(text, strlen(text)); /* it may hold a token */
	cJSON_free(text);
	return true;
}

static cJSON *new_review(const char *version, const char *kind, cJSON **out_spec)
{
	cJSON *body = cJSON_CreateObject();

	(void)cJSON_AddStringToObject(body, "apiVersion", version);
	(void)cJSON_AddStringToObject(body, "kind", kind);
	*out_spec = cJSON_AddObjectToObject(body, "spec");
	return body;
}

static const cJSON *status_of(const cJSON *answer)
{
	return cJSON_GetObjectItemCaseSensitive(answer, "status");
}

static bool says_true(const cJSON *map, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(map, key)) != 0;
}

static void on_access(void *self, const struct plm_kube_answer *answer)
{
	struct review *review = self;
	cJSON *body = NULL;
	bool allowed = false;

	if (answer->fate != PLM_KUBE_DONE) {
		end(review, PLM_KUBE_NOT_REVIEWED);
		return;
	}
	body = cJSON_ParseWithLength((const char *)answer->body.ptr, answer->body.size);
	allowed = says_true(status_of(body), "allowed");
	cJSON_Delete(body);
	end(review, allowed ? PLM_KUBE_MAY : PLM_KUBE_MAY_NOT);
}

/* What a TokenReview calls username, a SubjectAccessReview calls user; the rest has one name. */
static void copy_user(cJSON *spec, const cJSON *user)
{
	static const char *const names[][2] = {
		{"username", "user"}, {"uid", "uid"}, {"groups", "groups"}, {"extra", "extra"}};

	for (size_t i = 0; i < PLM_COUNTOF(names); i++) {
		const cJSON *from = cJSON_GetObjectItemCaseSensitive(user, names[i][0]);

		if (from != NULL) {
			(void)cJSON_AddItemToObject(spec, names[i][1], cJSON_Duplicate(from, 1));
		}
	}
}

static bool ask_access(struct review *review, const cJSON *user)
{
	const struct plm_kube_review_request *request = &review->request;
	cJSON *spec = NULL;
	cJSON *body = new_review("authorization.k8s.io/v1", "SubjectAccessReview", &spec);
	cJSON *what = cJSON_AddObjectToObject(spec, "resourceAttributes");

	(void)cJSON_AddStringToObject(what, "group", request->group);
	(void)cJSON_AddStringToObject(what, "resource", request->resource);
	(void)cJSON_AddStringToObject(what, "verb", request->verb);
	copy_user(spec, user);
	return send_review(review, PLM_KUBE_RES_SUBJECT_ACCESS_REVIEWS, body, on_access);
}

static void on_token(void *self, const struct plm_kube_answer *answer)
{
	struct review *review = self;
	cJSON *body = NULL;
	const cJSON *status = NULL;
	bool known = false;
	bool asked = false;

	if (answer->fate != PLM_KUBE_DONE) {
		end(review, PLM_KUBE_NOT_REVIEWED);
		return;
	}
	body = cJSON_ParseWithLength((const char *)answer->body.ptr, answer->body.size);
	status = status_of(body);
	known = says_true(status, "authenticated");
	asked = known && ask_access(review, cJSON_GetObjectItemCaseSensitive(status, "user"));
	cJSON_Delete(body);
	if (!asked) {
		end(review, known ? PLM_KUBE_NOT_REVIEWED : PLM_KUBE_STRANGER);
	}
}

void plm_kube_review(struct plm_kube_client *client, const struct plm_kube_review_request *request)
{
	struct review *review = calloc(1, sizeof(*review));
	char *token = strndup((const char *)request->token.ptr, request->token.size);
	cJSON *spec = NULL;
	cJSON *body = new_review("authentication.k8s.io/v1", "TokenReview", &spec);

	PLM_ASSERT(review != NULL && token != NULL);
	*review = (struct review){client, *request};
	review->request.token = (struct plm_slice){0};
	(void)cJSON_AddStringToObject(spec, "token", token);
	explicit_bzero(token, request->token.size);
	free(token);
	if (!send_review(review, PLM_KUBE_RES_TOKEN_REVIEWS, body, on_token)) {
		request->done(request->self, PLM_KUBE_NOT_REVIEWED);
		free(review);
	}
}
