#include "played_inner.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/event.h"
#include "core/limits.h"
#include "plm_test.h"

#define PAIRS_MAX 8192
#define TOKENS_MAX 4096
#define TEMPLATES_MAX 256
#define PENDING_MS 2000
#define SHUTTING_MS 5000
#define FORGOTTEN_MS (60LL * 60 * 1000)

struct token {
	char key[64];
	char *body, *answer;
	unsigned status;
	int instance; /* -1 = none */
	int64_t ms;
};

static struct {
	struct token tokens[TOKENS_MAX];
	int token_count;
	struct {
		char name[64];
		int64_t born_ms;
	} templates[TEMPLATES_MAX];
	int template_count;
	/* The form that is looked at, by name. */
	struct pair {
		char *name, *value;
	} pairs[PAIRS_MAX];
	int pair_count;
} account;

/* ---- forms --------------------------------------------------------------------------------------- */

static int hex(char digit)
{
	assert_true((digit >= '0' && digit <= '9') || (digit >= 'A' && digit <= 'F'));
	return digit <= '9' ? digit - '0' : digit - 'A' + 10;
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++) {
		if (*text == '%') {
			*to++ = (char)(hex(text[1]) * 16 + hex(text[2]));
			text += 2;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name, ((const struct pair *)b)->name);
}

/* By name: forms nearly are already. */
static void put_pair(struct pair pair)
{
	int at = account.pair_count++;

	for (; at > 0 && by_name(&account.pairs[at - 1], &pair) > 0; at--) {
		account.pairs[at] = account.pairs[at - 1];
	}
	account.pairs[at] = pair;
}

/* 'body' is taken apart where it stands. */
static void read_form(char *body)
{
	char *rest = body;
	char *pair = NULL;

	account.pair_count = 0;
	while ((pair = strsep(&rest, "&")) != NULL) {
		char *value = strchr(pair, '=');

		assert_non_null(value);
		assert_true(account.pair_count < PAIRS_MAX);
		*value++ = '\0';
		unescape(pair);
		unescape(value);
		put_pair((struct pair){pair, value});
	}
}

static const char *get(const char *format, ...) PLM_PRINTF(1, 2);

static const char *get(const char *format, ...)
{
	const struct pair *found = NULL;
	char name[160];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	found = bsearch(&(struct pair){name, NULL}, account.pairs, (size_t)account.pair_count,
			sizeof(struct pair), by_name);
	return found == NULL ? NULL : found->value;
}

/* ---- answers ------------------------------------------------------------------------------------- */

char *played_copy(struct plm_slice text)
{
	char *copy = malloc(text.size + 1);

	assert_non_null(copy);
	if (text.size > 0) {
		memcpy(copy, text.ptr, text.size);
	}
	copy[text.size] = '\0';
	return copy;
}

unsigned played_error(struct plm_text *out, unsigned status, const char *code)
{
	plm_text_putf(out,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response><Errors><Error><Code>"
		      "%s</Code><Message>said %s</Message></Error></Errors><RequestID>r-1"
		      "</RequestID></Response>",
		      code, code);
	return status;
}

void played_begin(struct plm_text *out, const char *action)
{
	plm_text_putf(out,
		      "<%sResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>"
		      "r-1</requestId>",
		      action);
}

unsigned played_end(struct plm_text *out, const char *action)
{
	plm_text_putf(out, "</%sResponse>", action);
	return 200;
}

/* ---- instances ----------------------------------------------------------------------------------- */

const char *played_tag(const struct played_instance *instance, const char *key)
{
	for (int i = 0; i < instance->tag_count; i++) {
		if (strcmp(instance->tags[i][0], key) == 0) {
			return instance->tags[i][1];
		}
	}
	return NULL;
}

