#include "adapters/ec2/template_sweep.h"

#include <stdlib.h>

#include "adapters/ec2/page.h"
#include "adapters/ec2/query.h"
#include "core/limits.h"

struct name {
	struct name *next;
	char text[PLM_EC2_TEMPLATE_NAME_SIZE];
};

struct plm_ec2_template_sweep {
	struct plm_ec2_context *context;
	struct plm_ec2_templates *templates;
	uv_timer_t *timer; /* owned until its close */
	struct plm_aws_pages *pages;
	struct plm_aws_sent *sent;
	struct name *old; /* to be deleted */
};

static void on_timer(uv_timer_t *timer);

static void rest(struct plm_ec2_template_sweep *sweep)
{
	(void)uv_timer_start(sweep->timer, on_timer, PLM_LIMIT_EC2_TEMPLATE_LOOK_MS, 0);
}

/* ---- deleting: one after the other, so that launches have the calls ------------------------------- */

static void drop(struct plm_ec2_template_sweep *sweep)
{
	struct name *name = sweep->old;

	sweep->old = name->next;
	free(name);
}

static void next(struct plm_ec2_template_sweep *sweep);

/* Gone already, or refused: the next day says which. */
static void on_deleted(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_template_sweep *sweep = self;

	sweep->sent = NULL;
	if (answer->class == PLM_AWS_DONE || answer->class == PLM_AWS_NOT_FOUND) {
		next(sweep);
		return;
	}
	while (sweep->old != NULL) {
		drop(sweep);
	}
	rest(sweep);
}

static void next(struct plm_ec2_template_sweep *sweep)
{
	struct plm_arena arena;
	struct plm_error err;
	struct plm_query query;
	enum plm_code code = PLM_OK;

	if (sweep->old == NULL) {
		rest(sweep);
		return;
	}
	code = plm_arena_init(&arena, PLM_LIMIT_EVENT_ARENA, &err);
	PLM_ASSERT(code == PLM_OK);
	plm_query_init(&query, &arena);
	plm_query_text(&query, "LaunchTemplateName", sweep->old->text);
	plm_ec2_templates_forget(sweep->templates, plm_slice_str(sweep->old->text));
	drop(sweep);
	sweep->sent = plm_aws_send(sweep->context->client,
				   &(struct plm_aws_request){
					   .call = PLM_AWS_CALL_DELETE_LAUNCH_TEMPLATE,
					   .body = plm_query_form(&query),
					   .on_done = on_deleted,
					   .self = sweep,
				   });
	plm_arena_fini(&arena);
}

/* ---- looking ------------------------------------------------------------------------------------- */

static bool is_ours(struct plm_slice name)
{
	const size_t size = sizeof(PLM_EC2_TEMPLATE_PREFIX) - 1;

	return name.size > size && name.size < PLM_EC2_TEMPLATE_NAME_SIZE &&
	       memcmp(name.ptr, PLM_EC2_TEMPLATE_PREFIX, size) == 0;
}

static bool on_page(void *self, const struct plm_aws_node *root)
{
	struct plm_ec2_template_sweep *sweep = self;
	const struct plm_aws_node *set = plm_aws_get(root, "launchTemplates");
	int64_t born_by_ms = plm_ec2_now_ms(sweep->context) - PLM_LIMIT_EC2_TEMPLATE_AGE_MS;

	for (const struct plm_aws_node *at = set == NULL ? NULL : set->child; at != NULL;
	     at = at->next) {
		struct plm_slice text = plm_aws_text(at, "launchTemplateName");
		int64_t born_ms = plm_aws_time_ms(at, "createTime");
		struct name *name = NULL;

		if (!is_ours(text) || born_ms == PLM_UNSET || born_ms > born_by_ms ||
		    plm_ec2_templates_used(sweep->templates, text)) {
			continue;
		}
		name = calloc(1, sizeof(*name));
		PLM_ASSERT(name != NULL);
		memcpy(name->text, text.ptr, text.size);
		name->next = sweep->old;
		sweep->old = name;
	}
	return true;
}

static void on_end(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_template_sweep *sweep = self;

	(void)answer; /* what was seen of them was seen */
	sweep->pages = NULL;
	next(sweep);
}

static void on_timer(uv_timer_t *timer)
{
	struct plm_ec2_template_sweep *sweep = timer->data;
	struct plm_arena arena;
	struct plm_error err;
	struct plm_query query;
	enum plm_code code = PLM_OK;

	if (!sweep->context->act) {
		rest(sweep);
		return;
	}
	code = plm_arena_init(&arena, PLM_LIMIT_EVENT_ARENA, &err);
	PLM_ASSERT(code == PLM_OK);
	plm_query_init(&query, &arena);
	plm_query_filter_one(&query, "tag:" PLM_EC2_TAG_EKS,
			     plm_slice_str(sweep->context->options.cluster_name));
	plm_query_text(&query, "MaxResults", "200");
	sweep->pages = plm_aws_pages_start(sweep->context->client,
					   &(struct plm_aws_paging){
						   .call = PLM_AWS_CALL_DESCRIBE_LAUNCH_TEMPLATES,
						   .body = plm_query_form(&query),
						   .on_page = on_page,
						   .on_end = on_end,
						   .self = sweep,
					   });
	plm_arena_fini(&arena);
}

/* ---- life ---------------------------------------------------------------------------------------- */

struct plm_ec2_template_sweep *plm_ec2_template_sweep_new(struct plm_ec2_context *context,
							  struct plm_ec2_templates *templates)
{
	struct plm_ec2_template_sweep *sweep = calloc(1, sizeof(*sweep));
	int failed = 0;

	PLM_ASSERT(sweep != NULL);
	sweep->context = context;
	sweep->templates = templates;
	sweep->timer = calloc(1, sizeof(*sweep->timer));
	PLM_ASSERT(sweep->timer != NULL);
	failed = uv_timer_init(context->options.loop, sweep->timer);
	PLM_ASSERT(failed == 0);
	sweep->timer->data = sweep;
	rest(sweep);
	return sweep;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

void plm_ec2_template_sweep_free(struct plm_ec2_template_sweep *sweep)
{
	if (sweep == NULL) {
		return;
	}
	if (sweep->pages != NULL) {
		plm_aws_pages_cancel(sweep->pages);
	}
	if (sweep->sent != NULL) {
		plm_aws_cancel(sweep->sent);
	}
	while (sweep->old != NULL) {
		drop(sweep);
	}
	uv_close((uv_handle_t *)sweep->timer, on_closed);
	free(sweep);
}
