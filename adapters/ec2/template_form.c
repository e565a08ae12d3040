#include "adapters/ec2/template_form.h"

#include "core/object.h"

#define GIB (1024LL * 1024 * 1024)

struct plm_slice plm_ec2_base64(struct plm_slice bytes, struct plm_arena *arena)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = PLM_NEW_ARRAY(arena, (bytes.size + 2) / 3 * 4 + 1, char);
	size_t used = 0;

	for (size_t at = 0; at < bytes.size; at += 3) {
		size_t left = bytes.size - at;
		uint32_t bits = (uint32_t)bytes.ptr[at] << 16;

		bits |= left > 1 ? (uint32_t)bytes.ptr[at + 1] << 8 : 0;
		bits |= left > 2 ? (uint32_t)bytes.ptr[at + 2] : 0;
		text[used++] = digits[bits >> 18 & 63];
		text[used++] = digits[bits >> 12 & 63];
		text[used++] = (char)(left > 1 ? digits[bits >> 6 & 63] : '=');
		text[used++] = (char)(left > 2 ? digits[bits & 63] : '=');
	}
	return plm_slice_of(text, used);
}

/* ---- one parameter ------------------------------------------------------------------------------- */

/* What names begin with: "LaunchTemplateData.NetworkInterface.1." */
struct place {
	struct plm_query *query;
	const char *prefix;
};

static void put_text(const struct place *at, const char *name, struct plm_slice text)
{
	if (text.size > 0) {
		plm_query_put(at->query, text, "%s%s", at->prefix, name);
	}
}

static void put_number(const struct place *at, const char *name, int64_t number)
{
	if (number != PLM_UNSET) {
		plm_query_number(at->query, number, "%s%s", at->prefix, name);
	}
}

static void put_bool(const struct place *at, const char *name, int64_t value)
{
	if (value != PLM_UNSET) {
		put_text(at, name, plm_slice_str(value == 1 ? "true" : "false"));
	}
}

static struct place below(const struct place *at, const char *list, size_t index)
{
	struct plm_slice prefix =
		plm_arena_format(at->query->arena, "%s%s.%zu.", at->prefix, list, index + 1);

	return (struct place){at->query, (const char *)prefix.ptr};
}

/* ---- parts --------------------------------------------------------------------------------------- */

static void put_device(const struct place *at, const struct plm_w_block_device *d)
{
	put_text(at, "DeviceName", d->name);
	put_bool(at, "Ebs.DeleteOnTermination", d->delete_on_termination);
	put_bool(at, "Ebs.Encrypted", d->encrypted);
	put_number(at, "Ebs.Iops", d->iops);
	put_text(at, "Ebs.KmsKeyId", d->kms_key);
	put_text(at, "Ebs.SnapshotId", d->snapshot);
	put_number(at, "Ebs.Throughput", d->throughput);
	put_number(at, "Ebs.VolumeInitializationRate", d->initialization_rate);
	put_number(at, "Ebs.VolumeSize",
		   d->size_bytes == PLM_UNSET ? PLM_UNSET : plm_div_ceil(d->size_bytes, GIB));
	put_text(at, "Ebs.VolumeType", d->type);
}

static void put_tracking(const struct place *at, const struct plm_ec2_template *v)
{
	if (v->tcp_established_s <= 0 && v->udp_stream_s <= 0 && v->udp_s <= 0) {
		return;
	}
	put_number(at, "ConnectionTrackingSpecification.TcpEstablishedTimeout",
		   v->tcp_established_s);
	put_number(at, "ConnectionTrackingSpecification.UdpStreamTimeout", v->udp_stream_s);
	put_number(at, "ConnectionTrackingSpecification.UdpTimeout", v->udp_s);
}

