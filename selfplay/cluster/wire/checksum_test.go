package wire

import (
	"testing"
	"time"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/assay-chess/assay/selfplay"
)

// The checksum depends on the game, and on nothing that differs between machines.
func TestChecksum(t *testing.T) {
	sum := func(r selfplay.Result) string {
		s := setup.Must(Checksum(&r))
		return s
	}
	want := sum(selfplay.Result{Number: 1, Fault: "crashed"})
	for _, same := range []selfplay.Result{
		{Number: 1, Fault: "crashed", FaultLog: "> go", Worker: "anna"},
		{Number: 1, Fault: "crashed", Players: [2]string{"a", "b"}, Time: [2]time.Duration{1, 2}},
	} {
		if sum(same) != want {
			t.Errorf("%+v has another checksum", same)
		}
	}
	if sum(selfplay.Result{Number: 1, Fault: "hung"}) == want {
		t.Error("another fault has the same checksum")
	}
}
