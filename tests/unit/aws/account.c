#include "account.h"

#include "plm_test.h"

#include "adapters/manifest/manifest.h"
#include "codec/codec.h"

#include <stdio.h>

#define WALL_MS 1767225600000LL /* 2026-01-01 */
#define TEXT_SIZE 16384

/* ---- answers ------------------------------------------------------------------------------------- */

struct text {
	char bytes[TEXT_SIZE];
	size_t size;
};

static void put(struct text *text, const char *format, ...) PLM_PRINTF(2, 3);
static void put(struct text *text, const char *format, ...)
{
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(text->bytes + text->size, TEXT_SIZE - text->size, format, args);
	va_end(args);
	assert_true(size >= 0 && (size_t)size < TEXT_SIZE - text->size);
	text->size += (size_t)size;
}

/* As moto's MOTO_PRETTIFY_RESPONSES does. */
static void make_pretty(struct text *text)
{
	struct text copy = *text;

	text->size = 0;
	for (size_t i = 0; i < copy.size; i++) {
		put(text, "%c", copy.bytes[i]);
		if (copy.bytes[i] == '>' && i + 1 < copy.size && copy.bytes[i + 1] == '<') {
			put(text, "\n\t\t");
		}
	}
}

static void subnet(struct text *out, const struct account_subnet *row)
{
	put(out,
	    "<item><availableIpAddressCount>%d</availableIpAddressCount><availabilityZone>%s"
	    "</availabilityZone><availabilityZoneId>usw2-az%d</availabilityZoneId>"
	    "<cidrBlock>10.0.0.0/20</cidrBlock><defaultForAz>true</defaultForAz>"
	    "<state>available</state><subnetId>%s</subnetId><tagSet><item><key>Name</key>"
	    "<value>a</value></item></tagSet><vpcId>vpc-1</vpcId></item>",
	    row->free, row->zone, row->zone[strlen(row->zone) - 1] - 'a' + 1, row->id);
}

static size_t subnet_count(const struct account *account)
{
	size_t count = 0;

	while (count < ROWS && account->subnets[count].id != NULL) {
		count++;
	}
	return count;
}

/* Page 0 is empty, each other has a subnet. */
static void say_subnets(struct account *account, const struct stage_asked *asked, struct text *out)
{
	const char *token = strstr(asked->body, "NextToken=p");
	size_t page = token == NULL ? 0 : (size_t)(token[strlen("NextToken=p")] - '0');

	put(out, "<subnetSet>");
	for (size_t i = 0; i < subnet_count(account); i++) {
		if (!account->pages || i + 1 == page) {
			subnet(out, &account->subnets[i]);
		}
	}
	put(out, "</subnetSet>");
	if (account->pages && page < subnet_count(account)) {
		put(out, "<nextToken>p%zu</nextToken>", page + 1);
	}
}

static void say_groups(const struct account *account, struct text *out)
{
	put(out, "<securityGroupInfo>");
	for (size_t i = 0; i < ROWS && account->groups[i] != NULL; i++) {
		const char *is = strchr(account->groups[i], '=');

		put(out,
		    "<item><ownerId>123456789012</ownerId><groupId>%.*s</groupId><groupName>%s"
		    "</groupName><groupDescription>d</groupDescription><vpcId>vpc-1</vpcId>"
		    "<ipPermissions/></item>",
		    (int)(is - account->groups[i]), account->groups[i], is + 1);
	}
	put(out, "</securityGroupInfo>");
}

static void say_images(const struct account *account, struct text *out)
{
	put(out, "<imagesSet>");
	for (size_t i = 0; i < ROWS && account->images[i].id != NULL; i++) {
		const struct account_image *row = &account->images[i];

		put(out,
		    "<item><imageId>%s</imageId><imageState>available</imageState>"
		    "<imageOwnerId>602401143452</imageOwnerId><creationDate>%s</creationDate>"
		    "<isPublic>true</isPublic><architecture>%s</architecture>"
		    "<blockDeviceMapping><item><deviceName>/dev/xvda</deviceName></item>"
		    "</blockDeviceMapping><name>%s</name>",
		    row->id, row->created, row->machine, row->name);
		if (row->deprecated != NULL) {
			put(out, "<deprecationTime>%s</deprecationTime>", row->deprecated);
		}
		put(out, "</item>");
	}
	put(out, "</imagesSet>");
}

