package learn

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// Whatever is in the file of a plan, reading it fails, or returns a plan that can be run, and which is the same when
// it is written and read again.
func FuzzPlan(f *testing.F) {
	whole := setup.Must(json.Marshal(DefaultPlan(2, 40, 300, 7)))
	f.Add(whole)
	f.Add([]byte(`{"start_id":"a","plan":` + string(whole) + `}`))
	f.Add([]byte(bare))
	for _, path := range []string{"plan.json", "second-1/plan.json", "second-2/plan.json"} {
		data := setup.Must(os.ReadFile("../../models/history/" + path))
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parsePlan(data)
		if err != nil {
			if !errors.Is(err, ErrPlan) {
				t.Error(err)
			}
			return
		}
		text := setup.Must(json.Marshal(c))
		if again, err := parsePlan(text); err != nil || !reflect.DeepEqual(c, again) {
			t.Errorf("%+v\n%+v, %v", c, again, err)
		}
	})
}
