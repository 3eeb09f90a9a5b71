//go:build experiment

package screen

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
)

var (
	simulationCells = flag.String("cells", "", "simulate only the cells with this in their name")
	simulationScale = flag.Float64("scale", 1, "share of the 10,000 runs of each cell")
	simulationOut   = flag.String("out", "", "file that keeps finished cells")
)

// cells are 40 kinds of screens: sizes, draws, interactions, saturation, both designs, fixed factors.
func cells() (list []cell) {
	for _, k := range []int{4, 8, 12, 20} {
		for _, draws := range []float64{0.3, 0.7} {
			add := func(name string, c cell) {
				c.name = fmt.Sprintf("%s, %d factors, %.0f %% draws", name, k, 100*draws)
				c.factors, c.draws = k, draws
				if c.pairs = 1600; k > 8 {
					c.pairs = 3000
				}
				if strings.Contains(c.name, *simulationCells) {
					list = append(list, c)
				}
			}
			add("small", cell{kind: Rows, sd: 8})
			add("two", cell{kind: Rows, sd: 12, two: 4})
			add("three", cell{kind: Rows, sd: 12, two: 3, three: 3})
			add("saturating", cell{kind: Rows, sd: 20, most: 200})
			add("random", cell{kind: Random, sd: 12, two: 4, fix: k == 12})
		}
	}
	return list
}

// simulated is a finished cell, as it is kept.
type simulated struct {
	Name    string `json:"name"`
	Factors int    `json:"factors"`
	*Simulated
}

// TestSimulation simulates all cells. With -out, cells that an earlier call finished are not simulated again.
func TestSimulation(t *testing.T) {
	runs := int(math.Round(10000 * *simulationScale))
	done := map[string]simulated{}
	if f, err := os.Open(*simulationOut); err == nil {
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var x simulated
			if json.Unmarshal(lines.Bytes(), &x) == nil && x.Runs == runs {
				done[x.Name] = x
			}
		}
		f.Close()
	}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(2)
	for _, c := range cells() {
		if _, known := done[c.name]; known {
			continue
		}
		group.Go(func() error {
			x := simulated{c.name, c.factors, c.simulate(t, runs)}
			mu.Lock()
			defer mu.Unlock()
			done[c.name] = x
			if *simulationOut == "" {
				return nil
			}
			f, err := os.OpenFile(*simulationOut, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
			if err != nil {
				return err
			}
			defer f.Close()
			return json.NewEncoder(f).Encode(x)
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	covered, effects, family, held := 0.0, 0.0, 0.0, 0.0
	for _, c := range cells() {
		x := done[c.name]
		fmt.Printf("%-38s SE %5.2f  covered %.4f (direct %.4f)  family error %.4f  gain %6.1f of %6.1f, predicted %6.1f, "+
			"held %.4f\n",
			c.name, x.SE, x.Covered, x.Direct, x.Family, x.Gain, x.BestGain, x.Predicted, float64(x.GainHeld))
		n := float64(c.factors)
		covered, effects = covered+n*x.Covered, effects+n
		family, held = max(family, x.Family), held+float64(x.GainHeld)/float64(len(cells()))
		// The limits are for 10,000 runs; fewer have more chance.
		chance := 4 * math.Sqrt(0.05*0.95/(n*float64(runs)))
		if math.Abs(x.Covered-0.95) > max(0.01, chance) ||
			float64(x.GainHeld) < 0.93-4*math.Sqrt(0.93*0.07/float64(runs)) {
			t.Errorf("%s: %+v", c.name, *x.Simulated)
		}
	}
	fmt.Printf("pooled: covered %.4f, largest family error %.4f, gain held %.4f, %d runs a cell\n", covered/effects,
		family, held, runs)
	if math.Abs(covered/effects-0.95) > max(0.005, 4*math.Sqrt(0.05*0.95/(effects*float64(runs)))) ||
		family > 0.05+max(0.005, 4*math.Sqrt(0.05*0.95/float64(runs))) {
		t.Error("the pooled coverage or a family error is outside its limits")
	}
}
