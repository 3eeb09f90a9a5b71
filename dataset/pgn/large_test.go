//go:build experiment

package pgn

import (
	"archive/zip"
	"io"
	"os"
	"testing"
)

func TestAllHumanGames(t *testing.T) {
	f, err := os.Open("../../../shared/data/pgn/lichess-438-games.pgn")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	games, plies := 0, 0
	for g, err := range Read(f) {
		if err != nil {
			t.Fatal(err)
		}
		games++
		plies += len(g.Row.Moves)
	}
	if games != 438 {
		t.Errorf("%d games of 438, %d plies", games, plies)
	}
}

// bookOf returns the text of a zipped book.
func bookOf(t testing.TB, name string) []byte {
	t.Helper()
	z, err := zip.OpenReader("../../../shared/data/books/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWholeBook(t *testing.T) { testBook(t, bookOf(t, "8moves_v3.pgn.zip")) }