static void set_tag(struct played_instance *instance, const char *key, const char *value)
{
	int at = 0;

	while (at < instance->tag_count && strcmp(instance->tags[at][0], key) != 0) {
		at++;
	}
	assert_true(at < 64 && strlen(key) < 128 && strlen(value) < 128);
	instance->tag_count += at == instance->tag_count;
	(void)snprintf(instance->tags[at][0], 128, "%s", key);
	(void)snprintf(instance->tags[at][1], 128, "%s", value);
}

const char *played_state(const struct played_instance *instance)
{
	if (instance->ending_ms != PLM_UNSET) {
		return played_now() - instance->ending_ms >= SHUTTING_MS ? "terminated"
									 : "shutting-down";
	}
	return played_now() - instance->born_ms >= PENDING_MS ? "running" : "pending";
}

int played_alive(void)
{
	int count = 0;

	for (int i = 0; i < played.count; i++) {
		count += played.list[i].ending_ms == PLM_UNSET;
	}
	return count;
}

int played_of_intent(uint64_t intent, bool alive)
{
	char text[24];
	int count = 0;

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)intent);
	for (int i = 0; i < played.count; i++) {
		const char *tag = played_tag(&played.list[i], "plimsoll/intent");

		count += tag != NULL && strcmp(tag, text) == 0 &&
			 (!alive || played.list[i].ending_ms == PLM_UNSET);
	}
	return count;
}

static struct played_instance *new_instance(const char *type, const char *zone)
{
	struct played_instance *instance = &played.list[played.count];

	assert_true(played.count < PLAYED_INSTANCES);
	*instance = (struct played_instance){.born_ms = played_now(), .ending_ms = PLM_UNSET};
	(void)snprintf(instance->id, sizeof(instance->id), "i-%017x", (unsigned)++played.count);
	(void)snprintf(instance->type, sizeof(instance->type), "%s", type);
	(void)snprintf(instance->zone, sizeof(instance->zone), "%s", zone);
	for (int t = 1; get("TagSpecification.%d.ResourceType", t) != NULL; t++) {
		if (strcmp(get("TagSpecification.%d.ResourceType", t), "instance") != 0) {
			continue;
		}
		for (int i = 1; get("TagSpecification.%d.Tag.%d.Key", t, i) != NULL; i++) {
			set_tag(instance, get("TagSpecification.%d.Tag.%d.Key", t, i),
				get("TagSpecification.%d.Tag.%d.Value", t, i));
		}
	}
	return instance;
}

struct played_instance *played_add(const char *id, const char *type)
{
	struct played_instance *instance = NULL;

	account.pair_count = 0;
	instance = new_instance(type, "us-west-2a");
	(void)snprintf(instance->id, sizeof(instance->id), "%s", id);
	set_tag(instance, "karpenter.sh/nodepool", "p");
	set_tag(instance, "karpenter.k8s.aws/ec2nodeclass", "c");
	set_tag(instance, "eks:eks-cluster-name", "test-cluster");
	return instance;
}

static struct played_instance *find_instance(const char *id)
{
	for (int i = 0; i < played.count; i++) {
		bool shown = played_now() - played.list[i].born_ms >= played.lag_ms;

		if (strcmp(played.list[i].id, id) == 0 && shown) {
			return &played.list[i];
		}
	}
	return NULL;
}

static void put_instance(struct plm_text *out, const struct played_instance *instance)
{
	plm_text_putf(out,
		      "<item><instanceId>%s</instanceId><imageId>ami-played</"
		      "imageId><instanceState><code>16</code><name>%s"
		      "</name></instanceState><instanceType>%s</instanceType><placement>"
		      "<availabilityZone>%s</availabilityZone></placement><launchTime>"
		      "2026-01-01T00:%02d:%02d.000Z</launchTime>",
		      instance->id, played_state(instance), instance->type, instance->zone,
		      (int)(instance->born_ms / 60000 % 60), (int)(instance->born_ms / 1000 % 60));
	if (strcmp(instance->lifecycle, "spot") == 0) {
		plm_text_putf(out, "<instanceLifecycle>spot</instanceLifecycle>");
	}
	plm_text_putf(out, "<tagSet>");
	for (int i = 0; i < instance->tag_count; i++) {
		plm_text_putf(out, "<item><key>%s</key><value>%s</value></item>",
			      instance->tags[i][0], instance->tags[i][1]);
	}
	plm_text_putf(out, "</tagSet></item>");
}

