/* What is read of an answer's headers. */
#include <strings.h>

#include "adapters/http/inner.h"
#include "core/event.h"
#include "core/limits.h"

static bool is_space(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* The value of header 'name' in 'line'; false: the line is another header. */
static bool value_of(struct plm_slice line, const char *name, struct plm_slice *out)
{
	size_t size = strlen(name);

	if (line.size <= size || strncasecmp((const char *)line.ptr, name, size) != 0 ||
	    line.ptr[size] != ':') {
		return false;
	}
	line = plm_slice_of(line.ptr + size + 1, line.size - size - 1);
	while (line.size > 0 && is_space(line.ptr[0])) {
		line = plm_slice_of(line.ptr + 1, line.size - 1);
	}
	while (line.size > 0 && is_space(line.ptr[line.size - 1])) {
		line.size--;
	}
	*out = line;
	return true;
}

/* Into 64 bytes; what does not fit, or is not printable, is cut off. */
static void keep(char *to, struct plm_slice value)
{
	size_t size = 0;

	while (size < value.size && size < 63 && value.ptr[size] >= 0x20 &&
	       value.ptr[size] < 0x7f) {
		to[size] = (char)value.ptr[size];
		size++;
	}
	to[size] = '\0';
}

static const char *const ids[] = {"Audit-Id", "x-amzn-RequestId", "X-Request-Id"};

static void take_id(struct plm_http_answer *answer, struct plm_slice line)
{
	struct plm_slice value;

	for (size_t i = 0; i < PLM_COUNTOF(ids); i++) {
		bool best = i + 1 < PLM_COUNTOF(ids);

		if (value_of(line, ids[i], &value) && (best || !answer->best_id)) {
			keep(answer->request_id, value);
			answer->best_id = best;
		}
	}
}

void plm_http_answer_line(struct plm_http_answer *answer, struct plm_slice line)
{
	struct plm_slice value;

	if (line.size > 5 && memcmp(line.ptr, "HTTP/", 5) == 0) {
		memset(answer, 0, sizeof(*answer)); /* what came before was an interim answer */
		return;
	}
	take_id(answer, line);
	if (value_of(line, "Retry-After", &value)) {
		keep(answer->retry_after, value);
	} else if (value_of(line, "Date", &value)) {
		keep(answer->date, value);
	} else if (value_of(line, "x-amzn-ErrorType", &value)) {
		keep(answer->error_type, value);
	}
}

/* Digits alone; false: it is something else. What is too large counts as the largest wait. */
static bool seconds(const char *text, int64_t *out_ms)
{
	int64_t sum = 0;

	for (const char *at = text; *at != '\0'; at++) {
		if (*at < '0' || *at > '9') {
			return false;
		}
		sum = sum * 10 + (*at - '0');
		sum = sum < PLM_LIMIT_RETRY_AFTER_MS ? sum : PLM_LIMIT_RETRY_AFTER_MS;
	}
	sum *= 1000;
	*out_ms = sum < PLM_LIMIT_RETRY_AFTER_MS ? sum : PLM_LIMIT_RETRY_AFTER_MS;
	return text[0] != '\0';
}

int64_t plm_http_answer_retry_ms(const struct plm_http_answer *answer, int64_t now_s)
{
	int64_t wait_ms = 0, then_s, sent_s;

	if (answer->retry_after[0] == '\0') {
		return PLM_UNSET;
	}
	if (seconds(answer->retry_after, &wait_ms)) {
		return wait_ms;
	}
	then_s = curl_getdate(answer->retry_after, NULL);
	if (then_s < 0) {
		return PLM_UNSET;
	}
	/* By the server's own clock where it tells it. */
	sent_s = answer->date[0] == '\0' ? -1 : curl_getdate(answer->date, NULL);
	wait_ms = (then_s - (sent_s < 0 ? now_s : sent_s)) * 1000;
	if (wait_ms < 0) {
		return 0;
	}
	return wait_ms < PLM_LIMIT_RETRY_AFTER_MS ? wait_ms : PLM_LIMIT_RETRY_AFTER_MS;
}
