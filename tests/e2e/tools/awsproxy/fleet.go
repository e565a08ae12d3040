package main

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
)

// noStock are the codes that say there is no capacity, by which a token is spent.
var noStock = map[string]bool{
	"InsufficientInstanceCapacity": true, "UnfulfillableCapacity": true, "MaxSpotInstanceCountExceeded": true,
	"SpotMaxPriceTooLow": true, "VcpuLimitExceeded": true, "Unsupported": true,
	"InsufficientFreeAddressesInSubnet": true, "MaxFleetCountExceeded": true, "ReservationCapacityExceeded": true,
}

// override is one way in which a fleet may be had.
type override struct {
	config, number int
	values         map[string]string // InstanceType, SubnetId, Priority, ...
	template       map[string]string // of its config
}

func (o override) zone(now config) string {
	if zone := o.values["AvailabilityZone"]; zone != "" {
		return zone
	}
	return now.Zones[o.values["SubnetId"]]
}

// below returns the members of a form under a prefix: {rest of the name: value}.
func below(form url.Values, prefix string) map[string]string {
	out := map[string]string{}
	for name, value := range form {
		if rest, found := strings.CutPrefix(name, prefix); found {
			out[rest] = value[0]
		}
	}
	return out
}

func overrides(form url.Values) (out []override) {
	for c := 1; ; c++ {
		prefix := fmt.Sprintf("LaunchTemplateConfigs.%d.", c)
		template := below(form, prefix+"LaunchTemplateSpecification.")
		if len(template) == 0 {
			return out
		}
		for o := 1; ; o++ {
			values := below(form, fmt.Sprintf("%sOverrides.%d.", prefix, o))
			if len(values) == 0 {
				break
			}
			out = append(out, override{c, o, values, template})
		}
	}
}

func lifecycle(form url.Values) string {
	if form.Get("TargetCapacitySpecification.DefaultTargetCapacityType") == "spot" {
		return "spot"
	}
	return "on-demand"
}

// fits says whether a rule of kind fleet-errors is about an offer.
func (r *rule) fits(kind, zone, cycle string) bool {
	return (r.Types == "" || r.types.MatchString(kind)) && (r.Zones == "" || r.zones.MatchString(zone)) &&
		(r.Lifecycle == "" || r.Lifecycle == cycle)
}

// only returns the form with nothing but that override.
func only(form url.Values, one override) url.Values {
	out := url.Values{}
	for name, value := range form {
		if !strings.HasPrefix(name, "LaunchTemplateConfigs.") {
			out[name] = value
		}
	}
	for name, value := range one.template {
		out.Set("LaunchTemplateConfigs.1.LaunchTemplateSpecification."+name, value)
	}
	for name, value := range one.values {
		out.Set("LaunchTemplateConfigs.1.Overrides.1."+name, value)
	}
	return out
}

// choose returns the override that EC2 takes: the cheapest, or of those with priorities the first.
func (p *proxy) choose(rows []override, region, cycle string, now config) override {
	best := rows[0]
	for _, one := range rows[1:] {
		if one.values["Priority"] != best.values["Priority"] {
			if less(one.values["Priority"], best.values["Priority"]) {
				best = one
			}
			continue
		}
		if p.tables.price(one.values["InstanceType"], region, cycle) <
			p.tables.price(best.values["InstanceType"], region, cycle) {
			best = one
		}
	}
	return best
}

// less compares priorities, which are numbers; none is last.
func less(left, right string) bool {
	var l, r float64 = 1e18, 1e18
	fmt.Sscan(left, &l)
	fmt.Sscan(right, &r)
	return l < r
}

