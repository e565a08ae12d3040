#include "adapters/ec2/client_private.h"

#include "core/event.h"
#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the start and the end ----------------------------------------------------------------------- */

static const struct {
	int64_t milli, burst, times; /* the rate may become so many times as high */
} rates[] = {
	[PLM_AWS_READ] = {PLM_LIMIT_AWS_READ_MILLI, PLM_LIMIT_AWS_READ_BURST, 1},
	[PLM_AWS_LIST] = {PLM_LIMIT_AWS_LIST_MILLI, PLM_LIMIT_AWS_LIST_BURST, 1},
	[PLM_AWS_MUTATE] = {PLM_LIMIT_AWS_MUTATE_MILLI, PLM_LIMIT_AWS_MUTATE_BURST,
			    PLM_LIMIT_AWS_FASTER},
	[PLM_AWS_LAUNCH] = {PLM_LIMIT_AWS_LAUNCH_MILLI, PLM_LIMIT_AWS_LAUNCH_BURST,
			    PLM_LIMIT_AWS_FASTER},
	[PLM_AWS_TERMINATE] = {PLM_LIMIT_AWS_TERMINATE_MILLI, PLM_LIMIT_AWS_TERMINATE_BURST,
			       PLM_LIMIT_AWS_FASTER},
	[PLM_AWS_OTHER] = {PLM_LIMIT_AWS_OTHER_MILLI, PLM_LIMIT_AWS_OTHER_BURST, 1},
};

static void init_lanes(struct plm_aws_client *client)
{
	int64_t now_ms = (int64_t)uv_now(client->options.loop);

	for (size_t i = 0; i < PLM_AWS_LANES; i++) {
		size_t family = i < PLM_AWS_OTHER ? i : PLM_AWS_OTHER;

		plm_aws_pace_init(&client->lanes[i], rates[family].milli,
				  rates[family].milli * rates[family].times, rates[family].burst,
				  now_ms);
	}
	/* Two calls for ten messages: many instances at once are warned two minutes before their end. */
	plm_aws_pace_init(&client->lanes[(size_t)PLM_AWS_OTHER + (size_t)PLM_AWS_SQS],
			  PLM_LIMIT_AWS_SQS_MILLI, PLM_LIMIT_AWS_SQS_MILLI, PLM_LIMIT_AWS_SQS_BURST,
			  now_ms);
}

/* A file of certificates, whole. */
static enum plm_code read_ca(struct plm_aws_client *client, struct plm_error *err)
{
	const char *path = plm_aws_variable(client->options.environment, "AWS_CA_BUNDLE");
	FILE *file = NULL;

	if (path == NULL) {
		return PLM_OK;
	}
	file = fopen(path, "re");
	if (file == NULL) {
		return plm_fail(err, PLM_E_CONFIG, "%.200s: cannot be opened", path);
	}
	client->ca = malloc(PLM_LIMIT_CA_BYTES);
	PLM_ASSERT(client->ca != NULL);
	client->ca_size = fread(client->ca, 1, PLM_LIMIT_CA_BYTES, file);
	if (ferror(file) || client->ca_size == 0 || client->ca_size == PLM_LIMIT_CA_BYTES) {
		(void)fclose(file);
		return plm_fail(err, PLM_E_CONFIG,
				"%.200s: cannot be read, is empty or longer than %d bytes", path,
				PLM_LIMIT_CA_BYTES);
	}
	(void)fclose(file);
	return PLM_OK;
}

static enum plm_code open_door(struct plm_aws_client *client, struct plm_aws_door *door,
			       struct plm_error *err)
{
	const struct plm_http_peer_options options = {
		.url = door->endpoint.url,
		.ca_pem = plm_slice_of(client->ca, client->ca_size),
		.connections_max = PLM_LIMIT_AWS_CONNECTIONS,
	};

	return plm_http_peer_new(client->options.http, &options, &door->peer, err);
}

static const char *instead_of(const struct plm_aws_client *client, enum plm_aws_service service)
{
	return plm_aws_endpoint_override(service, client->options.endpoint,
					 client->options.environment);
}

