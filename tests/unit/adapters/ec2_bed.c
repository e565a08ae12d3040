#include "ec2_bed.h"

#include <stdio.h>
#include <stdlib.h>

#include "codec/codec.h"
#include "core/limits.h"
#include "core/wire_copy.h"
#include "hash/hash.h"
#include "plm_test.h"

#define TEXT(text) {(const uint8_t *)(text), sizeof(text) - 1}

static const char cluster_uid[] = "11111111-2222-3333-4444-555555555555";

/* ---- inbox --------------------------------------------------------------------------------------- */

static const void *decode(struct bed *bed, const struct plm_observation *observation)
{
	struct plm_payload payload;
	struct plm_error err = {0};
	struct plm_slice bytes = plm_arena_copy(&bed->arena, observation->payload);

	plm_test_ok(plm_payload_decode(plm_event_info((uint16_t)observation->type), bytes,
				       &bed->arena, &payload, &err),
		    &err, __FILE__, __LINE__);
	return payload.value;
}

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct bed *bed = self;
	const void *value = NULL;

	if (bed->room == 0) {
		return PLM_E_AGAIN;
	}
	bed->room--;
	value = decode(bed, observation);
	assert_int_equal(observation->source, PLM_SOURCE_CLOUD);
	switch ((uint32_t)observation->type) {
	case PLM_EV_RESULT:
		assert_true(bed->result_count < BED_RESULTS);
		bed->results[bed->result_count++] = value;
		assert_int_equal(observation->intent, ((const struct plm_w_result *)value)->intent);
		break;
	case PLM_EV_INSTANCE:
		assert_true(bed->fact_count < BED_FACTS);
		bed->facts[bed->fact_count++] = value;
		break;
	case PLM_EV_LISTED:
		bed->lists++;
		break;
	case PLM_EV_REACH:
		bed->reaches_away += ((const struct plm_w_reach *)value)->away == 1;
		break;
	default:
		fail_msg("told event %d", (int)observation->type);
	}
	return PLM_OK;
}

/* ---- life ---------------------------------------------------------------------------------------- */

static void make_parts(struct bed *bed)
{
	struct plm_error err = {0};

	bed->context = (struct plm_ec2_context){
		.options = {.cluster_name = "test-cluster", .seed = 7},
		.clock = played_clock(),
		.inbox = {.self = bed, .put = put},
		.cluster_uid = cluster_uid,
		.act = true,
	};
	plm_test_ok(plm_ec2_instances_new(&bed->context, &bed->instances, &err), &err, __FILE__,
		    __LINE__);
	plm_test_ok(plm_ec2_effect_new(&bed->context, &bed->effect, &err), &err, __FILE__,
		    __LINE__);
	if (!bed->blind) {
		plm_ec2_instances_start(bed->instances);
	}
	plm_ec2_effect_start(bed->effect, bed->instances);
	bed->port = plm_ec2_effects(bed->effect);
}

static void end_parts(struct bed *bed)
{
	plm_ec2_effect_free(bed->effect);
	plm_ec2_instances_free(bed->instances);
	plm_ec2_context_fini(&bed->context);
}

static void make_request(struct bed *bed)
{
	static const struct plm_w_class_subnet subnets[] = {
		{.id = TEXT("subnet-a"), .zone = TEXT("us-west-2a")},
		{.id = TEXT("subnet-b"), .zone = TEXT("us-west-2b")}};
	static const struct plm_slice groups[] = {TEXT("sg-1"), TEXT("sg-2")};
	static const struct plm_w_kv labels[] = {{TEXT("karpenter.sh/nodepool"), TEXT("p")}};
	static const struct {
		const char *type, *zone;
	} offers[] = {{"m5.large", "us-west-2a"},
		      {"m5.large", "us-west-2b"},
		      {"m6g.large", "us-west-2a"}};

	bed->recipe = (struct plm_w_ec2_recipe){
		.class = {.meta = {.name = TEXT("c")},
			  .kind = PLM_KIND_NODE_CLASS,
			  .ami_family = TEXT("AL2023"),
			  .setup = {.public_ip = PLM_UNSET,
				    .ip_prefixes = PLM_UNSET,
				    .detailed_monitoring = PLM_UNSET,
				    .http_hops = PLM_UNSET,
				    .raid0 = PLM_UNSET,
				    .tcp_established_s = PLM_UNSET,
				    .udp_stream_s = PLM_UNSET,
				    .udp_s = PLM_UNSET}},
		.subnets = {subnets, PLM_COUNTOF(subnets)},
		.security_groups = {groups, PLM_COUNTOF(groups)},
		.instance_profile = TEXT("profile"),
		.cluster = TEXT("test-cluster"),
		.endpoint = TEXT("https://test-cluster"),
		.ca = TEXT("Y2EtYnVuZGxlCg=="),
		.service_cidr = TEXT("10.100.0.0/16"),
		.dns_ip = TEXT("10.0.100.10"),
	};
	bed->images[0] = plm_slice_str("ami-x86");
	bed->images[1] = plm_slice_str("ami-arm");
	for (size_t i = 0; i < PLM_COUNTOF(offers); i++) {
		bed->offers[i] = (struct plm_w_offer){
			.instance_type = plm_slice_str(offers[i].type),
			.zone = plm_slice_str(offers[i].zone),
			.capacity_type = plm_slice_str("on-demand"),
			.image = i == 2 ? 1 : 0,
			.pods = 29,
		};
	}
	bed->request = (struct plm_w_req_launch){
		.claim = TEXT("claim-1"),
		.pool = TEXT("p"),
		.class_name = TEXT("c"),
		.offers = {bed->offers, PLM_COUNTOF(offers)},
		.labels = {labels, PLM_COUNTOF(labels)},
		.strategy = TEXT("lowest-price"),
		.tenancy = TEXT("default"),
		.images = {bed->images, 2},
	};
}

