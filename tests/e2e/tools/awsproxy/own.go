package main

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// machine is an instance that is played here.
type machine struct {
	id, kind, subnet, zone, cycle, image, template string
	number                                         int
	launched, ended                                time.Time
	tags                                           map[string]string
}

// ownCloud plays launches, ends, tags and the list of instances, thousands a second.
type ownCloud struct {
	lock sync.Mutex
	all  []*machine
	byID map[string]*machine
}

func tagsOf(form url.Values, kind string) map[string]string {
	out := map[string]string{}
	for s := 1; ; s++ {
		prefix := fmt.Sprintf("TagSpecification.%d.", s)
		if !form.Has(prefix + "ResourceType") {
			return out
		}
		if form.Get(prefix+"ResourceType") != kind {
			continue
		}
		for t := 1; form.Has(fmt.Sprintf("%sTag.%d.Key", prefix, t)); t++ {
			out[form.Get(fmt.Sprintf("%sTag.%d.Key", prefix, t))] = form.Get(fmt.Sprintf("%sTag.%d.Value", prefix, t))
		}
	}
}

func (o *ownCloud) forget() {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.all, o.byID = nil, nil
}

// state is {instance: its type}, of those that run.
func (o *ownCloud) state() any {
	o.lock.Lock()
	defer o.lock.Unlock()
	out := map[string]string{}
	for _, m := range o.all {
		if m.ended.IsZero() {
			out[m.id] = m.kind
		}
	}
	return out
}

func (o *ownCloud) launch(m machine) *machine {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.byID == nil {
		o.byID = map[string]*machine{}
	}
	m.number, m.launched = len(o.all)+1, time.Now()
	m.id = fmt.Sprintf("i-%017x", m.number)
	o.all = append(o.all, &m)
	o.byID[m.id] = &m
	return &m
}

func (o *ownCloud) fleet(r *request, one override, cycle string, now config) *reply {
	time.Sleep(time.Duration(now.OwnDelayMs) * time.Millisecond)
	count, err := strconv.Atoi(r.form.Get("TargetCapacitySpecification.TotalTargetCapacity"))
	if err != nil || count < 1 {
		return failure(r, 400, "InvalidParameterValue", "TotalTargetCapacity")
	}
	var ids strings.Builder
	for range count {
		m := o.launch(machine{kind: one.values["InstanceType"], subnet: one.values["SubnetId"], zone: one.zone(now),
			cycle: cycle, image: one.values["ImageId"], template: one.template["LaunchTemplateName"],
			tags: tagsOf(r.form, "instance")})
		fmt.Fprintf(&ids, "<item>%s</item>", m.id)
	}
	return xmlReply(fmt.Sprintf(`<CreateFleetResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>%s</requestId>`+
		`<fleetId>fleet-0</fleetId><fleetInstanceSet><item>%s<lifecycle>%s</lifecycle><instanceIds>%s</instanceIds>`+
		`<instanceType>%s</instanceType></item></fleetInstanceSet></CreateFleetResponse>`, requestID,
		described(one, one.zone(now)), cycle, ids.String(), one.values["InstanceType"]))
}

func (o *ownCloud) run(r *request, zone, cycle string, now config) *reply {
	time.Sleep(time.Duration(now.OwnDelayMs) * time.Millisecond)
	m := o.launch(machine{kind: r.form.Get("InstanceType"), subnet: r.form.Get("SubnetId"), zone: zone, cycle: cycle,
		image: r.form.Get("ImageId"), tags: tagsOf(r.form, "instance")})
	return xmlReply(fmt.Sprintf(`<RunInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>%s</requestId>`+
		`<reservationId>r-%d</reservationId><ownerId>123456789012</ownerId><groupSet/><instancesSet>%s</instancesSet>`+
		`</RunInstancesResponse>`, requestID, m.number, m.xml()))
}

func (m *machine) state() (code int, name string) {
	if m.ended.IsZero() {
		return 16, "running"
	}
	return 48, "terminated"
}

