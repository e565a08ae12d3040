package main

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
)

// What the list of instances shows: EC2's view of an instance is late, and not always the newest.

func changeState(one []byte, from, to, code string) []byte {
	state := children(one, "instanceState")
	if len(state) == 0 || !bytes.Contains(one, []byte("<name>"+from+"</name>")) {
		return one
	}
	head, rest, _ := bytes.Cut(one, []byte("<instanceState>"))
	_, tail, _ := bytes.Cut(rest, []byte("</instanceState>"))
	return bytes.Join([][]byte{head, []byte("<instanceState><code>" + code + "</code><name>" + to +
		"</name></instanceState>"), tail}, nil)
}

func stateOf(one []byte) string {
	_, rest, _ := bytes.Cut(one, []byte("<instanceState>"))
	return inner(rest, "name")
}

// anyState widens the filter of states: what state is shown is decided here.
func anyState(form url.Values) {
	for n := 1; form.Has(fmt.Sprintf("Filter.%d.Name", n)); n++ {
		prefix := fmt.Sprintf("Filter.%d.", n)
		if form.Get(prefix+"Name") != "instance-state-name" {
			continue
		}
		for name := range below(form, prefix+"Value.") {
			delete(form, prefix+"Value."+name)
		}
		for i, state := range []string{"pending", "running", "shutting-down", "stopping", "stopped", "terminated"} {
			form.Set(fmt.Sprintf("%sValue.%d", prefix, i+1), state)
		}
	}
}

// wantedStates are those of the filter; none: all.
func wantedStates(r *request) []string {
	for n := 1; r.form.Has(fmt.Sprintf("Filter.%d.Name", n)); n++ {
		if prefix := fmt.Sprintf("Filter.%d.", n); r.form.Get(prefix+"Name") == "instance-state-name" {
			return r.list(prefix + "Value")
		}
	}
	return nil
}

func (p *proxy) seen(r *request, rows [][]byte) (failed *reply, out [][]byte) {
	now := p.config.get()
	asked := r.list("InstanceId")
	states := wantedStates(r)
	for _, one := range rows {
		id := inner(one, "instanceId")
		if now.HideMs > 0 && p.ages.younger(launches, id, now.HideMs) {
			if slices.Contains(asked, id) {
				return failure(r, 400, "InvalidInstanceID.NotFound", "The instance ID '"+id+"' does not exist"), nil
			}
			continue
		}
		if now.PendingMs > 0 && p.ages.younger(launches, id, now.PendingMs) {
			one = changeState(one, "running", "pending", "0")
		}
		if now.EndingMs > 0 && p.ages.younger(ends, id, now.EndingMs) {
			one = changeState(one, "terminated", "shutting-down", "32")
		}
		if states == nil || slices.Contains(states, stateOf(one)) {
			out = append(out, one)
		}
	}
	if now.OldEvery > 0 {
		out = p.ages.old(r, out, now.OldEvery)
	}
	return nil, out
}