static void put_interface(const struct place *at, const struct plm_ec2_template *v,
			  const struct plm_ec2_interface *interface)
{
	const struct plm_slice *groups = v->security_groups.ptr;

	put_number(at, "DeviceIndex", interface->device);
	put_number(at, "NetworkCardIndex", interface->card);
	put_text(at, "InterfaceType", plm_slice_str(interface->type));
	for (size_t i = 0; i < v->security_groups.count; i++) {
		plm_query_put(at->query, groups[i], "%sSecurityGroupId.%zu", at->prefix, i + 1);
	}
	if (!interface->ip) {
		return;
	}
	put_bool(at, "AssociatePublicIpAddress", v->public_ip);
	put_tracking(at, v);
	put_number(at, v->ipv6 ? "Ipv6PrefixCount" : "Ipv4PrefixCount", v->ip_prefixes);
	if (v->ipv6) {
		put_number(at, "Ipv6AddressCount", 1);
		put_bool(at, "PrimaryIpv6", 1);
	}
}

static void put_tags(const struct place *at, const char *resource, struct plm_vec tags)
{
	const struct plm_w_kv *list = tags.ptr;

	put_text(at, "ResourceType", plm_slice_str(resource));
	for (size_t i = 0; i < tags.count; i++) {
		plm_query_put(at->query, list[i].key, "%sTag.%zu.Key", at->prefix, i + 1);
		plm_query_put(at->query, list[i].value, "%sTag.%zu.Value", at->prefix, i + 1);
	}
}

static void put_options(const struct place *at, const struct plm_ec2_template *v)
{
	put_text(at, "MetadataOptions.HttpEndpoint", v->http_endpoint);
	put_text(at, "MetadataOptions.HttpProtocolIpv6", v->http_ipv6);
	put_number(at, "MetadataOptions.HttpPutResponseHopLimit", v->http_hops);
	put_text(at, "MetadataOptions.HttpTokens", v->http_tokens);
	put_text(at, "MetadataOptions.InstanceMetadataTags", plm_slice_str("disabled"));
}

void plm_ec2_template_put(struct plm_query *query, const char *prefix,
			  const struct plm_ec2_template *v, unsigned tags_from)
{
	const struct place top = {query, prefix};
	const struct plm_w_block_device *devices = v->devices.ptr;
	const struct plm_ec2_interface *interfaces = v->interfaces.ptr;
	size_t tagged = tags_from - 1;
	struct place at = {0};

	for (size_t i = 0; i < v->devices.count; i++) {
		at = below(&top, "BlockDeviceMapping", i);
		put_device(&at, &devices[i]);
	}
	put_text(&top, "CapacityReservationSpecification.CapacityReservationPreference",
		 plm_slice_str(v->reservation_preference));
	put_text(&top,
		 "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId",
		 v->reservation);
	put_text(&top, "CpuOptions.NestedVirtualization", v->nested_virtualization);
	put_text(&top, "IamInstanceProfile.Name", v->instance_profile);
	put_text(&top, "ImageId", v->image);
	put_text(&top, "InstanceMarketOptions.MarketType", plm_slice_str(v->market));
	put_options(&top, v);
	put_bool(&top, "Monitoring.Enabled", v->detailed_monitoring == 1 ? 1 : 0);
	for (size_t i = 0; i < v->interfaces.count; i++) {
		at = below(&top, "NetworkInterface", i);
		put_interface(&at, v, &interfaces[i]);
	}
	put_text(&top, "Placement.GroupId", v->placement_group);
	at = below(&top, "TagSpecification", tagged++);
	put_tags(&at, "network-interface", v->tags);
	if (v->spot) {
		at = below(&top, "TagSpecification", tagged);
		put_tags(&at, "spot-instances-request", v->tags);
	}
	put_text(&top, "UserData", plm_ec2_base64(v->user_data, query->arena));
}

/*
 * Without a token: the name does what a token would, and the token of a template that somebody deleted would be answered as
 * if it were there.
 */
struct plm_slice plm_ec2_template_form(const struct plm_ec2_template *value, struct plm_slice name,
				       struct plm_arena *arena)
{
	struct plm_query query;

	plm_query_init(&query, arena);
	plm_query_put(&query, name, "LaunchTemplateName");
	plm_query_text(&query, "TagSpecification.1.ResourceType", "launch-template");
	plm_query_tags(&query, "TagSpecification.1", value->tags);
	plm_ec2_template_put(&query, "LaunchTemplateData.", value, 1);
	return plm_query_whole(&query, PLM_AWS_CALL_CREATE_LAUNCH_TEMPLATE);
}