static bool say_parameter(const struct account *account, const struct stage_asked *asked,
			  struct text *out)
{
	for (size_t i = 0; i < ROWS && account->parameters[i].part != NULL; i++) {
		if (strstr(asked->body, account->parameters[i].part) != NULL) {
			put(out,
			    "{\"Parameter\":{\"Name\":\"n\",\"Type\":\"String\",\"Value\":\"%s\","
			    "\"Version\":3}}",
			    account->parameters[i].value);
			return true;
		}
	}
	return false;
}

/* ---- instance profiles --------------------------------------------------------------------------- */

static void name_in(const struct stage_asked *asked, const char *key, char *out, size_t size)
{
	const char *at = strstr(asked->body, key);

	assert_non_null(at);
	at += strlen(key);
	(void)snprintf(out, size, "%.*s", (int)strcspn(at, "&"), at);
}

static void say_profile(const struct account *account, struct text *out)
{
	put(out,
	    "<GetInstanceProfileResult><InstanceProfile><Path>/karpenter/</Path>"
	    "<InstanceProfileName>%s</InstanceProfileName><Roles>",
	    account->profile);
	if (account->role[0] != '\0') {
		put(out, "<member><Path>/</Path><RoleName>%s</RoleName></member>", account->role);
	}
	put(out, "</Roles></InstanceProfile></GetInstanceProfileResult>");
}

/* NULL: done; else the code that refuses it. */
static const char *profile_action(struct account *account, const struct stage_asked *asked,
				  struct text *out)
{
	char name[128];

	name_in(asked, "InstanceProfileName=", name, sizeof(name));
	if (strcmp(asked->action, "CreateInstanceProfile") == 0) {
		if (account->profile[0] != '\0') {
			return "EntityAlreadyExists";
		}
		(void)snprintf(account->profile, sizeof(account->profile), "%s", name);
		return NULL;
	}
	if (strcmp(account->profile, name) != 0) {
		return "NoSuchEntity";
	}
	if (strcmp(asked->action, "GetInstanceProfile") == 0) {
		say_profile(account, out);
	} else if (strcmp(asked->action, "AddRoleToInstanceProfile") == 0) {
		if (account->role[0] != '\0') {
			return "LimitExceeded";
		}
		name_in(asked, "RoleName=", account->role, sizeof(account->role));
	} else if (strcmp(asked->action, "RemoveRoleFromInstanceProfile") == 0) {
		account->role[0] = '\0';
	} else if (account->role[0] != '\0') {
		return "DeleteConflict";
	} else {
		account->profile[0] = '\0';
	}
	return NULL;
}

/* ---- the server ---------------------------------------------------------------------------------- */

/* NULL: 'out' is the answer; else the code of an error. */
static const char *say(struct account *account, const struct stage_asked *asked, struct text *out)
{
	const char *action = asked->action;

	if (strcmp(action, "DescribeSubnets") == 0) {
		say_subnets(account, asked, out);
	} else if (strcmp(action, "DescribeSecurityGroups") == 0) {
		say_groups(account, out);
	} else if (strcmp(action, "DescribeImages") == 0) {
		say_images(account, out);
	} else if (strcmp(action, "DescribeCapacityReservations") == 0) {
		put(out, "<capacityReservationSet>%s</capacityReservationSet>",
		    account->reservations == NULL ? "" : account->reservations);
	} else if (strcmp(action, "DescribePlacementGroups") == 0) {
		put(out, "<placementGroupSet>");
		if (account->placement != NULL) {
			put(out,
			    "<item><groupId>%s</groupId><groupName>n</groupName>"
			    "<state>available</state></item>",
			    account->placement);
		}
		put(out, "</placementGroupSet>");
	} else if (strcmp(action, "DescribeInstances") == 0) {
		put(out, "<reservationSet>%s</reservationSet>",
		    account->instances ? "<item><reservationId>r-1</reservationId></item>" : "");
	} else if (strcmp(action, "GetParameter") == 0) {
		return say_parameter(account, asked, out) ? NULL : "ParameterNotFound";
	} else if (strstr(action, "InstanceProfile") != NULL) {
		return profile_action(account, asked, out);
	} else if (strstr(asked->path, "/clusters/") != NULL && account->cluster != NULL) {
		put(out, "{\"cluster\":%s}", account->cluster);
	} else {
		return "ResourceNotFoundException";
	}
	return NULL;
}