/* ---- launches ------------------------------------------------------------------------------------ */

static bool is_out(const char *type, const char *zone)
{
	return played.out_code != NULL &&
	       (played.out_type == NULL || strcmp(played.out_type, type) == 0) &&
	       (played.out_zone == NULL || strcmp(played.out_zone, zone) == 0);
}

static bool has_template(const char *name)
{
	for (int i = 0; i < account.template_count; i++) {
		if (strcmp(account.templates[i].name, name) == 0) {
			return true;
		}
	}
	return false;
}

static void put_override(struct plm_text *out, int c, int o)
{
	plm_text_putf(out,
		      "<launchTemplateAndOverrides><launchTemplateSpecification>"
		      "<launchTemplateId>lt-%d</launchTemplateId><launchTemplateName>%s"
		      "</launchTemplateName><version>1</version></launchTemplateSpecification>"
		      "<overrides><instanceType>%s</instanceType><subnetId>%s</subnetId>",
		      c,
		      get("LaunchTemplateConfigs.%d.LaunchTemplateSpecification."
			  "LaunchTemplateName",
			  c),
		      get("LaunchTemplateConfigs.%d.Overrides.%d.InstanceType", c, o),
		      get("LaunchTemplateConfigs.%d.Overrides.%d.SubnetId", c, o));
	if (c % 2 == 1) { /* answers name it or not, by their age */
		plm_text_putf(out, "<availabilityZone>%s</availabilityZone>",
			      get("LaunchTemplateConfigs.%d.Overrides.%d.AvailabilityZone", c, o));
	}
	plm_text_putf(out, "</overrides></launchTemplateAndOverrides><lifecycle>%s</lifecycle>",
		      get("TargetCapacitySpecification.DefaultTargetCapacityType"));
}

/* Overrides in their order; those that are out of stock before the one that is taken are named. */
static int fleet(struct plm_text *out)
{
	struct plm_text errors = {.arena = out->arena};
	struct played_instance *taken = NULL;
	const char *lifecycle = get("TargetCapacitySpecification.DefaultTargetCapacityType");

	played_begin(out, "CreateFleet");
	plm_text_putf(out, "<fleetId>fleet-1</fleetId><fleetInstanceSet>");
	for (int c = 1; get("LaunchTemplateConfigs.%d.Overrides.1.InstanceType", c) != NULL; c++) {
		for (int o = 1; taken == NULL; o++) {
			const char *type =
				get("LaunchTemplateConfigs.%d.Overrides.%d.InstanceType", c, o);
			const char *zone =
				get("LaunchTemplateConfigs.%d.Overrides.%d.AvailabilityZone", c, o);

			if (type == NULL) {
				break;
			}
			if (is_out(type, zone)) {
				plm_text_putf(&errors, "<item>");
				put_override(&errors, c, o);
				plm_text_putf(&errors,
					      "<errorCode>%s</errorCode><errorMessage>none left"
					      "</errorMessage></item>",
					      played.out_code);
				continue;
			}
			taken = new_instance(type, zone);
			(void)snprintf(taken->lifecycle, sizeof(taken->lifecycle), "%s", lifecycle);
			plm_text_putf(out, "<item>");
			put_override(out, c, o);
			plm_text_putf(out,
				      "<instanceIds><item>%s</item></instanceIds><instanceType>%s"
				      "</instanceType></item>",
				      taken->id, type);
		}
	}
	plm_text_putf(out, "</fleetInstanceSet><errorSet>");
	plm_text_put(out, plm_text_slice(&errors));
	plm_text_putf(out, "</errorSet>");
	(void)played_end(out, "CreateFleet");
	return taken == NULL ? -1 : (int)(taken - played.list);
}

