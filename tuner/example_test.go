package tuner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/rows"
)

// games returns rows of 200 games: in each, one side is a knight up and wins two times
// in three.
func games() (*rows.Store, []rows.Term) {
	b := rows.NewBuilder(2)
	for g := range 200 {
		row := rows.Row{
			Entries: []rows.Entry{{Term: 1, Count: float32(1 - 2*(g%2))}},
			Phase:   12, Scale: 1, Weight: 1, Score: rows.NoScore, Game: uint64(g + 1),
		}
		if won := g%3 > 0; won == (g%2 == 0) {
			row.Result = 1
		}
		if err := b.Add(&row); err != nil {
			log.Fatal(err)
		}
	}
	s, err := b.Finish()
	if err != nil {
		log.Fatal(err)
	}
	return s, []rows.Term{
		{Name: "pawn", Group: "material", Mirror: 0, MG: 100, EG: 100},
		{Name: "knight", Group: "material", Mirror: 1, MG: 300, EG: 300},
	}
}

// A fit without a prior: the knight is worth what the results say.
func ExampleFit() {
	s, terms := games()
	c := tuner.NewConfig()
	c.K, c.Valid, c.KeepScale = 0.004, 0, true
	c.Freeze = []string{"pawn"}
	c.Prior = map[string]float64{"knight": 1e6}
	r, err := tuner.Fit(context.Background(), s, terms, c)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range r.Terms {
		fmt.Printf("%s: %d, was %.0f\n", t.Name, t.MG, t.StartMG)
	}
	// Output:
	// pawn: 100, was 100
	// knight: 171, was 300
}

// With a prior, DataShare says how much of a coefficient is the data's.
func ExampleFit_prior() {
	s, terms := games()
	c := tuner.NewConfig()
	c.K, c.Valid, c.KeepScale = 0.004, 0, true
	c.Freeze = []string{"pawn"}
	c.Prior = map[string]float64{"knight": 50}
	c.Design = 1 // every row counts in full
	r, err := tuner.Fit(context.Background(), s, terms, c)
	if err != nil {
		log.Fatal(err)
	}
	knight := r.Terms[1]
	fmt.Printf("%.0f ± %.0f, %.0f %% from the data, %.0f games\n", knight.FitMG, knight.SEMG, 100*knight.DataShare,
		knight.EffectiveGames)
	// Output:
	// 219 ± 25, 62 % from the data, 200 games
}

// A report is the result.json of a run of assay tune.
func ExampleReport() {
	var r tuner.Report
	if err := json.Unmarshal([]byte(`{"id": "0123456789ab", "terms": [{"name": "pawn", "start_mg": 100, "mg": 92,
		"se_mg": 3, "effective_games": 400, "data_share": 0.9, "rescale": 1}]}`), &r); err != nil {
		log.Fatal(err)
	}
	for _, t := range r.Terms {
		fmt.Println(r.ID, t.Name, t.StartMG, t.MG, t.Moved())
	}
	// Output:
	// 0123456789ab pawn 100 92 true
}
