#include "adapters/ec2/template.h"

#include "adapters/ec2/text.h"
#include "ec2/family.h"
#include "hash/hash.h"

#define GIB (1024LL * 1024 * 1024)
#define NAME_DIGITS 32

/* ---- tags ---------------------------------------------------------------------------------------- */

static void put_tag(struct plm_w_kv *list, size_t *count, struct plm_slice key,
		    struct plm_slice value)
{
	size_t at = 0;

	while (at < *count && plm_slice_compare(list[at].key, key) < 0) {
		at++;
	}
	if (at == *count || !plm_slice_equal(list[at].key, key)) {
		memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
		(*count)++;
	}
	list[at] = (struct plm_w_kv){key, value};
}

struct plm_vec plm_ec2_tags(const struct plm_ec2_launch *launch, struct plm_arena *arena)
{
	const struct plm_w_node_class *class = launch->boot.class;
	const struct plm_slice cluster = launch->boot.cluster->name;
	const struct plm_w_kv own[] = {
		{plm_arena_format(arena, "kubernetes.io/cluster/%.*s", (int)cluster.size,
				  (const char *)cluster.ptr),
		 plm_slice_str("owned")},
		{plm_slice_str("karpenter.sh/nodepool"), launch->pool},
		{plm_slice_str("eks:eks-cluster-name"), cluster},
		{plm_slice_str("karpenter.k8s.aws/ec2nodeclass"), class->meta.name},
	};
	const struct plm_w_kv *said = class->tags.ptr;
	struct plm_w_kv *list =
		PLM_NEW_ARRAY(arena, class->tags.count + PLM_COUNTOF(own), struct plm_w_kv);
	size_t count = 0;

	for (size_t i = 0; i < class->tags.count; i++) {
		put_tag(list, &count, said[i].key, said[i].value);
	}
	for (size_t i = 0; i < PLM_COUNTOF(own); i++) {
		put_tag(list, &count, own[i].key, own[i].value);
	}
	return (struct plm_vec){list, count};
}

/* ---- parts --------------------------------------------------------------------------------------- */

static struct plm_vec devices_of(const struct plm_w_node_class *class, struct plm_arena *arena)
{
	const struct plm_ec2_family_row *row = plm_ec2_family_row(plm_ec2_family_of(class));
	struct plm_w_block_device *list =
		PLM_NEW_ARRAY(arena, PLM_COUNTOF(row->volumes), struct plm_w_block_device);
	size_t count = 0;

	if (class->setup.devices.count > 0) {
		return class->setup.devices;
	}
	for (size_t i = 0; i < PLM_COUNTOF(row->volumes) && row->volumes[i].device != NULL; i++) {
		list[count++] = (struct plm_w_block_device){
			.name = plm_slice_str(row->volumes[i].device),
			.size_bytes = row->volumes[i].bytes,
			.type = plm_slice_str("gp3"),
			.encrypted = 1,
			.iops = PLM_UNSET,
			.throughput = PLM_UNSET,
			.delete_on_termination = PLM_UNSET,
			.initialization_rate = PLM_UNSET,
		};
	}
	return (struct plm_vec){list, count};
}

/* Those of the class, else one EFA per card, else the one that every instance has. */
static struct plm_vec interfaces_of(const struct plm_ec2_launch *launch, struct plm_arena *arena)
{
	const struct plm_w_class_setup *setup = &launch->boot.class->setup;
	const struct plm_w_class_interface *said = setup->interfaces.ptr;
	size_t count = setup->interfaces.count > 0 ? setup->interfaces.count
						   : (size_t)plm_max(launch->efa_count, 1);
	struct plm_ec2_interface *list = PLM_NEW_ARRAY(arena, count, struct plm_ec2_interface);

	for (size_t i = 0; i < count; i++) {
		if (setup->interfaces.count > 0) {
			bool efa = plm_slice_is(said[i].type, "efa-only");

			list[i] = (struct plm_ec2_interface){said[i].card, said[i].device,
							     efa ? "efa-only" : "interface", !efa};
		} else if (launch->efa_count > 0) {
			list[i] =
				(struct plm_ec2_interface){(int64_t)i, i == 0 ? 0 : 1, "efa", true};
		} else {
			list[i] = (struct plm_ec2_interface){PLM_UNSET, 0, "", true};
		}
	}
	return (struct plm_vec){list, count};
}

static struct plm_slice said_or(struct plm_slice said, const char *otherwise)
{
	return said.size > 0 ? said : plm_slice_str(otherwise);
}

static const char *market_of(const struct plm_ec2_launch *launch)
{
	if (launch->capacity_block) {
		return "capacity-block";
	}
	return launch->interruptible ? "interruptible-capacity-reservation" : "";
}

