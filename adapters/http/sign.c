#include "adapters/http/sign.h"

#include "adapters/http/inner.h"
#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* ---- path and query ---- */

static bool is_unreserved(char byte)
{
	return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
	       (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("-_.~", byte) != NULL);
}

/* No "//", and no segment that is "." or "..". */
static bool is_plain_path(struct plm_slice path)
{
	size_t segment = 0; /* where it begins */

	for (size_t i = 0; i <= path.size; i++) {
		size_t size = i - segment;

		if (i < path.size && path.ptr[i] != '/') {
			if (!is_unreserved((char)path.ptr[i])) {
				return false;
			}
			continue;
		}
		if (i > 0 && (i < path.size || size > 0)) {
			const uint8_t *text = path.ptr + segment;

			if (size == 0 || (size == 1 && text[0] == '.') ||
			    (size == 2 && text[0] == '.' && text[1] == '.')) {
				return false;
			}
		}
		segment = i + 1;
	}
	return true;
}

static bool is_hex(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'F');
}

/* Of a key or a value: how many bytes from 'text' are escaped as they must be. */
static size_t escaped_size(const char *text)
{
	size_t size = 0;

	for (;;) {
		if (is_unreserved(text[size])) {
			size++;
		} else if (text[size] == '%' && is_hex(text[size + 1]) && is_hex(text[size + 2])) {
			size += 3;
		} else {
			return size;
		}
	}
}

struct pair {
	struct plm_slice key, value;
};

static bool read_pair(const char **at, struct pair *out)
{
	size_t size = escaped_size(*at);

	out->key = plm_slice_of(*at, size);
	if (size == 0 || (*at)[size] != '=') {
		return false;
	}
	*at += size + 1;
	size = escaped_size(*at);
	out->value = plm_slice_of(*at, size);
	*at += size;
	return true;
}

static int compare_pairs(const struct pair *a, const struct pair *b)
{
	int order = plm_slice_compare(a->key, b->key);

	return order != 0 ? order : plm_slice_compare(a->value, b->value);
}

static const char *query_fault(const char *query)
{
	struct pair before = {0}, pair = {0};

	for (bool first = true;; first = false) {
		if (!read_pair(&query, &pair) || (*query != '\0' && *query != '&')) {
			return "its query is not key=value with escapes in upper case";
		}
		if (!first && compare_pairs(&before, &pair) > 0) {
			return "its query is not sorted";
		}
		if (*query == '\0') {
			return NULL;
		}
		before = pair;
		query++;
	}
}

static const char *target_fault(const struct plm_http_request *request)
{
	const char *host = strstr(request->peer->url, "://");
	const char *prefix = host == NULL ? NULL : strchr(host + 3, '/');
	size_t size = strcspn(request->path, "?");

	if (prefix != NULL && !is_plain_path(plm_slice_str(prefix))) {
		return "the path of its server has bytes that are not signed right";
	}
	if (request->path[0] != '/' || !is_plain_path(plm_slice_of(request->path, size))) {
		return "its path has bytes that are not signed right";
	}
	return request->path[size] == '\0' ? NULL : query_fault(request->path + size + 1);
}

/* ---- headers ---- */

static bool begins(const char *line, const char *with)
{
	return strncasecmp(line, with, strlen(with)) == 0;
}

static bool is_allowed(const char *line)
{
	static const char *const own[] = {
		"X-Amz-Date:", "X-Amz-Security-Token:", "X-Amz-Content-Sha256:"};

	for (size_t i = 0; i < PLM_COUNTOF(own); i++) {
		if (begins(line, own[i])) {
			return false;
		}
	}
	return begins(line, "Content-Type:") || begins(line, "Accept:") || begins(line, "X-Amz");
}

static bool is_token(const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!is_unreserved(name[i])) {
			return false;
		}
	}
	return size > 0;
}

static bool has_value(const char *value)
{
	bool some = false;

	for (; *value != '\0'; value++) {
		if ((unsigned char)*value < 0x20 || (unsigned char)*value > 0x7e) {
			return false;
		}
		some = some || *value != ' ';
	}
	return some;
}

/* Curl sorts whole lines, colon included: a name that begins with another one comes before it, wrongly. */
static bool are_apart(const char *a, const char *b)
{
	size_t a_size = strcspn(a, ":"), b_size = strcspn(b, ":");

	return strncasecmp(a, b, a_size < b_size ? a_size : b_size) != 0;
}

