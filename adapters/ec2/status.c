#include "adapters/ec2/status.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/ec2/page.h"
#include "adapters/ec2/query.h"
#include "core/grow.h"
#include "core/limits.h"

#define FORM_ARENA ((size_t)64 * 1024)

typedef const struct plm_aws_node node;

/* An instance of ours with something wrong. */
struct wrong {
	char *id;	     /* owned */
	int64_t impaired_ms; /* as it was told; PLM_UNSET = it is not */
	int64_t event_ms;
	bool seen; /* impaired in this round */
};

struct plm_ec2_status {
	struct plm_ec2_context *context;
	uv_timer_t *timer;	     /* owned until its close */
	struct plm_aws_pages *pages; /* under way */
	unsigned read;		     /* which of 'reads' */
	int64_t due_ms;		     /* of the next round, on the boot clock */
	bool failed;		     /* one of this round did */
	bool started;
	struct wrong *wrongs; /* owned */
	uint32_t count, room;
	char why[128];
};

/* ---- one answer -------------------------------------------------------------------------------- */

/* Since when a check fails; the earliest of them. */
static int64_t impaired_since(node *group)
{
	node *list = plm_aws_get(group, "details");
	int64_t since_ms = PLM_UNSET;

	for (node *item = list == NULL ? NULL : list->child; item != NULL; item = item->next) {
		int64_t at_ms = plm_aws_time_ms(item, "impairedSince");

		if (!plm_slice_is(plm_aws_text(item, "status"), "failed")) {
			continue;
		}
		at_ms = at_ms == PLM_UNSET ? 0 : at_ms;
		since_ms = since_ms == PLM_UNSET ? at_ms : plm_min(since_ms, at_ms);
	}
	if (since_ms == PLM_UNSET && plm_slice_is(plm_aws_text(group, "status"), "impaired")) {
		since_ms = 0;
	}
	return since_ms;
}

static bool begins(struct plm_slice text, const char *with)
{
	size_t size = strlen(with);

	return text.size >= size && memcmp(text.ptr, with, size) == 0;
}

/* Events that are over stay in the list for a week, and say so in their description. */
static int64_t planned(node *list)
{
	int64_t first_ms = PLM_UNSET;

	for (node *item = list == NULL ? NULL : list->child; item != NULL; item = item->next) {
		struct plm_slice said = plm_aws_text(item, "description");
		int64_t at_ms = plm_aws_time_ms(item, "notBefore");

		if (plm_aws_text(item, "code").size == 0 || begins(said, "[Completed]") ||
		    begins(said, "[Canceled]")) {
			continue;
		}
		at_ms = at_ms == PLM_UNSET ? 0 : at_ms;
		first_ms = first_ms == PLM_UNSET ? at_ms : plm_min(first_ms, at_ms);
	}
	return first_ms;
}

bool plm_ec2_status_read(const struct plm_aws_node *item, struct plm_ec2_status_row *out)
{
	int64_t own_ms = impaired_since(plm_aws_get(item, "instanceStatus"));
	int64_t system_ms = impaired_since(plm_aws_get(item, "systemStatus"));

	*out = (struct plm_ec2_status_row){
		.id = plm_aws_text(item, "instanceId"),
		.impaired_ms = own_ms == PLM_UNSET ? system_ms : own_ms,
		.event_ms = planned(plm_aws_get(item, "eventsSet")),
	};
	if (own_ms != PLM_UNSET && system_ms != PLM_UNSET) {
		out->impaired_ms = plm_min(own_ms, system_ms);
	}
	return out->id.size > 0;
}

/* ---- what is new ------------------------------------------------------------------------------- */

static void tell(struct plm_ec2_status *status, const char *provider_id, enum plm_interrupt kind,
		 int64_t at_ms)
{
	struct plm_w_interruption fact = {
		.provider_id = plm_slice_str(provider_id), .kind = kind, .at_ms = at_ms};

	plm_ec2_tell(status->context, PLM_EV_INTERRUPTION, &fact, 0, "");
}

static struct wrong *find(struct plm_ec2_status *status, struct plm_slice id)
{
	for (uint32_t i = 0; i < status->count; i++) {
		if (plm_slice_is(id, status->wrongs[i].id)) {
			return &status->wrongs[i];
		}
	}
	return NULL;
}