enum plm_code plm_ec2_template(const struct plm_ec2_launch *launch, struct plm_arena *arena,
			       struct plm_ec2_template *out, struct plm_error *err)
{
	const struct plm_w_class_setup *setup = &launch->boot.class->setup;
	struct plm_slice dns = plm_ec2_boot_dns(&launch->boot);
	bool reserved = plm_slice_is(launch->capacity_type, "reserved");
	struct plm_slice user_data = {0};
	enum plm_code code = plm_ec2_user_data(&launch->boot, arena, &user_data, NULL, err);

	if (code != PLM_OK) {
		return code;
	}
	*out = (struct plm_ec2_template){
		.image = launch->image,
		.instance_profile = launch->instance_profile,
		.user_data = user_data,
		.devices = devices_of(launch->boot.class, arena),
		.interfaces = interfaces_of(launch, arena),
		.security_groups = launch->security_groups,
		.public_ip = setup->public_ip,
		.ip_prefixes = setup->ip_prefixes,
		.detailed_monitoring = setup->detailed_monitoring,
		.ipv6 = dns.size > 0 && memchr(dns.ptr, ':', dns.size) != NULL,
		.http_endpoint = said_or(setup->http_endpoint, "enabled"),
		.http_ipv6 = said_or(setup->http_ipv6, "disabled"),
		.http_tokens = said_or(setup->http_tokens, "required"),
		.http_hops = setup->http_hops > 0 ? setup->http_hops : 1,
		.tcp_established_s = setup->tcp_established_s,
		.udp_stream_s = setup->udp_stream_s,
		.udp_s = setup->udp_s,
		.nested_virtualization = setup->nested_virtualization,
		.tags = plm_ec2_tags(launch, arena),
		.spot = plm_slice_is(launch->capacity_type, "spot"),
		.reservation_preference = reserved ? "capacity-reservations-only" : "none",
		.reservation = reserved ? launch->reservation : (struct plm_slice){0},
		.market = market_of(launch),
		.placement_group = launch->placement_group,
	};
	return PLM_OK;
}

/* ---- canonical form ------------------------------------------------------------------------------ */

static void begin(struct plm_text *out, const char *key)
{
	char last = out->size == 0 ? '{' : out->bytes[out->size - 1];

	plm_text_putf(out, "%s", last == '{' || last == '[' ? "" : ",");
	if (key != NULL) {
		plm_text_putf(out, "\"%s\":", key);
	}
}

static void put_text(struct plm_text *out, const char *key, struct plm_slice text)
{
	if (text.size > 0) {
		begin(out, key);
		plm_text_quote(out, text);
	}
}

static void put_number(struct plm_text *out, const char *key, int64_t number)
{
	if (number != PLM_UNSET) {
		begin(out, key);
		plm_text_putf(out, "%lld", (long long)number);
	}
}

static void put_bool(struct plm_text *out, const char *key, int64_t value)
{
	if (value != PLM_UNSET) {
		begin(out, key);
		plm_text_putf(out, "%s", value == 1 ? "true" : "false");
	}
}

static void open_map(struct plm_text *out, const char *key)
{
	begin(out, key);
	plm_text_putf(out, "{");
}

static void open_list(struct plm_text *out, const char *key)
{
	begin(out, key);
	plm_text_putf(out, "[");
}

static void close(struct plm_text *out, const char *end)
{
	plm_text_putf(out, "%s", end);
}

static void put_devices(struct plm_text *out, struct plm_vec devices)
{
	const struct plm_w_block_device *list = devices.ptr;

	if (devices.count == 0) {
		return;
	}
	open_list(out, "BlockDeviceMappings");
	for (size_t i = 0; i < devices.count; i++) {
		const struct plm_w_block_device *d = &list[i];

		open_map(out, NULL);
		put_text(out, "DeviceName", d->name);
		open_map(out, "Ebs");
		put_bool(out, "DeleteOnTermination", d->delete_on_termination);
		put_bool(out, "Encrypted", d->encrypted);
		put_number(out, "Iops", d->iops);
		put_text(out, "KmsKeyId", d->kms_key);
		put_text(out, "SnapshotId", d->snapshot);
		put_number(out, "Throughput", d->throughput);
		put_number(out, "VolumeInitializationRate", d->initialization_rate);
		put_number(out, "VolumeSize",
			   d->size_bytes == PLM_UNSET ? PLM_UNSET
						      : plm_div_ceil(d->size_bytes, GIB));
		put_text(out, "VolumeType", d->type);
		close(out, "}}");
	}
	close(out, "]");
}

static void put_tracking(struct plm_text *out, const struct plm_ec2_template *v)
{
	if (v->tcp_established_s <= 0 && v->udp_stream_s <= 0 && v->udp_s <= 0) {
		return;
	}
	open_map(out, "ConnectionTrackingSpecification");
	put_number(out, "TcpEstablishedTimeout", v->tcp_established_s);
	put_number(out, "UdpStreamTimeout", v->udp_stream_s);
	put_number(out, "UdpTimeout", v->udp_s);
	close(out, "}");
}

