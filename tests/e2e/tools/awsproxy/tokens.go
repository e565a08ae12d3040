package main

import (
	"sync"
	"time"
)

// tokened are the actions that take a ClientToken.
var tokened = map[string]bool{"CreateFleet": true, "RunInstances": true, "CreateLaunchTemplate": true}

// kept is what a client token led to. The lock is held while the first request with it is carried out, so that
// the same request sent twice at once is carried out once.
type kept struct {
	lock sync.Mutex

	Action     string   `json:"action"`
	Region     string   `json:"region"`
	Token      string   `json:"token"`
	Instances  []string `json:"instances"`
	Executed   int      `json:"executed"` // passed on; more than 1 would be our own mistake
	Replays    int      `json:"replays"`
	Mismatches int      `json:"mismatches"`
	Code       string   `json:"code,omitempty"` // where it led to errors only
	At         float64  `json:"at"`

	sum    string
	answer *reply
}

type tokenStore struct {
	lock sync.Mutex
	rows map[string]*kept
	list []*kept
}

func (t *tokenStore) row(r *request, token string) *kept {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.rows == nil {
		t.rows = map[string]*kept{}
	}
	key := r.action + " " + r.region + " " + token
	row := t.rows[key]
	if row == nil {
		row = &kept{Action: r.action, Region: r.region, Token: token, Instances: []string{}}
		t.rows[key] = row
		t.list = append(t.list, row)
	}
	return row
}

func (t *tokenStore) state() any {
	t.lock.Lock()
	list := append([]*kept{}, t.list...)
	t.lock.Unlock()
	out := []map[string]any{}
	for _, row := range list {
		row.lock.Lock()
		if row.answer != nil {
			out = append(out, map[string]any{"action": row.Action, "region": row.Region, "token": row.Token,
				"instances": row.Instances, "executed": row.Executed, "replays": row.Replays,
				"mismatches": row.Mismatches, "code": row.Code, "at": row.At})
		}
		row.lock.Unlock()
	}
	return out
}

func (t *tokenStore) forget() {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.rows, t.list = nil, nil
}

// once carries a request with a token out, or answers what it led to before; true: the latter.
func (p *proxy) once(r *request, carryOut func() *reply) (*reply, bool) {
	token := r.form.Get("ClientToken")
	if !tokened[r.action] || token == "" {
		return carryOut(), false
	}
	row := p.tokens.row(r, token)
	row.lock.Lock()
	defer row.lock.Unlock()
	sum := digest(r.body)
	if row.answer == nil {
		answer := carryOut()
		// A request that is refused for its parameters or rights does not spend the token; one for which there was no
		// stock does.
		if answer.status == 200 || noStock[answer.code] {
			row.sum, row.answer, row.Instances = sum, answer, launchedBy(answer)
			row.Executed++
			row.Code, row.At = answer.code, float64(time.Now().UnixMilli())/1e3
		}
		return answer, false
	}
	if sum != row.sum {
		row.Mismatches++
		return failure(r, 400, "IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent "+
			"with arguments used in previous request(s)."), true
	}
	row.Replays++
	gone := r.action == "RunInstances" || (r.action == "CreateFleet" && p.config.get().GoneIsAnError)
	if gone && p.ages.anyEnded(row.Instances) {
		return failure(r, 400, "IdempotentInstanceTerminated", "The instance of this token was terminated."), true
	}
	return row.answer, true
}
