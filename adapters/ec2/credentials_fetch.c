/* One way through a plan: the region, the first keys, then role by role. Each request is tried a few times. */
#include "adapters/ec2/credentials_private.h"

#include "core/event.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(struct plm_aws_fetch *fetch, const char *why)
{
	plm_aws_fetched(fetch->owner, why);
}

void plm_aws_fetch_cancel(struct plm_aws_fetch *fetch)
{
	if (fetch == NULL) {
		return;
	}
	if (fetch->call != NULL) {
		plm_http_cancel(fetch->call);
	}
	(void)uv_timer_stop(&fetch->owner->again);
	explicit_bzero(fetch, sizeof(*fetch));
	free(fetch);
}

void plm_aws_fetch_begin(struct plm_aws_credentials *credentials)
{
	struct plm_aws_fetch *fetch = calloc(1, sizeof(*fetch));
	struct plm_error err = {0};

	PLM_ASSERT(fetch != NULL && credentials->fetch == NULL);
	fetch->owner = credentials;
	credentials->fetch = fetch;
	if (plm_aws_plan_make(&credentials->options, &fetch->plan, &err) != PLM_OK) {
		fail(fetch, err.text);
		return;
	}
	fetch->hops_left = fetch->plan.hop_count;
	if (fetch->plan.region[0] == '\0') {
		fail(fetch, "the region is not known: AWS_REGION is not set");
		return;
	}
	if (fetch->plan.base != PLM_AWS_BASE_KEYS || fetch->hops_left > 0) {
		char text[256];

		(void)snprintf(text, sizeof(text), "%s: this source is not read yet",
			       fetch->plan.source);
		fail(fetch, text);
		return;
	}
	fetch->keys = fetch->plan.keys;
	plm_aws_fetched(credentials, NULL);
}