static void answer(struct stage *stage, const struct stage_asked *asked, struct server_answer *to)
{
	struct account *account = stage->self;
	struct account_refusal *refusal = &account->refusal;
	static struct text text;
	const char *code = NULL;

	text.size = 0;
	text.bytes[0] = '\0';
	if (refusal->times > 0 && strstr(asked->action, refusal->action) != NULL) {
		refusal->times--;
		stage_refuse(stage, asked, to, refusal->status, refusal->code);
		return;
	}
	code = say(account, asked, &text);
	if (code != NULL) {
		stage_refuse(stage, asked, to, strstr(code, "NoSuch") != NULL ? 404 : 400, code);
		return;
	}
	if (account->pretty && text.bytes[0] == '<') {
		make_pretty(&text);
	}
	stage_say(stage, asked, to, text.bytes);
}

/* ---- the end of the engine ----------------------------------------------------------------------- */

static int64_t boot_ms(void *self)
{
	return ((struct account *)self)->now_ms;
}

static int64_t wall_ns(void *self)
{
	return (WALL_MS + ((struct account *)self)->now_ms) * 1000000;
}

static enum plm_code take(void *self, const struct plm_observation *observation)
{
	struct account *account = self;
	struct plm_payload payload = {0};
	struct plm_error err = {0};

	assert_int_equal(observation->type, PLM_EV_CLASS_STATUS);
	assert_int_equal(observation->source, PLM_SOURCE_CLOUD);
	account->fact = plm_arena_copy(&account->arena, observation->payload);
	plm_assert_ok(plm_payload_decode(plm_event_info(PLM_EV_CLASS_STATUS), account->fact,
					 &account->arena, &payload, &err),
		      &err);
	account->status = payload.value;
	account->facts++;
	return PLM_OK;
}

static void note(void *self, const char *text)
{
	struct account *account = self;
	size_t size = strlen(account->stage.notes);

	(void)snprintf(account->stage.notes + size, sizeof(account->stage.notes) - size, "%s\n",
		       text);
}

/* ---- life ---------------------------------------------------------------------------------------- */

void account_open(struct account *account)
{
	struct plm_error err = {0};

	memset(account, 0, sizeof(*account));
	plm_assert_ok(plm_arena_init(&account->arena, (size_t)256 << 20, &err), &err);
	stage_open(&account->stage);
	account->stage.answer = answer;
	account->stage.self = account;
	account->now_ms = 1000;
	account->subnets[0] = (struct account_subnet){"subnet-a", "us-west-2a", 4000};
	account->subnets[1] = (struct account_subnet){"subnet-b", "us-west-2b", 3000};
	account->groups[0] = "sg-1=nodes";
	account->images[0] = (struct account_image){"ami-amd", "node-x86_64", "x86_64",
						    "2025-11-01T00:00:00.000Z", NULL};
	account->images[1] = (struct account_image){"ami-arm", "node-arm64", "arm64",
						    "2025-12-01T00:00:00.000Z", NULL};
	account->context = (struct plm_ec2_context){
		.options = {.loop = &account->stage.loop,
			    .cluster_name = "test-cluster",
			    .cluster_endpoint = "https://test-cluster",
			    .cluster_ca = "Y2E=",
			    .kubernetes_version = "1.32",
			    .service_cidr = "10.100.0.0/16",
			    .note = note,
			    .self = account},
		.client = account->stage.client,
		.clock = {account, wall_ns, boot_ms},
		.inbox = {.self = account, .put = take},
		.cluster_uid = "uid",
	};
	plm_assert_ok(plm_ec2_classes_new(&account->context, &account->classes, &err), &err);
}

void account_start(struct account *account, bool act)
{
	account->context.act = act;
	plm_aws_client_allow(account->stage.client,
			     PLM_AWS_OBSERVE | (act ? (unsigned)PLM_AWS_NODES : 0U));
	plm_ec2_classes_start(account->classes);
	account_after(account, 0);
}

