package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// tables are prices, of the CSV files that the engine has too; moto has none.
type tables struct {
	folder   string
	once     sync.Once
	onDemand map[string]map[string]float64 // by region and type
	spot     map[string]map[string]float64
}

func readTable(file string, column int) map[string]map[string]float64 {
	out := map[string]map[string]float64{}
	input, err := os.Open(file)
	if err != nil {
		return out
	}
	defer input.Close()
	rows, err := csv.NewReader(input).ReadAll()
	check(err)
	for _, row := range rows[1:] {
		price, err := strconv.ParseFloat(row[column], 64)
		check(err)
		if out[row[1]] == nil {
			out[row[1]] = map[string]float64{}
		}
		out[row[1]][row[0]] = price
	}
	return out
}

func (t *tables) load() {
	t.once.Do(func() {
		t.onDemand = readTable(filepath.Join(t.folder, "ec2-prices.csv"), 2)
		t.spot = readTable(filepath.Join(t.folder, "ec2-spot-prices.csv"), 2)
		for kind, price := range t.onDemand["us-east-1"] { // the region whose table is whole
			for _, region := range t.onDemand {
				if _, known := region[kind]; !known {
					region[kind] = price
				}
			}
		}
	})
}

func (t *tables) price(kind, region, cycle string) float64 {
	t.load()
	table := t.onDemand
	if cycle == "spot" {
		table = t.spot
	}
	if price, known := table[region][kind]; known {
		return price
	}
	return 1e9
}

// rows answers lists that moto cannot: spot prices, reservations, events.
func (t *tables) rows(r *request, now config) (rows [][]byte, answered bool) {
	switch r.action {
	case "DescribeSpotPriceHistory":
		return t.spotPrices(r, now), true
	case "DescribeCapacityReservations":
		return children([]byte("<x>"+now.Reservations+"</x>"), "x"), true
	case "DescribeInstanceStatus":
		var text string
		if json.Unmarshal(now.Events, &text) == nil {
			return children([]byte("<x>"+text+"</x>"), "x"), true
		}
	}
	return nil, false
}

func (t *tables) spotPrices(r *request, now config) (rows [][]byte) {
	t.load()
	zones := map[string]bool{}
	for _, zone := range now.Zones {
		zones[zone] = true
	}
	all := t.spot[r.region]
	wanted := r.list("InstanceType")
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		if wanted != nil && !slices.Contains(wanted, kind) {
			continue
		}
		for _, zone := range slices.Sorted(maps.Keys(zones)) {
			rows = append(rows, fmt.Appendf(nil, "<item><instanceType>%s</instanceType><productDescription>Linux/UNIX"+
				"</productDescription><spotPrice>%.6f</spotPrice><timestamp>2026-01-01T00:00:00.000Z</timestamp>"+
				"<availabilityZone>%s</availabilityZone></item>", kind, all[kind], zone))
		}
	}
	return rows
}

// products answers Pricing GetProducts: PriceList is a list of JSON texts.
func (p *proxy) products(r *request) *reply {
	var asked struct {
		Filters []struct{ Field, Value string }
		Next    string `json:"NextToken"`
		Max     int    `json:"MaxResults"`
	}
	if json.Unmarshal(r.body, &asked) != nil {
		return failure(r, 400, "InvalidParameterException", "not JSON")
	}
	values := map[string]string{}
	for _, one := range asked.Filters {
		values[one.Field] = one.Value
	}
	p.tables.load()
	var kinds []string
	types := p.config.get().types
	for _, kind := range slices.Sorted(maps.Keys(p.tables.onDemand[values["regionCode"]])) {
		metal := strings.Contains(kind, ".metal")
		family := values["productFamily"]
		if (family == "" || metal == (family == "Compute Instance (bare metal)")) && (types == nil || types.MatchString(kind)) &&
			(values["instanceType"] == "" || values["instanceType"] == kind) {
			kinds = append(kinds, kind)
		}
	}
	if asked.Max == 0 || asked.Max > 100 {
		asked.Max = 100
	}
	from, _ := strconv.Atoi(asked.Next)
	from = min(max(from, 0), len(kinds))
	to := min(from+asked.Max, len(kinds))
	out := map[string]any{"FormatVersion": "aws_v1"}
	list := []string{}
	for _, kind := range kinds[from:to] {
		list = append(list, product(kind, values["regionCode"], p.tables.price(kind, values["regionCode"], "on-demand")))
	}
	out["PriceList"] = list
	if to < len(kinds) {
		out["NextToken"] = strconv.Itoa(to)
	}
	text, err := json.Marshal(out)
	check(err)
	return jsonReply(text)
}

func product(kind, region string, price float64) string {
	return fmt.Sprintf(`{"product":{"productFamily":"Compute Instance","attributes":{"instanceType":%q,"regionCode":%q,`+
		`"operatingSystem":"Linux","tenancy":"Shared","preInstalledSw":"NA","capacitystatus":"Used","marketoption":"OnDemand"},`+
		`"sku":"X"},"serviceCode":"AmazonEC2","terms":{"OnDemand":{"X.Y":{"priceDimensions":{"X.Y.Z":{"unit":"Hrs",`+
		`"beginRange":"0","endRange":"Inf","pricePerUnit":{"USD":"%.10f"}}},"sku":"X"}}},"version":"1",`+
		`"publicationDate":"2026-01-01T00:00:00Z"}`, kind, region, price)
}