static const char *headers_fault(const char *const *headers)
{
	static const char *const made[] = {"Host:", "X-Amz-Date:", "X-Amz-Security-Token:"};

	for (size_t i = 0; headers != NULL && headers[i] != NULL; i++) {
		size_t size = strcspn(headers[i], ":");

		if (headers[i][size] != ':' || !is_token(headers[i], size) ||
		    !has_value(headers[i] + size + 1)) {
			return "a header has no value, or bytes that are not signed right";
		}
		if (!is_allowed(headers[i])) {
			return "a header is not one that is signed right";
		}
		for (size_t j = 0; j < PLM_COUNTOF(made); j++) {
			if (!are_apart(headers[i], made[j])) {
				return "a header's name begins as another's does";
			}
		}
		for (size_t j = 0; j < i; j++) {
			if (!are_apart(headers[i], headers[j])) {
				return "a header's name begins as another's does";
			}
		}
	}
	return NULL;
}

/* ---- the rest ---- */

static const char *method_fault(const struct plm_http_request *request)
{
	static const char *const bare[] = {"GET", "HEAD", "DELETE"};
	static const char *const full[] = {"POST", "PUT", "PATCH"};

	for (size_t i = 0; i < PLM_COUNTOF(bare); i++) {
		if (strcmp(request->method, bare[i]) == 0) {
			return request->body.size == 0 ? NULL : "it is a read with a body";
		}
	}
	for (size_t i = 0; i < PLM_COUNTOF(full); i++) {
		if (strcmp(request->method, full[i]) != 0) {
			continue;
		}
		if (request->body.size > PLM_LIMIT_SIGNED_BODY_BYTES) {
			return "its body is larger than one that is signed"; /* Expect: unsigned */
		}
		for (size_t j = 0; request->headers != NULL && request->headers[j] != NULL; j++) {
			if (begins(request->headers[j], "Content-Type:")) {
				return NULL;
			}
		}
		return "it has no Content-Type";
	}
	return "its method is not one that is signed";
}

/* Part of a scope: curl cuts off what is longer. */
static bool is_part(const char *text)
{
	size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return size > 0 && size <= 64 && text[size] == '\0';
}

static const char *keys_fault(const struct plm_http_sign *sign)
{
	if (!is_part(sign->region)) {
		return "its region is not one of AWS";
	}
	if (!is_part(sign->service) || strcmp(sign->service, "s3") == 0) {
		return "its service is not one that is signed";
	}
	if (sign->key_id[0] == '\0' || sign->secret[0] == '\0' || !has_value(sign->key_id)) {
		return "its keys are none";
	}
	if (sign->token != NULL && sign->token[0] != '\0' &&
	    (!has_value(sign->token) || strlen(sign->token) > PLM_LIMIT_SIGNED_TOKEN_BYTES)) {
		return "its session token is none";
	}
	return NULL;
}

const char *plm_http_sign_fault(const struct plm_http_request *request)
{
	const char *fault = keys_fault(request->sign);

	if (fault == NULL) {
		fault = method_fault(request);
	}
	if (fault == NULL) {
		fault = target_fault(request);
	}
	return fault != NULL ? fault : headers_fault(request->headers);
}

/* ---- of a call ---- */

void plm_http_signature_take(struct plm_http_call *call, const struct plm_http_request *request)
{
	const struct plm_http_sign *sign = request->sign;

	PLM_ASSERT(asprintf(&call->scope, "aws:amz:%s:%s", sign->region, sign->service) > 0);
	call->key_id = plm_http_must(strdup(sign->key_id));
	call->secret = plm_http_must(strdup(sign->secret));
	if (sign->token != NULL && sign->token[0] != '\0') {
		char *line = NULL;

		PLM_ASSERT(asprintf(&line, "X-Amz-Security-Token: %s", sign->token) > 0);
		call->headers = plm_http_must(curl_slist_append(call->headers, line));
		plm_http_wipe(line);
	}
}

void plm_http_signature_set(CURL *easy, const struct plm_http_call *call)
{
	if (call->scope == NULL) {
		return;
	}
	PLM_ASSERT(curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, call->scope) == CURLE_OK);
	PLM_ASSERT(curl_easy_setopt(easy, CURLOPT_USERNAME, call->key_id) == CURLE_OK);
	PLM_ASSERT(curl_easy_setopt(easy, CURLOPT_PASSWORD, call->secret) == CURLE_OK);
}

void plm_http_signature_free(struct plm_http_call *call)
{
	free(call->scope);
	plm_http_wipe(call->key_id);
	plm_http_wipe(call->secret);
}