func (m *machine) xml() string {
	code, name := m.state()
	var tags strings.Builder
	for key, value := range m.tags {
		fmt.Fprintf(&tags, "<item><key>%s</key><value>%s</value></item>", key, value)
	}
	lifecycle := ""
	if m.cycle == "spot" {
		lifecycle = "<instanceLifecycle>spot</instanceLifecycle>"
	}
	address := fmt.Sprintf("10.%d.%d.%d", m.number>>16&255, m.number>>8&255, m.number&255)
	return fmt.Sprintf(`<item><instanceId>%s</instanceId><imageId>%s</imageId><instanceState><code>%d</code><name>%s</name>`+
		`</instanceState><privateDnsName>ip-%s.us-west-2.compute.internal</privateDnsName><instanceType>%s</instanceType>`+
		`<launchTime>%s</launchTime><placement><availabilityZone>%s</availabilityZone><tenancy>default</tenancy></placement>`+
		`<subnetId>%s</subnetId><privateIpAddress>%s</privateIpAddress><architecture>x86_64</architecture>%s<tagSet>%s</tagSet></item>`,
		m.id, m.image, code, name, strings.ReplaceAll(address, ".", "-"), m.kind,
		m.launched.UTC().Format("2006-01-02T15:04:05.000Z"), m.zone, m.subnet, address, lifecycle, tags.String())
}

// wants says whether a machine passes the filters of a request.
func (m *machine) wants(form url.Values) bool {
	for n := 1; ; n++ {
		prefix := fmt.Sprintf("Filter.%d.", n)
		name := form.Get(prefix + "Name")
		if name == "" {
			return true
		}
		values := below(form, prefix+"Value.")
		has := func(text string) bool {
			for _, one := range values {
				if one == text || one == "*" {
					return true
				}
			}
			return false
		}
		_, state := m.state()
		ok := false
		switch {
		case name == "instance-state-name":
			ok = has(state)
		case name == "tag-key":
			for key := range m.tags {
				ok = ok || has(key)
			}
		case strings.HasPrefix(name, "tag:"):
			value, tagged := m.tags[name[4:]]
			ok = tagged && has(value)
		case name == "instance-id":
			ok = has(m.id)
		}
		if !ok {
			return false
		}
	}
}

func (o *ownCloud) describe(r *request) (failed *reply, rows [][]byte) {
	o.lock.Lock()
	defer o.lock.Unlock()
	asked := r.list("InstanceId")
	for _, id := range asked {
		if o.byID[id] == nil {
			return failure(r, 400, "InvalidInstanceID.NotFound", "The instance ID '"+id+"' does not exist"), nil
		}
	}
	for _, m := range o.all {
		if (asked == nil || slices.Contains(asked, m.id)) && m.wants(r.form) {
			rows = append(rows, fmt.Appendf(nil, "<item><reservationId>r-%d</reservationId><ownerId>123456789012</ownerId>"+
				"<groupSet/><instancesSet>%s</instancesSet></item>", m.number, m.xml()))
		}
	}
	return nil, rows
}

func (o *ownCloud) terminate(r *request) *reply {
	o.lock.Lock()
	defer o.lock.Unlock()
	asked := r.list("InstanceId")
	var out bytes.Buffer
	for _, id := range asked {
		if o.byID[id] == nil {
			return failure(r, 400, "InvalidInstanceID.NotFound", "The instance ID '"+id+"' does not exist")
		}
	}
	for _, id := range asked {
		if m := o.byID[id]; m.ended.IsZero() {
			m.ended = time.Now()
		}
		fmt.Fprintf(&out, "<item><instanceId>%s</instanceId><currentState><code>32</code><name>shutting-down</name></currentState>"+
			"<previousState><code>16</code><name>running</name></previousState></item>", id)
	}
	return xmlReply(`<TerminateInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>` + requestID +
		`</requestId><instancesSet>` + out.String() + `</instancesSet></TerminateInstancesResponse>`)
}

func (o *ownCloud) tag(r *request) *reply {
	o.lock.Lock()
	defer o.lock.Unlock()
	for _, id := range r.list("ResourceId") {
		m := o.byID[id]
		if m == nil {
			continue
		}
		for t := 1; r.form.Has(fmt.Sprintf("Tag.%d.Key", t)); t++ {
			m.tags[r.form.Get(fmt.Sprintf("Tag.%d.Key", t))] = r.form.Get(fmt.Sprintf("Tag.%d.Value", t))
		}
	}
	return xmlReply(`<CreateTagsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>` + requestID +
		`</requestId><return>true</return></CreateTagsResponse>`)
}
