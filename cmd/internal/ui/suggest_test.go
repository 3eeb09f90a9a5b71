package ui

import "testing"

func TestNearest(t *testing.T) {
	candidates := []string{"games", "book", "book-order", "concurrency", "sprt"}
	for word, want := range map[string]string{"gmaes": "games", "game": "games", "Sprt": "sprt",
		"concurency": "concurrency", "boko": "book", "conc": "concurrency", "zzz": "", "b": "", "": ""} {
		if got := Nearest(word, candidates); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
