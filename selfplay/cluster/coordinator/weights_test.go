package coordinator

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// Weights come in parts. A worker that asks for them without end gets no more replies and is
// named; the others get theirs.
func TestWeightsInParts(t *testing.T) {
	var said []string
	w := newWeightsStore("run", newRegistry(&Config{Log: func(text string) { said = append(said, text) }}))
	file := bytes.Repeat([]byte("0123456789"), wire.MaxWeightsPart/4)
	if err := w.put("x", file); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	get := func(worker string) (got []byte) {
		for len(got) < len(file) {
			part, ok := w.part(worker, &wire.WeightsRequest{Name: "x", Offset: len(got)}, now)
			if !ok || part.Size != len(file) || len(part.Data) == 0 || len(part.Data) > wire.MaxWeightsPart {
				t.Fatalf("after %d bytes: %t", len(got), ok)
			}
			got = append(got, part.Data...)
		}
		return got
	}
	if !bytes.Equal(get("anna"), file) {
		t.Error("the parts differ from the file")
	}
	for _, r := range []wire.WeightsRequest{{Name: "x", Offset: -1}, {Name: "x", Offset: len(file)}, {Name: "y"}} {
		if part, ok := w.part("bert", &r, now); !ok || len(part.Data) != 0 {
			t.Errorf("%+v: %t, %d bytes", r, ok, len(part.Data))
		}
	}
	replies := 0
	for range 10 * maxRequests {
		if _, ok := w.part("eve", &wire.WeightsRequest{Name: "x"}, now); ok {
			replies++
		}
	}
	if replies != maxRequests || len(said) != 1 ||
		!strings.Contains(said[0], "worker eve asked for weights more than") {
		t.Errorf("%d replies to eve, %q", replies, said)
	}
	get("anna")
	if _, ok := w.part("eve", &wire.WeightsRequest{Name: "x"}, now.Add(requestsWithin+1)); !ok {
		t.Error("eve gets no reply later")
	}
}

// A worker that cannot fetch weights is not at fault, and the unit is not either.
func TestReturnedUnit(t *testing.T) {
	s := newTestSession(t, 0, "anna")
	u := wanted(s, "u")
	data, err := json.Marshal(&wire.Answer{Unit: "u", Returned: "no weights"})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 * maxFailures {
		if reply := deliver(t, s, "anna", data); !reply.Kept {
			t.Fatalf("the reply is %+v", reply)
		}
	}
	if why := s.registry.whyRefused("anna"); why != "" || u.failures > 0 || s.registry.members["anna"].Failures > 0 ||
		len(s.referee.queue) > 0 {
		t.Errorf("refused %q, %d failures", why, u.failures)
	}
}
