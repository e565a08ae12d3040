/*
 * bench_manifest - what it costs to read 10,000 pending workloads in 100 queues from a file
 *
 * As one JSON list and as YAML documents, to the projections (nothing is encoded or decided). Raw
 * beside it: cJSON's tree of the same text, and libyaml's events.
 */
#include "adapters/manifest/manifest.h"

#include "bench_lib.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#define ROUNDS 5

static int workloads(void)
{
	return bench_short() ? 200 : 10000;
}

struct text {
	char *bytes; /* owned */
	size_t size;
};

/* In flow style YAML and JSON are the same characters, so block style is written for YAML. */
static const char json_item[] =
	"{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",\"metadata\":{"
	"\"creationTimestamp\":\"2026-01-01T00:%02d:%02dZ\",\"labels\":{\"app\":\"train\"},"
	"\"name\":\"job-train-%05d\",\"namespace\":\"team-%d\",\"uid\":"
	"\"00000000-0000-4000-8000-%012d\"},\"spec\":{\"active\":true,\"podSets\":[{\"count\":%d,"
	"\"name\":\"main\",\"template\":{\"spec\":{\"containers\":[{\"image\":\"train:1\",\"name\":"
	"\"c\",\"resources\":{\"requests\":{\"cpu\":\"1500m\",\"memory\":\"4Gi\","
	"\"nvidia.com/gpu\":\"1\"}}}],\"restartPolicy\":\"Never\"}}}],\"priority\":%d,"
	"\"queueName\":\"lq\"}}";
static const char yaml_item[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata:\n"
	"  creationTimestamp: \"2026-01-01T00:%02d:%02dZ\"\n  labels:\n    app: train\n"
	"  name: job-train-%05d\n  namespace: team-%d\n  uid: 00000000-0000-4000-8000-%012d\n"
	"spec:\n  active: true\n  podSets:\n  - count: %d\n    name: main\n    template:\n"
	"      spec:\n        containers:\n        - image: train:1\n          name: c\n"
	"          resources:\n            requests:\n              cpu: 1500m\n"
	"              memory: 4Gi\n              nvidia.com/gpu: \"1\"\n"
	"        restartPolicy: Never\n  priority: %d\n  queueName: lq\n";

static struct text make(bool yaml)
{
	struct text text = {.bytes = NULL};
	FILE *file = open_memstream(&text.bytes, &text.size);

	PLM_ASSERT(file != NULL);
	(void)fputs(yaml ? "" : "{\"apiVersion\":\"v1\",\"items\":[", file);
	for (int i = 0; i < workloads(); i++) {
		(void)fputs(i == 0 ? "" : (yaml ? "---\n" : ",\n"), file);
		(void)fprintf(file, yaml ? yaml_item : json_item, i / 60 % 60, i % 60, i, i % 100,
			      i, 1 + i % 8, i % 5);
	}
	(void)fputs(yaml ? "" : "],\"kind\":\"List\"}", file);
	bench_check(fclose(file) == 0, "no memory");
	return text;
}

static enum plm_code on_fact(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	(void)fact;
	(void)err;
	++*(size_t *)ctx;
	return PLM_OK;
}

static void read_all(const struct text *text, bool yaml)
{
	size_t facts = 0;
	const struct plm_manifest_options options = {.now_ms = 0};
	const struct plm_manifest_sink sink = {.ctx = &facts, .fact = on_fact};
	struct plm_manifest *reader = NULL;
	struct plm_error err = {0};

	bench_check(plm_manifest_open(&reader, &options, &sink, &err) == PLM_OK, err.text);
	bench_check(plm_manifest_read_text(reader, yaml ? "w.yaml" : "w.json",
					   plm_slice_of(text->bytes, text->size), &err) == PLM_OK,
		    err.text);
	bench_check(facts == (size_t)workloads(), "facts are missing");
	plm_manifest_close(reader);
}

static void raw_yaml(const struct text *text)
{
	yaml_parser_t parser;
	yaml_event_t event;
	bool more = true;

	bench_check(yaml_parser_initialize(&parser) == 1, "no memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text->bytes, text->size);
	while (more) {
		bench_check(yaml_parser_parse(&parser, &event) == 1, "libyaml refuses the text");
		more = event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
}

static void raw_json(const struct text *text)
{
	cJSON *root = cJSON_ParseWithLength(text->bytes, text->size);

	bench_check(root != NULL, "cJSON refuses the text");
	cJSON_Delete(root);
}

/* The best of some rounds, in microseconds. */
static int64_t best(const struct text *text, bool yaml, bool raw)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		int64_t start = bench_now_ns();
		int64_t took = 0;

		if (!raw) {
			read_all(text, yaml);
		} else if (yaml) {
			raw_yaml(text);
		} else {
			raw_json(text);
		}
		took = (bench_now_ns() - start) / 1000;
		least = took < least ? took : least;
	}
	return least;
}

int main(void)
{
	for (int yaml = 0; yaml <= 1; yaml++) {
		struct text text = make(yaml == 1);

		bench_print(yaml == 1 ? "read 10,000 workloads, YAML"
				      : "read 10,000 workloads, JSON",
			    best(&text, yaml == 1, false), "us", best(&text, yaml == 1, true),
			    yaml == 1 ? "raw: libyaml's events" : "raw: cJSON's tree");
		free(text.bytes);
	}
	return 0;
}