static void open_bed(struct bed *bed, bool blind)
{
	struct plm_error err = {0};

	*bed = (struct bed){.room = SIZE_MAX, .blind = blind};
	played_start();
	plm_test_ok(plm_arena_init(&bed->arena, 1UL << 30, &err), &err, __FILE__, __LINE__);
	make_request(bed);
	make_parts(bed);
}

void bed_open(struct bed *bed)
{
	open_bed(bed, false);
}

void bed_open_blind(struct bed *bed)
{
	open_bed(bed, true);
}

void bed_close(struct bed *bed)
{
	end_parts(bed);
	played_stop();
	plm_arena_fini(&bed->arena);
}

void bed_kill(struct bed *bed)
{
	end_parts(bed);
	played_forget_calls();
	make_parts(bed);
}

/* ---- effects ------------------------------------------------------------------------------------- */

struct plm_effect bed_effect(struct bed *bed, uint64_t intent, enum plm_call call,
			     const void *request)
{
	struct plm_effect effect = {
		.intent = intent,
		.call = call,
		.request = request,
		.frozen = plm_wire_encode(plm_call_request(call), request, &bed->arena),
		.deadline_ms = PLM_UNSET,
	};

	for (size_t i = 0; i < PLM_INTENT_KEY_SIZE - 1; i++) {
		effect.key[i] = (char)('a' + (intent >> i % 60 & 15));
	}
	return effect;
}

void bed_launch(struct bed *bed, uint64_t intent, bool resent)
{
	struct plm_effect effect;

	bed->request.recipe = plm_ec2_recipe_write(&bed->recipe, &bed->arena);
	bed->request.claim =
		plm_arena_format(&bed->arena, "claim-%llu", (unsigned long long)intent);
	effect = bed_effect(bed, intent, PLM_CALL_LAUNCH, &bed->request);
	effect.resent = resent;
	bed->port.submit(bed->port.self, &effect);
}

void bed_terminate(struct bed *bed, uint64_t intent, struct plm_slice provider_id)
{
	const struct plm_w_req_terminate request = {plm_slice_str("claim"), provider_id};
	struct plm_effect effect = bed_effect(bed, intent, PLM_CALL_TERMINATE, &request);

	bed->port.submit(bed->port.self, &effect);
}

void bed_tag(struct bed *bed, uint64_t intent, struct plm_slice provider_id, const char *name)
{
	const struct plm_w_kv tags[] = {{plm_slice_str("Name"), plm_slice_str(name)}};
	const struct plm_w_req_instance_tag request = {
		.claim = plm_slice_str("claim"), .provider_id = provider_id, .tags = {tags, 1}};
	struct plm_effect effect = bed_effect(bed, intent, PLM_CALL_INSTANCE_TAG, &request);

	bed->port.submit(bed->port.self, &effect);
}

/* ---- what was told ------------------------------------------------------------------------------- */

bool bed_is_final(const struct plm_w_result *result)
{
	return result->class != PLM_RESULT_UNKNOWN && result->class != PLM_RESULT_RETRYABLE;
}

const struct plm_w_result *bed_final(const struct bed *bed, uint64_t intent)
{
	const struct plm_w_result *found = NULL;

	for (size_t i = 0; i < bed->result_count; i++) {
		if (bed->results[i]->intent == (int64_t)intent && bed_is_final(bed->results[i])) {
			assert_null(found);
			found = bed->results[i];
		}
	}
	return found;
}

int bed_count(const struct bed *bed, uint64_t intent, enum plm_result_class class)
{
	int count = 0;

	for (size_t i = 0; i < bed->result_count; i++) {
		count += bed->results[i]->intent == (int64_t)intent &&
			 bed->results[i]->class == (int64_t)class;
	}
	return count;
}

static bool is_of(const struct plm_w_instance *fact, const char *id)
{
	char own[PLM_EC2_ID_SIZE];

	return plm_ec2_instance_id(fact->provider_id, own) && strcmp(own, id) == 0;
}

const struct plm_w_instance *bed_fact(const struct bed *bed, const char *id)
{
	for (size_t i = bed->fact_count; i > 0; i--) {
		if (is_of(bed->facts[i - 1], id)) {
			return bed->facts[i - 1];
		}
	}
	return NULL;
}

int bed_facts(const struct bed *bed, const char *id)
{
	int count = 0;

	for (size_t i = 0; i < bed->fact_count; i++) {
		count += is_of(bed->facts[i], id);
	}
	return count;
}
