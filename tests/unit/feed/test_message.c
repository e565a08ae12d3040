#include "feed.h"

#include "plm_test.h"

#include "adapters/ec2/message.h"
#include "core/limits.h"

#include <stdio.h>

#define ENVELOPE(source, type, detail)                                                             \
	"{\"version\":\"0\",\"id\":\"7bf73129-1428-4cd3-a780-95db273d1602\",\"detail-type\":"      \
	"\"" type "\",\"source\":\"" source "\",\"account\":\"123456789012\",\"time\":"            \
	"\"2026-01-01T00:00:00Z\",\"region\":\"us-west-2\",\"resources\":[\"arn:aws:ec2:us-west-"  \
	"2:"                                                                                       \
	"123456789012:instance/i-fromresources\"],\"detail\":" detail "}"
#define EC2(type, detail) ENVELOPE("aws.ec2", type, detail)
#define HEALTH(detail) ENVELOPE("aws.health", "AWS Health Event", detail)
#define NEW_YEAR_MS 1767225600000

static const struct message_case {
	const char *name, *body;
	enum plm_ec2_message_kind kind;
	enum plm_interrupt interrupt;
	int64_t at_ms;
	const char *ids; /* with a comma between */
	const char *state;
} message_table[] = {
	{"spot",
	 EC2("EC2 Spot Instance Interruption Warning",
	     "{\"instance-id\":\"i-1\",\"instance-action\":\"terminate\"}"),
	 PLM_EC2_MESSAGE_INTERRUPTION, PLM_INTERRUPT_SPOT, NEW_YEAR_MS + 120000, "i-1", ""},
	{"rebalance", EC2("EC2 Instance Rebalance Recommendation", "{\"instance-id\":\"i-1\"}"),
	 PLM_EC2_MESSAGE_INTERRUPTION, PLM_INTERRUPT_REBALANCE, PLM_UNSET, "i-1", ""},
	{"stopping",
	 EC2("EC2 Instance State-change Notification",
	     "{\"instance-id\":\"i-1\",\"state\":\"stopping\"}"),
	 PLM_EC2_MESSAGE_INTERRUPTION, PLM_INTERRUPT_STATE, PLM_UNSET, "i-1", "stopping"},
	{"running",
	 EC2("EC2 Instance State-change Notification",
	     "{\"instance-id\":\"i-1\",\"state\":\"running\"}"),
	 PLM_EC2_MESSAGE_NOTHING, 0, 0, NULL, NULL},
	{"reservation",
	 EC2("EC2 Capacity Reservation Instance Interruption Warning",
	     "{\"instance-id\":\"i-1\",\"instance-action\":\"terminate\","
	     "\"instance-termination-time\":\"2026-01-01T00:30:00Z\",\"availability-zone-id\":"
	     "\"usw2-az1\",\"instance-lifecycle\":\"capacity-block\"}"),
	 PLM_EC2_MESSAGE_INTERRUPTION, PLM_INTERRUPT_RESERVATION, NEW_YEAR_MS + 1800000, "i-1", ""},
	{"health, RFC 1123",
	 HEALTH("{\"service\":\"EC2\",\"eventTypeCode\":\"AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED\","
		"\"eventTypeCategory\":\"scheduledChange\",\"startTime\":\"Thu, 1 Jan 2026 "
		"01:00:00 GMT\",\"affectedEntities\":[{\"entityValue\":\"i-1\",\"tags\":{}},"
		"{\"entityValue\":\"i-2\"},{\"entityArn\":\"x\"}]}"),
	 PLM_EC2_MESSAGE_INTERRUPTION, PLM_INTERRUPT_SCHEDULED, NEW_YEAR_MS + 3600000, "i-1,i-2",
	 ""},
	{"health, ISO, nobody",
	 HEALTH("{\"service\":\"EC2\",\"eventTypeCategory\":\"scheduledChange\",\"startTime\":"
		"\"2026-01-01T00:00:00Z\",\"affectedEntities\":[]}"),
	 PLM_EC2_MESSAGE_INTERRUPTION, PLM_INTERRUPT_SCHEDULED, NEW_YEAR_MS, "", ""},
	{"health, no time",
	 HEALTH("{\"service\":\"EC2\",\"eventTypeCategory\":\"scheduledChange\",\"startTime\":"
		"\"soon\",\"affectedEntities\":[{\"entityValue\":\"i-1\"}]}"),
	 PLM_EC2_MESSAGE_INTERRUPTION, PLM_INTERRUPT_SCHEDULED, PLM_UNSET, "i-1", ""},
	{"health of another service",
	 HEALTH("{\"service\":\"RDS\",\"eventTypeCategory\":\"scheduledChange\"}"),
	 PLM_EC2_MESSAGE_NOTHING, 0, 0, NULL, NULL},
	{"health that says what was",
	 HEALTH("{\"service\":\"EC2\",\"eventTypeCategory\":\"accountNotification\"}"),
	 PLM_EC2_MESSAGE_NOTHING, 0, 0, NULL, NULL},
	{"health that is over",
	 HEALTH("{\"service\":\"EC2\",\"eventTypeCategory\":\"scheduledChange\",\"statusCode\":"
		"\"closed\",\"affectedEntities\":[{\"entityValue\":\"i-1\"}]}"),
	 PLM_EC2_MESSAGE_NOTHING, 0, 0, NULL, NULL},
	{"another type", EC2("EBS Volume Notification", "{}"), PLM_EC2_MESSAGE_NOTHING, 0, 0, NULL,
	 NULL},
	{"another source",
	 ENVELOPE("aws.s3", "EC2 Spot Instance Interruption Warning", "{\"instance-id\":\"i-1\"}"),
	 PLM_EC2_MESSAGE_NOTHING, 0, 0, NULL, NULL},
	{"another version",
	 "{\"version\":\"1\",\"source\":\"aws.ec2\",\"detail-type\":\"EC2 Instance Rebalance "
	 "Recommendation\",\"detail\":{\"instance-id\":\"i-1\"}}",
	 PLM_EC2_MESSAGE_NOTHING, 0, 0, NULL, NULL},
	{"spot without an id", EC2("EC2 Spot Instance Interruption Warning", "{}"),
	 PLM_EC2_MESSAGE_UNREADABLE, 0, 0, NULL, NULL},
	{"no detail", "{\"source\":\"aws.ec2\",\"detail-type\":\"x\"}", PLM_EC2_MESSAGE_UNREADABLE,
	 0, 0, NULL, NULL},
	{"empty", "", PLM_EC2_MESSAGE_UNREADABLE, 0, 0, NULL, NULL},
	{"a word", "Hello", PLM_EC2_MESSAGE_UNREADABLE, 0, 0, NULL, NULL},
	{"a list", "[1,2]", PLM_EC2_MESSAGE_UNREADABLE, 0, 0, NULL, NULL},
	{"cut off", "{\"version\":\"0\",\"source\":\"aws.ec2\"", PLM_EC2_MESSAGE_UNREADABLE, 0, 0,
	 NULL, NULL},
	{"no UTF-8", "{\"source\":\"aws.ec2\xff\",\"detail-type\":\"x\",\"detail\":{}}",
	 PLM_EC2_MESSAGE_UNREADABLE, 0, 0, NULL, NULL},
};