static struct wrong *put(struct plm_ec2_status *status, struct plm_slice id)
{
	struct wrong *wrong = find(status, id);

	if (wrong == NULL) {
		status->wrongs = plm_grown(status->wrongs, &status->room, status->count + 1,
					   sizeof(*status->wrongs));
		wrong = &status->wrongs[status->count++];
		*wrong = (struct wrong){.id = strndup((const char *)id.ptr, id.size),
					.impaired_ms = PLM_UNSET,
					.event_ms = PLM_UNSET};
		PLM_ASSERT(wrong->id != NULL);
	}
	return wrong;
}

static void see(struct plm_ec2_status *status, const struct plm_ec2_status_row *row)
{
	const struct plm_ec2_known_row *known =
		plm_ec2_known_find(&status->context->known, row->id);
	struct wrong *wrong = NULL;

	if (known == NULL || (row->impaired_ms == PLM_UNSET && row->event_ms == PLM_UNSET)) {
		return;
	}
	wrong = put(status, row->id);
	if (row->impaired_ms != PLM_UNSET) {
		int64_t since_ms = row->impaired_ms;

		if (since_ms == 0) { /* it does not say: since it was seen first */
			since_ms = wrong->impaired_ms != PLM_UNSET
					   ? wrong->impaired_ms
					   : plm_ec2_now_ms(status->context);
		}
		wrong->seen = true;
		if (wrong->impaired_ms != since_ms) {
			wrong->impaired_ms = since_ms;
			tell(status, known->provider_id, PLM_INTERRUPT_IMPAIRED, since_ms);
		}
	}
	if (row->event_ms != PLM_UNSET && wrong->event_ms != row->event_ms) {
		wrong->event_ms = row->event_ms;
		tell(status, known->provider_id, PLM_INTERRUPT_SCHEDULED,
		     row->event_ms == 0 ? PLM_UNSET : row->event_ms);
	}
}

static void drop(struct plm_ec2_status *status, uint32_t at)
{
	free(status->wrongs[at].id);
	status->wrongs[at] = status->wrongs[--status->count];
}

/* The round is whole: who was impaired and was not seen is not any more. */
static void tell_over(struct plm_ec2_status *status)
{
	for (uint32_t i = 0; i < status->count;) {
		struct wrong *wrong = &status->wrongs[i];
		const struct plm_ec2_known_row *known =
			plm_ec2_known_find(&status->context->known, plm_slice_str(wrong->id));
		bool over = wrong->impaired_ms != PLM_UNSET && !wrong->seen;

		wrong->seen = false;
		if (known == NULL) {
			drop(status, i);
			continue;
		}
		if (over) {
			wrong->impaired_ms = PLM_UNSET;
			tell(status, known->provider_id, PLM_INTERRUPT_IMPAIRED, 0);
		}
		if (wrong->impaired_ms == PLM_UNSET && wrong->event_ms == PLM_UNSET) {
			drop(status, i);
			continue;
		}
		i++;
	}
}

/* ---- rounds ------------------------------------------------------------------------------------ */

static const struct {
	const char *filter;
	const char *values[6];
} reads[] = {
	{"instance-status.status", {"impaired"}},
	{"system-status.status", {"impaired"}},
	{"event.code",
	 {"instance-reboot", "system-reboot", "system-maintenance", "instance-retirement",
	  "instance-stop"}},
};

static void begin_read(struct plm_ec2_status *status);

static int64_t boot_ms(const struct plm_ec2_status *status)
{
	return status->context->clock.boot_ms(status->context->clock.self);
}

static void on_timer(uv_timer_t *timer);

static void step(struct plm_ec2_status *status)
{
	int64_t wait_ms = plm_max(0, status->due_ms - boot_ms(status));

	if (!status->started || status->pages != NULL) {
		return;
	}
	if (wait_ms > 0) {
		(void)uv_timer_start(status->timer, on_timer, (uint64_t)wait_ms, 0);
		return;
	}
	status->read = 0;
	status->failed = false;
	begin_read(status);
}

static void on_timer(uv_timer_t *timer)
{
	step(timer->data);
}

