#include "adapters/ec2/catalog_ask.h"

#include <cjson/cJSON.h>

#include "adapters/ec2/query.h"
#include "core/timefmt.h"

unsigned plm_ec2_asks(enum plm_ec2_sheet_kind kind)
{
	return kind == PLM_EC2_SEEN_DEMAND ? 2 : 1;
}

static void filter_two(struct plm_query *query, const char *name, const char *a, const char *b)
{
	struct plm_slice values[] = {plm_slice_str(a), plm_slice_str(b)};

	plm_query_filter(query, name, (struct plm_vec){values, PLM_COUNTOF(values)});
}

static void ask_types(struct plm_query *query)
{
	plm_query_filter_one(query, "supported-virtualization-type", plm_slice_str("hvm"));
	filter_two(query, "processor-info.supported-architecture", "x86_64", "arm64");
	plm_query_number(query, 100, "MaxResults");
}

static void ask_spot(struct plm_query *query, int64_t now_ms)
{
	char now[PLM_TIME_SIZE];

	plm_query_text(query, "ProductDescription.1", "Linux/UNIX");
	plm_query_text(query, "ProductDescription.2", "Linux/UNIX (Amazon VPC)");
	plm_query_text(query, "StartTime",
		       plm_time_format(now_ms - now_ms % PLM_MS_PER_SECOND, now));
	plm_query_number(query, 1000, "MaxResults");
}

static void add_term(cJSON *filters, const char *field, const char *value)
{
	cJSON *filter = cJSON_CreateObject();

	(void)cJSON_AddStringToObject(filter, "Field", field);
	(void)cJSON_AddStringToObject(filter, "Type", "TERM_MATCH");
	(void)cJSON_AddStringToObject(filter, "Value", value);
	PLM_ASSERT(cJSON_AddItemToArray(filters, filter));
}

static struct plm_slice ask_products(bool metal, const char *region, struct plm_arena *arena)
{
	cJSON *body = cJSON_CreateObject();
	cJSON *filters = cJSON_AddArrayToObject(body, "Filters");
	struct plm_slice text;
	char *printed = NULL;

	add_term(filters, "regionCode", region);
	add_term(filters, "serviceCode", "AmazonEC2");
	add_term(filters, "preInstalledSw", "NA");
	add_term(filters, "operatingSystem", "Linux");
	add_term(filters, "capacitystatus", "Used");
	add_term(filters, "marketoption", "OnDemand");
	add_term(filters, "tenancy", metal ? "Dedicated" : "Shared");
	add_term(filters, "productFamily",
		 metal ? "Compute Instance (bare metal)" : "Compute Instance");
	(void)cJSON_AddStringToObject(body, "FormatVersion", "aws_v1");
	(void)cJSON_AddNumberToObject(body, "MaxResults", 100);
	(void)cJSON_AddStringToObject(body, "ServiceCode", "AmazonEC2");
	printed = cJSON_PrintUnformatted(body);
	PLM_ASSERT(printed != NULL);
	text = plm_arena_copy(arena, plm_slice_str(printed));
	cJSON_free(printed);
	cJSON_Delete(body);
	return text;
}

void plm_ec2_catalog_question(enum plm_ec2_sheet_kind kind, unsigned number, const char *region,
			      int64_t now_ms, struct plm_arena *arena, struct plm_aws_paging *out)
{
	static const enum plm_aws_call calls[PLM_EC2_SEEN_COUNT] = {
		[PLM_EC2_SEEN_ZONES] = PLM_AWS_CALL_DESCRIBE_ZONES,
		[PLM_EC2_SEEN_TYPES] = PLM_AWS_CALL_DESCRIBE_INSTANCE_TYPES,
		[PLM_EC2_SEEN_OFFERS] = PLM_AWS_CALL_DESCRIBE_OFFERINGS,
		[PLM_EC2_SEEN_SPOT] = PLM_AWS_CALL_DESCRIBE_SPOT_PRICES,
		[PLM_EC2_SEEN_DEMAND] = PLM_AWS_CALL_GET_PRODUCTS,
		[PLM_EC2_SEEN_RESERVATIONS] = PLM_AWS_CALL_DESCRIBE_RESERVATIONS,
	};
	struct plm_query query;

	out->call = calls[kind];
	plm_query_init(&query, arena);
	switch (kind) {
	case PLM_EC2_SEEN_TYPES:
		ask_types(&query);
		break;
	case PLM_EC2_SEEN_OFFERS:
		plm_query_text(&query, "LocationType", "availability-zone");
		plm_query_number(&query, 1000, "MaxResults");
		break;
	case PLM_EC2_SEEN_SPOT:
		ask_spot(&query, now_ms);
		break;
	case PLM_EC2_SEEN_DEMAND:
		out->body = ask_products(number == 1, region, arena);
		return;
	case PLM_EC2_SEEN_RESERVATIONS:
		plm_query_filter_one(&query, "state", plm_slice_str("active"));
		plm_query_number(&query, 1000, "MaxResults");
		break;
	case PLM_EC2_SEEN_ZONES:
	case PLM_EC2_SEEN_COUNT:
		break;
	}
	out->body = plm_query_form(&query);
}