static unsigned run(struct plm_text *out, int *instance)
{
	const char *subnet = get("NetworkInterface.1.SubnetId");
	const char *type = get("InstanceType");
	char zone[32];

	assert_non_null(subnet);
	assert_non_null(type);
	(void)snprintf(zone, sizeof(zone), "us-west-2%c", subnet[strlen(subnet) - 1]);
	*instance = -1;
	if (is_out(type, zone)) { /* 500, and the token is spent */
		return played_error(out, 500, played.out_code);
	}
	*instance = (int)(new_instance(type, zone) - played.list);
	played_begin(out, "RunInstances");
	plm_text_putf(out, "<reservationId>r-0</reservationId><instancesSet>");
	put_instance(out, &played.list[*instance]);
	plm_text_putf(out, "</instancesSet>");
	return played_end(out, "RunInstances");
}

static struct token *token_of(const char *key)
{
	for (int i = 0; i < account.token_count; i++) {
		if (strcmp(account.tokens[i].key, key) == 0 &&
		    (played.token_forget_ms == 0 ||
		     played_now() - account.tokens[i].ms < played.token_forget_ms)) {
			return &account.tokens[i];
		}
	}
	return NULL;
}

static unsigned launch(struct plm_text *out, enum plm_aws_call call, const char *body)
{
	const char *key = get("ClientToken");
	struct token *token = NULL;
	unsigned status = 200;
	int instance = -1;

	played.launches_asked++;
	assert_non_null(key);
	assert_int_equal(strlen(key), PLM_INTENT_KEY_SIZE - 1);
	token = token_of(key);
	if (token != NULL && strcmp(token->body, body) != 0) {
		played.mismatches++;
		return played_error(out, 400, "IdempotentParameterMismatch");
	}
	if (token != NULL && call == PLM_AWS_CALL_RUN_INSTANCES && token->instance >= 0 &&
	    played.list[token->instance].ending_ms != PLM_UNSET) {
		return played_error(out, 400, "IdempotentInstanceTerminated");
	}
	if (token != NULL) {
		plm_text_put(out, plm_slice_str(token->answer));
		return token->status;
	}
	if (played.forget_templates) {
		played.forget_templates = false;
		account.template_count = 0;
	}
	for (int c = 1; call == PLM_AWS_CALL_CREATE_FLEET; c++) {
		const char *name = get("LaunchTemplateConfigs.%d.LaunchTemplateSpecification."
				       "LaunchTemplateName",
				       c);

		if (name == NULL) {
			break;
		}
		if (!has_template(name)) {
			return played_error(out, 400,
					    "InvalidLaunchTemplateName.NotFoundException");
		}
	}
	if (call == PLM_AWS_CALL_CREATE_FLEET) {
		instance = fleet(out);
	} else {
		status = run(out, &instance);
	}
	assert_true(account.token_count < TOKENS_MAX);
	token = &account.tokens[account.token_count++];
	*token = (struct token){.body = played_copy(plm_slice_str(body)),
				.answer = played_copy(plm_text_slice(out)),
				.status = status,
				.instance = instance,
				.ms = played_now()};
	(void)snprintf(token->key, sizeof(token->key), "%s", key);
	played.tokens++;
	return status;
}

/* ---- other calls --------------------------------------------------------------------------------- */

static unsigned make_template(struct plm_text *out)
{
	const char *name = get("LaunchTemplateName");

	assert_non_null(name);
	if (has_template(name)) {
		return played_error(out, 400, "InvalidLaunchTemplateName.AlreadyExistsException");
	}
	assert_true(account.template_count < TEMPLATES_MAX);
	account.templates[account.template_count].born_ms = played_now();
	(void)snprintf(account.templates[account.template_count++].name, 64, "%s", name);
	played.templates_made++;
	played_begin(out, "CreateLaunchTemplate");
	plm_text_putf(out,
		      "<launchTemplate><launchTemplateName>%s</launchTemplateName>"
		      "</launchTemplate>",
		      name);
	return played_end(out, "CreateLaunchTemplate");
}

