package tuner

import "testing"

func TestLargestChanges(t *testing.T) {
	terms := []TermFit{
		{Name: "scaled", Tapered: true, Count: 9, StartMG: 900, StartEG: 900, FitMG: 810, FitEG: 811, Rescale: 0.9},
		{Name: "down", Tapered: true, Count: 9, FitMG: -30, MG: -30, FitEG: 2, Rescale: 0.9},
		{Name: "flat", Count: 9, StartMG: 10, StartEG: 10, FitMG: 21, FitEG: 21, MG: 21, Rescale: 0.9},
		{Name: "psq.pawn.a2", Tapered: true, Count: 4, FitMG: 7, Rescale: 0.9, SEMG: 2},
		{Name: "psq.pawn.h2", Tapered: true, Count: 5, FitMG: 7, Rescale: 0.9, SEMG: 2},
		{Name: "unseen", Count: 0, FitMG: 99, Rescale: 0.9},
	}
	want := []string{"down mg", "flat ", "psq.pawn.a2 mg", "down eg"}
	got := LargestChanges(terms, len(want))
	for i, c := range got {
		if name := c.Term.Name + " " + c.Half; name != want[i] {
			t.Errorf("%d: %s moved by %v, want %s", i, name, c.Moved, want[i])
		}
	}
	if len(got) != len(want) || len(LargestChanges(terms, 1)) != 1 || len(LargestChanges(terms, 99)) != 5 {
		t.Errorf("%d changes, want %d", len(got), len(want))
	}
}
