#include "adapters/kube/lease_record.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/limits.h"
#include "core/timefmt.h"

#define HEAD "plimsoll.dev/head"
#define TIME_SIZE 64

/* ---- the head ---- */

const char *plm_lease_head_text(const struct plm_lease_head *head, char text[PLM_LEASE_HEAD_SIZE])
{
	(void)snprintf(text, PLM_LEASE_HEAD_SIZE, "%" PRIu64 ":%.16s:%" PRIu64, head->seq,
		       head->root, head->epoch);
	return text;
}

/* Digits up to 'end' or the end of 'text'; false: none, or too large. */
static bool number(struct plm_slice *text, uint8_t end, uint64_t *out)
{
	uint64_t sum = 0;
	size_t at = 0;

	while (at < text->size && text->ptr[at] != end) {
		uint8_t digit = (uint8_t)(text->ptr[at] - '0');

		if (digit > 9 || __builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum)) {
			return false;
		}
		at++;
	}
	if (at == 0) {
		return false;
	}
	*out = sum;
	at += at < text->size ? 1 : 0;
	*text = plm_slice_of(text->ptr + at, text->size - at);
	return true;
}

static bool hex(struct plm_slice *text, char root[PLM_LEASE_ROOT_SIZE])
{
	size_t at = 0;

	while (at < text->size && text->ptr[at] != ':') {
		uint8_t byte = text->ptr[at];
		bool digit = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');

		if (!digit || at + 1 >= PLM_LEASE_ROOT_SIZE) {
			return false;
		}
		root[at++] = (char)byte;
	}
	if (at == 0 || at == text->size) {
		return false;
	}
	*text = plm_slice_of(text->ptr + at + 1, text->size - at - 1);
	return true;
}

bool plm_lease_head_read(struct plm_slice text, struct plm_lease_head *out)
{
	struct plm_lease_head head = {0};

	if (!number(&text, ':', &head.seq) || !hex(&text, head.root) ||
	    !number(&text, '\0', &head.epoch) || text.size > 0) {
		return false;
	}
	*out = head;
	return true;
}

/* ---- reading ---- */

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *text_of(const cJSON *object, const char *name)
{
	const cJSON *item = member(object, name);

	return cJSON_IsString(item) ? item->valuestring : "";
}

/* A whole number from 0 to a milliard; anything else counts as 'otherwise'. */
static int64_t whole(const cJSON *object, const char *name, int64_t otherwise)
{
	const cJSON *item = member(object, name);

	if (!cJSON_IsNumber(item) || item->valueint < 0 || item->valueint > 1000000000) {
		return otherwise;
	}
	return item->valueint;
}

static void keep(char *to, size_t size, const char *text)
{
	(void)snprintf(to, size, "%.*s", (int)size - 1, text);
}

enum plm_code plm_lease_record_read(struct plm_slice body, struct plm_lease_record *out,
				    struct plm_error *err)
{
	cJSON *object = cJSON_ParseWithLength((const char *)body.ptr, body.size);
	const cJSON *metadata = member(object, "metadata"), *spec = member(object, "spec");
	struct plm_lease_record record = {.object = object};
	const char *head;

	if (!cJSON_IsObject(metadata) || text_of(metadata, "resourceVersion")[0] == '\0' ||
	    (spec != NULL && !cJSON_IsObject(spec))) {
		cJSON_Delete(object);
		return plm_fail(err, PLM_E_INPUT, "the API server's answer is not a Lease");
	}
	keep(record.version, sizeof(record.version), text_of(metadata, "resourceVersion"));
	keep(record.holder, sizeof(record.holder), text_of(spec, "holderIdentity"));
	keep(record.acquired, sizeof(record.acquired), text_of(spec, "acquireTime"));
	keep(record.renewed, sizeof(record.renewed), text_of(spec, "renewTime"));
	record.duration_ms = 1000 * whole(spec, "leaseDurationSeconds", PLM_LIMIT_LEASE_MS / 1000);
	record.transitions = whole(spec, "leaseTransitions", 0);
	head = text_of(member(metadata, "annotations"), HEAD);
	record.witnessed = plm_lease_head_read(plm_slice_str(head), &record.head);
	record.garbled = !record.witnessed && head[0] != '\0';
	plm_lease_record_fini(out);
	*out = record;
	return PLM_OK;
}