void account_close(struct account *account)
{
	plm_ec2_classes_free(account->classes);
	assert_true(plm_ec2_told(&account->context));
	stage_close(&account->stage);
	plm_arena_fini(&account->arena);
}

/* ---- what the cluster's end shows ---------------------------------------------------------------- */

static void show(struct account *account, enum plm_event_type type, const void *value,
		 enum plm_observed observed)
{
	const struct plm_observation observation = {
		.source = PLM_SOURCE_KUBE,
		.type = type,
		.payload = plm_payload_encode(plm_event_info((uint16_t)type), value,
					      (struct plm_slice){0}, &account->arena),
		.observed = observed,
	};

	plm_ec2_classes_saw(account->classes, &observation);
}

static enum plm_code on_fact(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	(void)err;
	show(ctx, fact->type, fact->payload, PLM_OBSERVED_FACT);
	return PLM_OK;
}

static void on_warning(void *ctx, const char *text)
{
	(void)ctx;
	fail_msg("%s", text);
}

void account_saw(struct account *account, const char *yaml)
{
	const struct plm_manifest_options options = {.now_ms = 1000};
	const struct plm_manifest_sink sink = {account, on_fact, NULL, on_warning};
	PLM_CLEANUP(plm_manifest_close) struct plm_manifest *reader = NULL;
	struct plm_error err = {0};

	plm_assert_ok(plm_manifest_open(&reader, &options, &sink, &err), &err);
	plm_assert_ok(plm_manifest_read_text(reader, "class", plm_slice_str(yaml), &err), &err);
}

void account_gone(struct account *account, enum plm_kind kind, const char *name)
{
	const struct plm_w_gone gone = {.kind = kind, .name = plm_slice_str(name)};

	show(account, PLM_EV_GONE, &gone, PLM_OBSERVED_FACT);
}

void account_list(struct account *account, enum plm_kind kind, bool begins)
{
	const struct plm_w_listed listed = {.kind = kind};

	show(account, PLM_EV_LISTED, &listed,
	     begins ? PLM_OBSERVED_LIST_BEGINS : PLM_OBSERVED_FACT);
}

/* ---- time ---------------------------------------------------------------------------------------- */

/* Until nothing was asked for some turns of the loop; answers of the client's own repetitions come later than that. */
void account_after(struct account *account, int64_t ms)
{
	size_t count = 0;
	int quiet = 0;

	account->now_ms += ms;
	(void)plm_ec2_classes_tick(account->classes);
	while (quiet < 4) {
		count = account->stage.count;
		stage_run(&account->stage, 5);
		quiet = account->stage.count == count ? quiet + 1 : 0;
	}
}

/* ---- what was told ------------------------------------------------------------------------------- */

const struct plm_w_class_condition *account_condition(const struct account *account,
						      const char *type)
{
	const struct plm_w_class_condition *list = NULL;

	assert_non_null(account->status);
	list = account->status->conditions.ptr;
	for (size_t i = 0; i < account->status->conditions.count; i++) {
		if (plm_slice_is(list[i].type, type)) {
			return &list[i];
		}
	}
	fail_msg("no condition %s", type);
	return NULL;
}

void account_expect(const struct account *account, const char *type, int64_t met,
		    const char *reason, const char *message)
{
	const struct plm_w_class_condition *condition = account_condition(account, type);

	plm_assert_text(condition->reason, reason);
	assert_int_equal(condition->met, met);
	if (condition->message.size < strlen(message) ||
	    memmem(condition->message.ptr, condition->message.size, message, strlen(message)) ==
		    NULL) {
		fail_msg("%s says \"%.*s\", not \"%s\"", type, (int)condition->message.size,
			 (const char *)condition->message.ptr, message);
	}
}

const struct plm_w_ec2_recipe *account_recipe(struct account *account)
{
	const struct plm_w_ec2_recipe *recipe = NULL;
	struct plm_error err = {0};

	plm_assert_ok(plm_ec2_recipe_read(account->status->recipe, &account->arena, &recipe, &err),
		      &err);
	return recipe;
}