/* In January. */
static void put_time(struct plm_text *out, const char *name, int64_t ms)
{
	plm_text_putf(out, "<%s>2026-01-%02dT%02d:%02d:%02d.000Z</%s>", name,
		      (int)(ms / 86400000) + 1, (int)(ms / 3600000 % 24), (int)(ms / 60000 % 60),
		      (int)(ms / 1000 % 60), name);
}

static unsigned list_templates(struct plm_text *out)
{
	assert_string_equal(get("Filter.1.Name"), "tag:eks:eks-cluster-name");
	played_begin(out, "DescribeLaunchTemplates");
	plm_text_putf(out, "<launchTemplates><item><launchTemplateName>theirs"
			   "</launchTemplateName><createTime>2025-01-01T00:00:00Z</createTime>"
			   "</item>");
	for (int i = 0; i < account.template_count; i++) {
		plm_text_putf(out, "<item><launchTemplateName>%s</launchTemplateName>",
			      account.templates[i].name);
		put_time(out, "createTime", account.templates[i].born_ms);
		plm_text_putf(out, "</item>");
	}
	plm_text_putf(out, "</launchTemplates>");
	return played_end(out, "DescribeLaunchTemplates");
}

static unsigned delete_template(struct plm_text *out)
{
	const char *name = get("LaunchTemplateName");

	assert_non_null(name);
	played.templates_deleted++;
	for (int i = 0; i < account.template_count; i++) {
		if (strcmp(account.templates[i].name, name) == 0) {
			account.templates[i] = account.templates[--account.template_count];
			played_begin(out, "DeleteLaunchTemplate");
			return played_end(out, "DeleteLaunchTemplate");
		}
	}
	return played_error(out, 400, "InvalidLaunchTemplateName.NotFoundException");
}

static unsigned terminate(struct plm_text *out)
{
	int count = 0;

	played.terminates++;
	while (get("InstanceId.%d", count + 1) != NULL) {
		count++;
		if (find_instance(get("InstanceId.%d", count)) == NULL) {
			return played_error(out, 400, "InvalidInstanceID.NotFound");
		}
		if (find_instance(get("InstanceId.%d", count))->protected) {
			return played_error(out, 400, "OperationNotPermitted");
		}
	}
	assert_true(count > 0);
	played.most_in_a_terminate =
		count > played.most_in_a_terminate ? count : played.most_in_a_terminate;
	played_begin(out, "TerminateInstances");
	plm_text_putf(out, "<instancesSet>");
	for (int i = 1; i <= count; i++) {
		struct played_instance *instance = find_instance(get("InstanceId.%d", i));
		const char *before = played_state(instance);

		if (instance->ending_ms == PLM_UNSET) {
			instance->ending_ms = played_now();
		}
		plm_text_putf(
			out,
			"<item><instanceId>%s</instanceId><currentState><name>%s</name>"
			"</currentState><previousState><name>%s</name></previousState></item>",
			instance->id, played_state(instance), before);
	}
	plm_text_putf(out, "</instancesSet>");
	return played_end(out, "TerminateInstances");
}

static unsigned create_tags(struct plm_text *out)
{
	struct played_instance *instance = find_instance(get("ResourceId.1"));

	played.tag_calls++;
	if (instance == NULL) {
		return played_error(out, 400, "InvalidInstanceID.NotFound");
	}
	for (int i = 1; get("Tag.%d.Key", i) != NULL; i++) {
		set_tag(instance, get("Tag.%d.Key", i), get("Tag.%d.Value", i));
	}
	played_begin(out, "CreateTags");
	plm_text_putf(out, "<return>true</return>");
	return played_end(out, "CreateTags");
}