static void rest(struct plm_ec2_status *status)
{
	status->due_ms = boot_ms(status) + PLM_LIMIT_EC2_STATUS_MS;
	step(status);
}

static bool on_page(void *self, const struct plm_aws_node *root)
{
	struct plm_ec2_status *status = self;
	node *list = plm_aws_get(root, "instanceStatusSet");

	for (node *item = list == NULL ? NULL : list->child; item != NULL; item = item->next) {
		struct plm_ec2_status_row row;

		if (plm_ec2_status_read(item, &row)) {
			see(status, &row);
		}
	}
	return plm_ec2_told(status->context);
}

static void on_end(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_status *status = self;

	status->pages = NULL;
	if (answer->class != PLM_AWS_DONE) {
		status->failed = true;
		if (status->why[0] == '\0' && status->context->options.note != NULL) {
			char text[256];

			(void)snprintf(text, sizeof(text),
				       "status of instances cannot be read: %s %s", answer->code,
				       answer->message);
			status->context->options.note(status->context->options.self, text);
		}
		(void)snprintf(status->why, sizeof(status->why), "DescribeInstanceStatus: %s",
			       answer->code);
	}
	if (++status->read < PLM_COUNTOF(reads)) {
		begin_read(status);
		return;
	}
	if (!status->failed) {
		status->why[0] = '\0';
		tell_over(status);
	}
	rest(status);
}

static void begin_read(struct plm_ec2_status *status)
{
	struct plm_aws_paging paging = {.call = PLM_AWS_CALL_DESCRIBE_INSTANCE_STATUS,
					.on_page = on_page,
					.on_end = on_end,
					.self = status};
	struct plm_slice values[PLM_COUNTOF(reads[0].values)];
	struct plm_arena arena;
	struct plm_query query;
	struct plm_error err;
	size_t count = 0;

	PLM_ASSERT(plm_arena_init(&arena, FORM_ARENA, &err) == PLM_OK);
	plm_query_init(&query, &arena);
	while (count < PLM_COUNTOF(values) && reads[status->read].values[count] != NULL) {
		values[count] = plm_slice_str(reads[status->read].values[count]);
		count++;
	}
	plm_query_filter(&query, reads[status->read].filter, (struct plm_vec){values, count});
	plm_query_number(&query, 1000, "MaxResults");
	paging.body = plm_query_form(&query);
	status->pages = plm_aws_pages_start(status->context->client, &paging);
	plm_arena_fini(&arena);
}

/* ---- life -------------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

enum plm_code plm_ec2_status_new(struct plm_ec2_context *context, struct plm_ec2_status **out,
				 struct plm_error *err)
{
	struct plm_ec2_status *status = calloc(1, sizeof(*status));

	(void)err;
	PLM_ASSERT(status != NULL);
	status->context = context;
	status->timer = calloc(1, sizeof(*status->timer));
	PLM_ASSERT(status->timer != NULL);
	PLM_ASSERT(uv_timer_init(context->options.loop, status->timer) == 0);
	status->timer->data = status;
	*out = status;
	return PLM_OK;
}

void plm_ec2_status_start(struct plm_ec2_status *status)
{
	status->started = true;
	rest(status); /* the first list of instances takes its time */
}

void plm_ec2_status_resume(struct plm_ec2_status *status)
{
	if (status->pages != NULL && plm_ec2_told(status->context)) {
		plm_aws_pages_go(status->pages);
	}
	step(status);
}

void plm_ec2_status_free(struct plm_ec2_status *status)
{
	if (status == NULL) {
		return;
	}
	if (status->pages != NULL) {
		plm_aws_pages_cancel(status->pages);
	}
	for (uint32_t i = 0; i < status->count; i++) {
		free(status->wrongs[i].id);
	}
	uv_close((uv_handle_t *)status->timer, on_closed);
	free(status->wrongs);
	free(status);
}

size_t plm_ec2_status_ready(const struct plm_ec2_status *status, struct plm_ready_check *out,
			    size_t max)
{
	if (!status->started || max == 0) {
		return 0;
	}
	*out = (struct plm_ready_check){.name = "instance-status", .ok = status->why[0] == '\0'};
	(void)snprintf(out->why, sizeof(out->why), "%s", status->why);
	return 1;
}