func described(one override, zone string) string {
	var out strings.Builder
	spec := one.template
	out.WriteString("<launchTemplateAndOverrides><launchTemplateSpecification>")
	for _, name := range []string{"LaunchTemplateId", "LaunchTemplateName", "Version"} {
		if spec[name] != "" {
			low := strings.ToLower(name[:1]) + name[1:]
			fmt.Fprintf(&out, "<%s>%s</%s>", low, spec[name], low)
		}
	}
	out.WriteString("</launchTemplateSpecification><overrides>")
	fmt.Fprintf(&out, "<instanceType>%s</instanceType>", one.values["InstanceType"])
	if one.values["SubnetId"] != "" {
		fmt.Fprintf(&out, "<subnetId>%s</subnetId>", one.values["SubnetId"])
	}
	if zone != "" {
		fmt.Fprintf(&out, "<availabilityZone>%s</availabilityZone>", zone)
	}
	if one.values["ImageId"] != "" {
		fmt.Fprintf(&out, "<imageId>%s</imageId>", one.values["ImageId"])
	}
	out.WriteString("</overrides></launchTemplateAndOverrides>")
	return out.String()
}

// fleet carries out CreateFleet: what is out of stock is told, of the rest one offer is launched.
func (p *proxy) fleet(r *request, taken *rule) *reply {
	now := p.config.get()
	cycle := lifecycle(r.form)
	var left []override
	var errors strings.Builder
	for _, one := range overrides(r.form) {
		zone := one.zone(now)
		if taken == nil || taken.Kind != kindFleet || !taken.fits(one.values["InstanceType"], zone, cycle) {
			left = append(left, one)
			continue
		}
		fmt.Fprintf(&errors, "<item>%s<lifecycle>%s</lifecycle><errorCode>%s</errorCode><errorMessage>%s</errorMessage></item>",
			described(one, zone), cycle, taken.Code, "There is no capacity available that matches your request.")
	}
	if len(left) == 0 && errors.Len() > 0 {
		answer := xmlReply(fmt.Sprintf(`<CreateFleetResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">`+
			`<requestId>%s</requestId><fleetId>fleet-0</fleetId><errorSet>%s</errorSet><fleetInstanceSet/></CreateFleetResponse>`,
			requestID, errors.String()))
		answer.code = taken.Code
		return answer
	}
	var answer *reply
	if len(left) == 0 {
		answer = p.forward(r)
	} else {
		one := p.choose(left, r.region, cycle, now)
		if now.Own {
			answer = p.own.fleet(r, one, cycle, now)
		} else {
			answer = p.forward(r.changed(only(r.form, one)))
		}
		if zone := one.zone(now); answer.status == 200 && !bytes.Contains(answer.body, []byte("<availabilityZone>")) {
			answer.body = bytes.ReplaceAll(answer.body, []byte("</subnetId></overrides>"),
				[]byte("</subnetId><availabilityZone>"+zone+"</availabilityZone></overrides>"))
		}
	}
	if errors.Len() > 0 {
		answer.body = bytes.Replace(answer.body, []byte("</CreateFleetResponse>"),
			[]byte("<errorSet>"+errors.String()+"</errorSet></CreateFleetResponse>"), 1)
	}
	return answer
}

// run carries out RunInstances.
func (p *proxy) run(r *request, taken *rule) *reply {
	now := p.config.get()
	subnet := r.form.Get("SubnetId")
	if subnet == "" {
		subnet = r.form.Get("NetworkInterface.1.SubnetId")
	}
	zone := r.form.Get("Placement.AvailabilityZone")
	if zone == "" {
		zone = now.Zones[subnet]
	}
	cycle := "on-demand"
	if r.form.Get("InstanceMarketOptions.MarketType") == "spot" {
		cycle = "spot"
	}
	if taken != nil && taken.Kind == kindFleet && taken.fits(r.form.Get("InstanceType"), zone, cycle) {
		status := 400
		if taken.Code == "InsufficientInstanceCapacity" {
			status = 500
		}
		return failure(r, status, taken.Code, "We currently do not have sufficient capacity in the Availability Zone you requested.")
	}
	if now.Own {
		return p.own.run(r, zone, cycle, now)
	}
	return p.forward(r)
}