static bool one_of(int filter, const char *value)
{
	for (int i = 1; value != NULL && get("Filter.%d.Value.%d", filter, i) != NULL; i++) {
		if (strcmp(get("Filter.%d.Value.%d", filter, i), value) == 0) {
			return true;
		}
	}
	return false;
}

static bool passes(const struct played_instance *instance)
{
	for (int f = 1; get("Filter.%d.Name", f) != NULL; f++) {
		const char *name = get("Filter.%d.Name", f);
		bool ok = false;

		if (strncmp(name, "tag:", 4) == 0) {
			ok = one_of(f, played_tag(instance, name + 4));
		} else if (strcmp(name, "tag-key") == 0) {
			ok = played_tag(instance, get("Filter.%d.Value.1", f)) != NULL;
		} else if (strcmp(name, "instance-state-name") == 0) {
			ok = one_of(f, played_state(instance));
		} else if (strcmp(name, "instance-id") == 0) {
			ok = one_of(f, instance->id);
		} else {
			fail_msg("filter %s", name);
		}
		if (!ok) {
			return false;
		}
	}
	return !instance->hidden && played_now() - instance->born_ms >= played.lag_ms &&
	       (instance->ending_ms == PLM_UNSET ||
		played_now() - instance->ending_ms < FORGOTTEN_MS);
}

static unsigned describe(struct plm_text *out)
{
	int left = played.page == 0 ? PLAYED_INSTANCES : played.page;
	int at = 0;

	for (const char *digit = get("NextToken"); digit != NULL && *digit != '\0'; digit++) {
		at = at * 10 + (*digit - '0');
	}
	played.lists++;
	played_begin(out, "DescribeInstances");
	plm_text_putf(out, "<reservationSet><item><instancesSet>");
	for (; at < played.count && left > 0; at++) {
		/* Counted before it is filtered, so that a page may be empty and not be the last. */
		left--;
		if (passes(&played.list[at])) {
			put_instance(out, &played.list[at]);
		}
	}
	plm_text_putf(out, "</instancesSet></item></reservationSet>");
	if (at < played.count) {
		plm_text_putf(out, "<nextToken>%d</nextToken>", at);
	}
	return played_end(out, "DescribeInstances");
}

/* ---- calls --------------------------------------------------------------------------------------- */

static unsigned by_action(struct plm_text *out, enum plm_aws_call call, const char *body)
{
	switch ((uint32_t)call) {
	case PLM_AWS_CALL_CREATE_FLEET:
	case PLM_AWS_CALL_RUN_INSTANCES:
		return launch(out, call, body);
	case PLM_AWS_CALL_CREATE_LAUNCH_TEMPLATE:
		return make_template(out);
	case PLM_AWS_CALL_DESCRIBE_LAUNCH_TEMPLATES:
		return list_templates(out);
	case PLM_AWS_CALL_DELETE_LAUNCH_TEMPLATE:
		return delete_template(out);
	case PLM_AWS_CALL_TERMINATE_INSTANCES:
		return terminate(out);
	case PLM_AWS_CALL_CREATE_TAGS:
		return create_tags(out);
	case PLM_AWS_CALL_DESCRIBE_INSTANCES:
		return describe(out);
	default:
		fail_msg("%s is not played", plm_aws_call(call)->action);
		return 0;
	}
}

unsigned played_carry_out(struct plm_text *out, enum plm_aws_call call, const char *body)
{
	char *form = played_copy(plm_slice_str(body));
	unsigned status = 0;

	read_form(form);
	status = by_action(out, call, body);
	free(form);
	account.pair_count = 0;
	return status;
}

/* ---- life ---------------------------------------------------------------------------------------- */

void played_account_end(void)
{
	for (int i = 0; i < account.token_count; i++) {
		free(account.tokens[i].body);
		free(account.tokens[i].answer);
	}
	memset(&account, 0, sizeof(account));
}
