#include "adapters/ec2/template_call.h"

#include <stdlib.h>

#include "core/limits.h"

struct one {
	struct plm_ec2_templates *templates;
	struct one *next;
	char name[PLM_EC2_TEMPLATE_NAME_SIZE];
	bool there;
	int64_t used_ms;	   /* wall */
	struct plm_aws_sent *sent; /* being made */
	struct plm_ec2_template_wait *waits;
};

struct plm_ec2_templates {
	const struct plm_ec2_context *context; /* borrowed */
	struct one *list;		       /* as many as there are kinds of nodes */
};

struct plm_ec2_templates *plm_ec2_templates_new(const struct plm_ec2_context *context)
{
	struct plm_ec2_templates *templates = calloc(1, sizeof(*templates));

	PLM_ASSERT(templates != NULL);
	templates->context = context;
	return templates;
}

void plm_ec2_templates_free(struct plm_ec2_templates *templates)
{
	if (templates == NULL) {
		return;
	}
	while (templates->list != NULL) {
		struct one *one = templates->list;

		if (one->sent != NULL) {
			plm_aws_cancel(one->sent);
		}
		templates->list = one->next;
		free(one);
	}
	free(templates);
}

static struct one *find(struct plm_ec2_templates *templates, struct plm_slice name, bool make)
{
	struct one *one = templates->list;

	while (one != NULL && !plm_slice_is(name, one->name)) {
		one = one->next;
	}
	if (one == NULL && make) {
		one = calloc(1, sizeof(*one));
		PLM_ASSERT(one != NULL && name.size < sizeof(one->name));
		memcpy(one->name, name.ptr, name.size);
		one->templates = templates;
		one->next = templates->list;
		templates->list = one;
	}
	return one;
}

static void on_done(void *self, const struct plm_aws_answer *answer)
{
	static const struct plm_aws_answer good = {
		.class = PLM_AWS_DONE, .code = "", .message = "", .request_id = ""};
	struct one *one = self;

	one->sent = NULL;
	one->there = answer->class == PLM_AWS_DONE || answer->class == PLM_AWS_EXISTS;
	while (one->waits != NULL) {
		struct plm_ec2_template_wait *wait = one->waits;

		one->waits = wait->next;
		wait->of = NULL;
		wait->done(wait->self, one->there ? &good : answer);
	}
}

bool plm_ec2_templates_ensure(struct plm_ec2_templates *templates, const struct plm_ec2_need *need,
			      struct plm_ec2_template_wait *wait)
{
	struct one *one = find(templates, need->name, true);

	PLM_ASSERT(wait->of == NULL);
	one->used_ms = plm_ec2_now_ms(templates->context);
	if (one->there) {
		return true;
	}
	wait->of = one;
	wait->next = one->waits;
	one->waits = wait;
	if (one->sent == NULL) {
		one->sent = plm_aws_send(templates->context->client,
					 &(struct plm_aws_request){
						 .call = PLM_AWS_CALL_CREATE_LAUNCH_TEMPLATE,
						 .body = need->form,
						 .exact = true,
						 .on_done = on_done,
						 .self = one,
					 });
	}
	return false;
}

void plm_ec2_templates_leave(struct plm_ec2_template_wait *wait)
{
	struct one *one = wait->of;
	struct plm_ec2_template_wait **at = one == NULL ? NULL : &one->waits;

	if (at == NULL) {
		return;
	}
	while (*at != wait) {
		PLM_ASSERT(*at != NULL);
		at = &(*at)->next;
	}
	*at = wait->next;
	wait->of = NULL;
}

bool plm_ec2_templates_used(struct plm_ec2_templates *templates, struct plm_slice name)
{
	const struct one *one = find(templates, name, false);

	return one != NULL &&
	       plm_ec2_now_ms(templates->context) - one->used_ms < PLM_LIMIT_EC2_TEMPLATE_AGE_MS;
}

void plm_ec2_templates_forget(struct plm_ec2_templates *templates, struct plm_slice name)
{
	struct one *one = find(templates, name, false);

	if (one != NULL) {
		one->there = false;
	}
}