/* An interface for EFA alone has no addresses, and EC2 refuses what is about them. */
static void put_interface(struct plm_text *out, const struct plm_ec2_template *v,
			  const struct plm_ec2_interface *at)
{
	const struct plm_slice *groups = v->security_groups.ptr;

	open_map(out, NULL);
	put_bool(out, "AssociatePublicIpAddress", at->ip ? v->public_ip : PLM_UNSET);
	if (at->ip) {
		put_tracking(out, v);
	}
	put_number(out, "DeviceIndex", at->device);
	open_list(out, "Groups");
	for (size_t i = 0; i < v->security_groups.count; i++) {
		begin(out, NULL);
		plm_text_quote(out, groups[i]);
	}
	close(out, "]");
	put_text(out, "InterfaceType", plm_slice_str(at->type));
	put_number(out, v->ipv6 ? "Ipv6PrefixCount" : "Ipv4PrefixCount",
		   at->ip ? v->ip_prefixes : PLM_UNSET);
	if (at->ip && v->ipv6) {
		put_number(out, "Ipv6AddressCount", 1);
		put_bool(out, "PrimaryIpv6", 1);
	}
	put_number(out, "NetworkCardIndex", at->card);
	close(out, "}");
}

static void put_tags(struct plm_text *out, const char *resource, struct plm_vec tags)
{
	const struct plm_w_kv *list = tags.ptr;

	open_map(out, NULL);
	put_text(out, "ResourceType", plm_slice_str(resource));
	open_list(out, "Tags");
	for (size_t i = 0; i < tags.count; i++) {
		open_map(out, NULL);
		begin(out, "Key");
		plm_text_quote(out, list[i].key);
		begin(out, "Value");
		plm_text_quote(out, list[i].value);
		close(out, "}");
	}
	close(out, "]}");
}

static void put_options(struct plm_text *out, const struct plm_ec2_template *v)
{
	open_map(out, "MetadataOptions");
	put_text(out, "HttpEndpoint", v->http_endpoint);
	put_text(out, "HttpProtocolIpv6", v->http_ipv6);
	put_number(out, "HttpPutResponseHopLimit", v->http_hops);
	put_text(out, "HttpTokens", v->http_tokens);
	/* Tags with slashes in their keys cannot be served: never on, whatever the account says. */
	put_text(out, "InstanceMetadataTags", plm_slice_str("disabled"));
	close(out, "}");
}

static void put_reservation(struct plm_text *out, const struct plm_ec2_template *v)
{
	open_map(out, "CapacityReservationSpecification");
	put_text(out, "CapacityReservationPreference", plm_slice_str(v->reservation_preference));
	if (v->reservation.size > 0) {
		open_map(out, "CapacityReservationTarget");
		put_text(out, "CapacityReservationId", v->reservation);
		close(out, "}");
	}
	close(out, "}");
}

struct plm_slice plm_ec2_template_json(const struct plm_ec2_template *v, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};
	const struct plm_ec2_interface *interfaces = v->interfaces.ptr;

	plm_text_putf(&out, "{");
	put_devices(&out, v->devices);
	put_reservation(&out, v);
	if (v->nested_virtualization.size > 0) {
		open_map(&out, "CpuOptions");
		put_text(&out, "NestedVirtualization", v->nested_virtualization);
		close(&out, "}");
	}
	open_map(&out, "IamInstanceProfile");
	put_text(&out, "Name", v->instance_profile);
	close(&out, "}");
	put_text(&out, "ImageId", v->image);
	if (v->market[0] != '\0') {
		open_map(&out, "InstanceMarketOptions");
		put_text(&out, "MarketType", plm_slice_str(v->market));
		close(&out, "}");
	}
	put_options(&out, v);
	open_map(&out, "Monitoring");
	put_bool(&out, "Enabled", v->detailed_monitoring == 1 ? 1 : 0);
	close(&out, "}");
	open_list(&out, "NetworkInterfaces");
	for (size_t i = 0; i < v->interfaces.count; i++) {
		put_interface(&out, v, &interfaces[i]);
	}
	close(&out, "]");
	if (v->placement_group.size > 0) {
		open_map(&out, "Placement");
		put_text(&out, "GroupId", v->placement_group);
		close(&out, "}");
	}
	open_list(&out, "TagSpecifications");
	put_tags(&out, "network-interface", v->tags);
	if (v->spot) {
		put_tags(&out, "spot-instances-request", v->tags);
	}
	close(&out, "]");
	put_text(&out, "UserData", v->user_data);
	plm_text_putf(&out, "}");
	return plm_text_slice(&out);
}

struct plm_slice plm_ec2_template_name(struct plm_slice json, struct plm_arena *arena)
{
	struct plm_sha256 hash = plm_sha256(json);
	char digits[2 * sizeof(hash) + 1] = {0};

	plm_hex(plm_slice_of(&hash, sizeof(hash)), digits);
	return plm_arena_format(arena, PLM_EC2_TEMPLATE_PREFIX "%.*s", NAME_DIGITS, digits);
}