static void message_row(const struct message_case *row)
{
	struct plm_ec2_message message;
	struct plm_arena arena;
	struct plm_error err;
	char ids[64] = "";

	plm_assert_ok(plm_arena_init(&arena, PLM_LIMIT_EC2_MESSAGE_ARENA, &err), &err);
	plm_ec2_message_read(plm_slice_str(row->body), &arena, &message);
	assert_int_equal(message.kind, row->kind);
	if (row->kind == PLM_EC2_MESSAGE_INTERRUPTION) {
		const struct plm_slice *list = message.ids.ptr;

		for (size_t i = 0; i < message.ids.count; i++) {
			(void)snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%s%.*s",
				       i == 0 ? "" : ",", (int)list[i].size,
				       (const char *)list[i].ptr);
		}
		assert_int_equal(message.interrupt, row->interrupt);
		assert_int_equal(message.at_ms, row->at_ms);
		assert_string_equal(ids, row->ids);
		plm_assert_text(message.state, row->state);
		plm_assert_text(message.id, "7bf73129-1428-4cd3-a780-95db273d1602");
	}
	plm_arena_fini(&arena);
}
PLM_TEST_ROWS(message_row, struct message_case)

static const struct instant_case {
	const char *text;
	int64_t ms;
} instant_table[] = {
	{"Thu, 01 Jan 2026 00:00:00 GMT", NEW_YEAR_MS},
	{"Thu, 1 Jan 2026 00:00:00 UTC", NEW_YEAR_MS},
	{"2026-01-01T00:00:00Z", NEW_YEAR_MS},
	{"2026-01-01T01:00:00+01:00", NEW_YEAR_MS},
	{"Sat, 05 Jun 2027 15:10:09 GMT", 1812208209000},
	{"Thu, 01 Jan 2026 00:00:00 CET", PLM_UNSET},
	{"Thu, 41 Jan 2026 00:00:00 GMT", PLM_UNSET},
	{"Thu, 01 Foo 2026 00:00:00 GMT", PLM_UNSET},
	{"Thu, 01 Jan 2026 00:00:00 GMT and more", PLM_UNSET},
	{"", PLM_UNSET},
	{"     ", PLM_UNSET},
};

static void instant_row(const struct instant_case *row)
{
	assert_int_equal(plm_ec2_instant_ms(plm_slice_str(row->text)), row->ms);
}
PLM_TEST_ROWS(instant_row, struct instant_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, message_row, message_table);
	PLM_TEST_TABLE(&tests, instant_row, instant_table);
	return plm_tests_run(&tests, "message");
}
