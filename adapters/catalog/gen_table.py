"""Compile the EC2 facts in data/ec2 to one C table: gen_table.py DATA_DIR OUT.c

Only facts are carried over; labels, capacity and prices of a region are made from them in C, where the
same code serves facts that come from the EC2 API.
"""
import csv
import decimal
import pathlib
import sys

# Families that only have paravirtual images; and Apple's, on which no Linux node runs. Karpenter asks
# for hvm on x86_64 and arm64, so it never sees either.
PARAVIRTUAL = {"c1", "m1", "m2", "t1"}
# EBS optimization is an option there, not the default: Karpenter sets no label for its bandwidth.
EBS_OPTIONAL = {"c3", "i2", "m3", "r3"}
ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
MICRO = decimal.Decimal(1_000_000)


def rows(folder, name):
    with open(folder / name, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def architecture(row):
    for word in row["arch"].split("|"):
        if word in ARCHITECTURES:
            return ARCHITECTURES[word]
    return None


def wanted(row):
    return architecture(row) is not None and row["name"].split(".")[0] not in PARAVIRTUAL


def text(value):
    assert '"' not in value and "\\" not in value
    return f'"{value}"'


def kebab(value):
    return value.lower().replace(" ", "-")


def micro(value):
    price = (decimal.Decimal(value) * MICRO).quantize(decimal.Decimal(1), decimal.ROUND_HALF_EVEN)
    assert 0 < price < 2**32, value
    return int(price)


def mhz(value):
    return int((decimal.Decimal(value or "0") * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def accelerator(row):
    """Name, maker, count: Neuron devices first, then what EC2 calls inference accelerators."""
    if row["neuron_name"]:
        return kebab(row["neuron_name"]), "aws", row["neuron_devices"]
    if row["inference_name"]:
        return kebab(row["inference_name"]), kebab(row["inference_name"].split(" ")[0]), row[
            "inference_accelerators"]
    return "", "", "0"


def type_row(row, zones):
    name, maker, count = accelerator(row)
    fields = {
        "name": text(row["name"]),
        "arch": text(architecture(row)),
        "hypervisor": text(row["hypervisor"]),
        "cpu_maker": text(kebab(row["cpu_manufacturer"])),
        "gpu_name": text(kebab(row["gpu_name"])),
        "gpu_maker": text(kebab(row["gpu_manufacturer"])),
        "accelerator_name": text(name),
        "accelerator_maker": text(maker),
        "vcpu": row["vcpu"],
        "memory_mib": row["memory_mib"],
        "clock_mhz": mhz(row["clock_ghz"]),
        "local_nvme_gb": row["local_nvme_gb"],
        "network_mbps": row["network_mbps"] if row["network_label"] == "true" else 0,
        "ebs_mbps": 0 if row["name"].split(".")[0] in EBS_OPTIONAL else row["ebs_max_mbps"] or 0,
        "enis": row["enis_default_card"],
        "ipv4_per_eni": row["ipv4_per_eni"],
        "branch_enis": row["branch_enis"] or 0,
        "efa": row["efa"],
        "gpu_count": row["gpus"],
        "gpu_mem_mib": row["gpu_mem_mib"],
        "accelerator_count": count,
        "neuron_devices": row["neuron_devices"],
        "neuron_cores": row["neuron_cores"],
        "encrypts_in_transit": row["encryption_in_transit"],
        "on_demand": str("on-demand" in row["usage_classes"].split("|")).lower(),
        "spot": str("spot" in row["usage_classes"].split("|")).lower(),
    }
    facts = ", ".join(f".{key} = {value}" for key, value in fields.items()
                      if str(value) not in ("0", "false", '""') or key in ("hypervisor",))
    return f"\t{{.facts = {{{facts}}}, .zones = 0x{zones:x}}},"


def price_rows(prices, regions, index):
    lines = []
    for region in regions:
        for name in sorted(prices):
            if region in prices[name]:
                lines.append(f"\t{{{index[name]}, {regions.index(region)}, {prices[name][region]}}},")
    return lines


def main(folder, out):
    types = sorted((row for row in rows(folder, "ec2-instance-types.csv") if wanted(row)),
                   key=lambda row: row["name"].encode())
    index = {row["name"]: i for i, row in enumerate(types)}

    def table(name, column):
        found = {}
        for row in rows(folder, name):
            if row["instance_type"] in index:
                found.setdefault(row["instance_type"], {})[row["region"]] = micro(row[column])
        return found

    demand = table("ec2-prices.csv", "usd_per_hour_ondemand")
    spot = table("ec2-spot-prices.csv", "usd_per_hour_spot_min")
    offered = {}
    for row in rows(folder, "ec2-offerings.csv"):
        offered.setdefault(row["instance_type"], set()).add(row["zone"])
    zones = sorted({zone for found in offered.values() for zone in found})
    regions = sorted({region for prices in demand.values() for region in prices}
                     | {zone[:-1] for zone in zones})
    assert len(zones) <= 32
    lines = ["/* Made by gen_table.py from data/ec2; see data/ec2/README.md for sources. */",
             '#include "adapters/catalog/table.h"', "",
             "const char *const plm_ec2_regions[] = {",
             *(f"\t{text(region)}," for region in regions), "};",
             f"const size_t plm_ec2_region_count = {len(regions)};", "",
             "const struct plm_ec2_zone plm_ec2_zones[] = {",
             *(f"\t{{{text(zone)}, {regions.index(zone[:-1])}}}," for zone in zones), "};",
             f"const size_t plm_ec2_zone_count = {len(zones)};", "",
             "const struct plm_ec2_row plm_ec2_rows[] = {"]
    for row in types:
        mask = sum(1 << zones.index(zone) for zone in offered.get(row["name"], ()))
        lines.append(type_row(row, mask))
    lines += ["};", f"const size_t plm_ec2_row_count = {len(types)};"]
    for name, prices in (("demand", demand), ("spot", spot)):
        priced = price_rows(prices, regions, index)
        lines += ["", f"const struct plm_ec2_price plm_ec2_{name}[] = {{", *priced, "};",
                  f"const size_t plm_ec2_{name}_count = {len(priced)};"]
    pathlib.Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
