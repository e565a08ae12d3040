#include "adapters/ec2/message.h"

#include <stdio.h>

#include "adapters/ec2/tree.h"
#include "core/limits.h"
#include "core/timefmt.h"
#include "core/utf8.h"

/* A spot instance is taken two minutes after its warning. */
#define SPOT_NOTICE_MS (2 * PLM_MS_PER_MINUTE)

typedef const struct plm_aws_node node;

static struct plm_slice until_space(struct plm_slice *rest)
{
	struct plm_slice word = *rest;

	for (size_t i = 0; i < rest->size; i++) {
		if (rest->ptr[i] == ' ') {
			word.size = i;
			*rest = plm_slice_of(rest->ptr + i + 1, rest->size - i - 1);
			return word;
		}
	}
	*rest = (struct plm_slice){0};
	return word;
}

/* "Sat, 05 Jun 2027 15:10:09 GMT" as "2027-06-05T15:10:09Z" in 'text'. */
static bool from_rfc1123(struct plm_slice from, char text[PLM_TIME_SIZE])
{
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	struct plm_slice words[6];
	int month = 0;

	for (size_t i = 0; i < PLM_COUNTOF(words); i++) {
		words[i] = until_space(&from);
	}
	for (int i = 0; i < 12; i++) {
		month = plm_slice_is(words[2], months[i]) ? i + 1 : month;
	}
	if (from.size > 0 || month == 0 || words[0].size != 4 || words[1].size < 1 ||
	    words[1].size > 2 || words[3].size != 4 || words[4].size != 8 ||
	    !(plm_slice_is(words[5], "GMT") || plm_slice_is(words[5], "UTC"))) {
		return false;
	}
	(void)snprintf(text, PLM_TIME_SIZE, "%.4s-%02d-%s%.*sT%.8sZ", (const char *)words[3].ptr,
		       month, words[1].size == 1 ? "0" : "", (int)words[1].size,
		       (const char *)words[1].ptr, (const char *)words[4].ptr);
	return true;
}

int64_t plm_ec2_instant_ms(struct plm_slice text)
{
	char other[PLM_TIME_SIZE];
	struct plm_error err;
	int64_t ms = PLM_UNSET;

	if (from_rfc1123(text, other)) {
		text = plm_slice_str(other);
	}
	return plm_time_parse(text, &ms, &err) == PLM_OK ? ms : PLM_UNSET;
}

/* ---- one kind each ----------------------------------------------------------------------------- */

static void one_id(node *detail, struct plm_arena *arena, struct plm_ec2_message *out)
{
	struct plm_slice id = plm_aws_text(detail, "instance-id");
	struct plm_slice *ids = PLM_NEW(arena, struct plm_slice);

	*ids = id;
	out->ids = (struct plm_vec){.ptr = ids, .count = 1};
	if (id.size == 0) {
		out->kind = PLM_EC2_MESSAGE_UNREADABLE;
	}
}

static void read_spot(node *detail, struct plm_arena *arena, struct plm_ec2_message *out)
{
	out->interrupt = PLM_INTERRUPT_SPOT;
	out->at_ms =
		out->sent_ms == PLM_UNSET ? PLM_UNSET : plm_add_sat(out->sent_ms, SPOT_NOTICE_MS);
	one_id(detail, arena, out);
}

static void read_rebalance(node *detail, struct plm_arena *arena, struct plm_ec2_message *out)
{
	out->interrupt = PLM_INTERRUPT_REBALANCE;
	one_id(detail, arena, out);
}

static void read_state(node *detail, struct plm_arena *arena, struct plm_ec2_message *out)
{
	static const char *const ends[] = {"stopping", "stopped", "shutting-down", "terminated"};
	bool matters = false;

	out->interrupt = PLM_INTERRUPT_STATE;
	out->state = plm_aws_text(detail, "state");
	for (size_t i = 0; i < PLM_COUNTOF(ends); i++) {
		matters = matters || plm_slice_is(out->state, ends[i]);
	}
	if (!matters) {
		out->kind = PLM_EC2_MESSAGE_NOTHING;
	}
	one_id(detail, arena, out);
}

static void read_reservation(node *detail, struct plm_arena *arena, struct plm_ec2_message *out)
{
	out->interrupt = PLM_INTERRUPT_RESERVATION;
	out->at_ms = plm_ec2_instant_ms(plm_aws_text(detail, "instance-termination-time"));
	one_id(detail, arena, out);
}

/* Of many services and kinds; only changes that are planned for instances matter, and not those that are over. */
static void read_health(node *detail, struct plm_arena *arena, struct plm_ec2_message *out)
{
	node *entities = plm_aws_get(detail, "affectedEntities");
	struct plm_slice *ids = NULL;

	out->interrupt = PLM_INTERRUPT_SCHEDULED;
	out->at_ms = plm_ec2_instant_ms(plm_aws_text(detail, "startTime"));
	if (!plm_slice_is(plm_aws_text(detail, "service"), "EC2") ||
	    !plm_slice_is(plm_aws_text(detail, "eventTypeCategory"), "scheduledChange") ||
	    plm_slice_is(plm_aws_text(detail, "statusCode"), "closed")) {
		out->kind = PLM_EC2_MESSAGE_NOTHING;
		return;
	}
	ids = PLM_NEW_ARRAY(arena, entities == NULL ? 0 : entities->count, struct plm_slice);
	out->ids.ptr = ids;
	for (node *at = entities == NULL ? NULL : entities->child; at != NULL; at = at->next) {
		struct plm_slice id = plm_aws_text(at, "entityValue");

		if (id.size > 0) {
			ids[out->ids.count++] = id;
		}
	}
}

/* ---- all kinds --------------------------------------------------------------------------------- */

static const struct {
	const char *source, *type;
	void (*read)(node *detail, struct plm_arena *arena, struct plm_ec2_message *out);
} readers[] = {
	{"aws.ec2", "EC2 Spot Instance Interruption Warning", read_spot},
	{"aws.ec2", "EC2 Instance Rebalance Recommendation", read_rebalance},
	{"aws.ec2", "EC2 Instance State-change Notification", read_state},
	{"aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning", read_reservation},
	{"aws.health", "AWS Health Event", read_health},
};

void plm_ec2_message_read(struct plm_slice body, struct plm_arena *arena,
			  struct plm_ec2_message *out)
{
	struct plm_error err;
	node *root = NULL;
	struct plm_slice source;
	struct plm_slice type;

	*out = (struct plm_ec2_message){.at_ms = PLM_UNSET, .sent_ms = PLM_UNSET};
	if (body.size > PLM_LIMIT_EC2_MESSAGE_BYTES || plm_utf8_prefix(body) != body.size ||
	    plm_aws_json(body, arena, &root, &err) != PLM_OK) {
		return;
	}
	source = plm_aws_text(root, "source");
	type = plm_aws_text(root, "detail-type");
	if (source.size == 0 || type.size == 0 || plm_aws_get(root, "detail") == NULL) {
		return;
	}
	out->kind = PLM_EC2_MESSAGE_NOTHING;
	out->id = plm_aws_text(root, "id");
	out->sent_ms = plm_ec2_instant_ms(plm_aws_text(root, "time"));
	for (size_t i = 0; i < PLM_COUNTOF(readers); i++) {
		if (plm_slice_is(source, readers[i].source) &&
		    plm_slice_is(type, readers[i].type) &&
		    plm_slice_is(plm_aws_text(root, "version"), "0")) {
			out->kind = PLM_EC2_MESSAGE_INTERRUPTION;
			readers[i].read(plm_aws_get(root, "detail"), arena, out);
			return;
		}
	}
}