void plm_lease_record_fini(struct plm_lease_record *record)
{
	cJSON_Delete(record->object);
	memset(record, 0, sizeof(*record));
}

bool plm_lease_record_same(const struct plm_lease_record *one, const struct plm_lease_record *two)
{
	return strcmp(one->holder, two->holder) == 0 && strcmp(one->acquired, two->acquired) == 0 &&
	       strcmp(one->renewed, two->renewed) == 0 && one->duration_ms == two->duration_ms &&
	       one->transitions == two->transitions;
}

/* ---- writing ---- */

static cJSON *must(cJSON *item)
{
	PLM_ASSERT(item != NULL);
	return item;
}

/* MicroTime has six digits, no more and no fewer. */
static const char *micro_time(int64_t wall_ns, char text[TIME_SIZE])
{
	char second[PLM_TIME_SIZE];
	size_t size;

	(void)plm_time_format(wall_ns / 1000000000 * 1000, second);
	size = strlen(second);
	PLM_ASSERT(size > 1 && second[size - 1] == 'Z');
	(void)snprintf(text, TIME_SIZE, "%.*s.%06dZ", (int)size - 1, second,
		       (int)(wall_ns % 1000000000 / 1000));
	return text;
}

static void put(cJSON *object, const char *name, cJSON *value)
{
	PLM_ASSERT(value != NULL);
	cJSON_DeleteItemFromObjectCaseSensitive(object, name);
	PLM_ASSERT(cJSON_AddItemToObject(object, name, value));
}

static void put_text(cJSON *object, const char *name, const char *text)
{
	put(object, name, cJSON_CreateString(text));
}

static void put_number(cJSON *object, const char *name, int64_t value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRId64, value);
	put(object, name, cJSON_CreateRaw(text));
}

static cJSON *part(cJSON *object, const char *name)
{
	cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return item != NULL ? item : must(cJSON_AddObjectToObject(object, name));
}

static cJSON *start(const struct plm_lease_record *record, const struct plm_lease_write *write)
{
	cJSON *object, *metadata;

	if (record->object != NULL) {
		return must(cJSON_Duplicate(record->object, true));
	}
	object = must(cJSON_CreateObject());
	put_text(object, "apiVersion", "coordination.k8s.io/v1");
	put_text(object, "kind", "Lease");
	metadata = part(object, "metadata");
	put_text(metadata, "namespace", write->ns);
	put_text(metadata, "name", write->name);
	return object;
}

char *plm_lease_body(const struct plm_lease_record *record, const struct plm_lease_write *write)
{
	char head[PLM_LEASE_HEAD_SIZE], now[TIME_SIZE], *body;
	bool free_again = write->holder[0] == '\0';
	bool passed = record->object != NULL && strcmp(record->holder, write->holder) != 0;
	cJSON *object = start(record, write), *spec = part(object, "spec");

	(void)micro_time(write->wall_ns, now);
	put_text(part(part(object, "metadata"), "annotations"), HEAD,
		 plm_lease_head_text(&write->head, head));
	put_text(spec, "holderIdentity", write->holder);
	put_number(spec, "leaseDurationSeconds", free_again ? 1 : PLM_LIMIT_LEASE_MS / 1000);
	put_text(spec, "renewTime", now);
	if (write->taken) {
		put_text(spec, "acquireTime", now);
		put_number(spec, "leaseTransitions", record->transitions + (passed ? 1 : 0));
	}
	body = cJSON_PrintUnformatted(object);
	cJSON_Delete(object);
	PLM_ASSERT(body != NULL);
	return body;
}

void plm_lease_body_free(char *body)
{
	cJSON_free(body);
}

/* ---- looking at one ---- */

enum plm_code plm_lease_watch_read(struct plm_lease_watch *watch, struct plm_slice body,
				   int64_t now_ms, struct plm_error *err)
{
	struct plm_lease_record record = {0};
	enum plm_code code = plm_lease_record_read(body, &record, err);

	if (code != PLM_OK) {
		return code;
	}
	if (!watch->seen || !plm_lease_record_same(&watch->record, &record)) {
		watch->changed_ms = now_ms;
	}
	watch->seen = true;
	plm_lease_record_fini(&watch->record);
	watch->record = record;
	return PLM_OK;
}

int64_t plm_lease_watch_end(const struct plm_lease_watch *watch)
{
	return watch->changed_ms + watch->record.duration_ms;
}