/* What is said to stand in the place of AWS is known before the region is: errors come at once. */
static enum plm_code check_overrides(struct plm_aws_client *client, struct plm_error *err)
{
	for (int i = 0; i < PLM_AWS_SERVICE_COUNT; i++) {
		enum plm_aws_service service = (enum plm_aws_service)i;
		struct plm_aws_door trial = {0};
		const char *instead = instead_of(client, service);
		enum plm_code code = PLM_OK;

		if (instead == NULL) {
			continue;
		}
		code = plm_aws_endpoint_of(service, "us-east-1", instead, &trial.endpoint, err);
		if (code == PLM_OK) {
			code = open_door(client, &trial, err);
		}
		plm_http_peer_free(trial.peer);
		if (code != PLM_OK) {
			return plm_fail_prefix(err, code, "the endpoint of %s",
					       plm_aws_service(service)->name);
		}
	}
	return PLM_OK;
}

enum plm_code plm_aws_door_of(struct plm_aws_client *client, enum plm_aws_service service,
			      const char *region, struct plm_aws_door **out, struct plm_error *err)
{
	struct plm_aws_door *door = &client->doors[service];
	enum plm_code code = PLM_OK;

	if (door->peer == NULL) {
		code = plm_aws_endpoint_of(service, region, instead_of(client, service),
					   &door->endpoint, err);
		if (code == PLM_OK) {
			code = open_door(client, door, err);
		}
	}
	if (code == PLM_OK) {
		*out = door;
	}
	return code;
}

enum plm_code plm_aws_client_new(const struct plm_aws_client_options *options,
				 struct plm_aws_client **out, struct plm_error *err)
{
	struct plm_aws_client *client = calloc(1, sizeof(*client));
	enum plm_code code = PLM_OK;

	PLM_ASSERT(client != NULL);
	client->options = *options;
	client->random = options->seed;
	init_lanes(client);
	PLM_ASSERT(uv_timer_init(options->loop, &client->pump) == 0);
	client->pump.data = client;
	code = read_ca(client, err);
	if (code == PLM_OK) {
		code = check_overrides(client, err);
	}
	if (code != PLM_OK) {
		plm_aws_client_free(client);
		return code;
	}
	*out = client;
	return PLM_OK;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void plm_aws_client_free(struct plm_aws_client *client)
{
	if (client == NULL) {
		return;
	}
	client->closing = true;
	plm_aws_drop_all(client);
	for (size_t i = 0; i < PLM_AWS_SERVICE_COUNT; i++) {
		plm_http_peer_free(client->doors[i].peer);
	}
	free(client->ca);
	uv_close((uv_handle_t *)&client->pump, on_closed);
}

/* ---- what is asked of it ------------------------------------------------------------------------- */

void plm_aws_client_allow(struct plm_aws_client *client, unsigned modes)
{
	client->modes = modes;
	plm_aws_pump_soon(client); /* what waits may have become forbidden */
}

const char *plm_aws_region(const struct plm_aws_client *client)
{
	return client->region;
}

void plm_aws_client_tell(const struct plm_aws_client *client,
			 void (*one)(void *ctx, enum plm_cloud_number number, const char *label,
				     int64_t value),
			 void *ctx)
{
	int64_t left_s = plm_aws_credentials_left_s(client->options.credentials);
	char label[128];

	for (int i = PLM_AWS_CALL_NONE + 1; i < PLM_AWS_CALL_COUNT; i++) {
		const struct plm_aws_call_row *row = plm_aws_call((enum plm_aws_call)i);
		const char *service = plm_aws_service(row->service)->name;
		bool any = false;

		for (int class = 0; class <= PLM_AWS_FORBIDDEN; class ++) {
			uint64_t count = client->counts[i].answers[class];

			if (count == 0) {
				continue;
			}
			any = true;
			(void)snprintf(label, sizeof(label), "%s.%s %s", service, row->action,
				       plm_aws_class_text((enum plm_aws_class) class));
			one(ctx, PLM_CLOUD_CALLS, label, (int64_t)count);
		}
		(void)snprintf(label, sizeof(label), "%s.%s", service, row->action);
		if (any) {
			one(ctx, PLM_CLOUD_CALL_MS, label, (int64_t)client->counts[i].ms);
		}
		if (client->counts[i].throttled > 0) {
			one(ctx, PLM_CLOUD_THROTTLED, label, (int64_t)client->counts[i].throttled);
		}
	}
	if (left_s != PLM_UNSET) {
		one(ctx, PLM_CLOUD_CREDENTIALS_S, "", left_s);
	}
}
