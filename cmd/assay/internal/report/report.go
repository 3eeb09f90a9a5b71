// Package report renders what a run wrote as one self-contained HTML page, from the
// run's folder alone: no network, no scripts from elsewhere.
//
// It computes nothing that is not on disk; the numbers are those of result.json.
// Start reading at Write, then report.html.
package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/dataset/store"
	"github.com/assay-chess/assay/tuner/learn"
)

// Name is the file that Write makes in a run's folder.
const Name = "report.html"

//go:embed report.html
var page string

// Write renders the complete learning run in dir and returns the path of the page.
func Write(dir string) (string, error) {
	name := filepath.Join(dir, store.RunResultName)
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	var result learn.Result
	if err := json.Unmarshal(data, &result); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if result.Format != learn.Format || result.Final == nil {
		return "", fmt.Errorf("%s: format %q, want %s", name, result.Format, learn.Format)
	}
	t, err := template.New(Name).Funcs(template.FuncMap{
		"signed": func(v float64) string { return fmt.Sprintf("%+.1f", v) },
		"fixed":  func(digits int, v float64) string { return fmt.Sprintf("%.*f", digits, v) },
		"loss":   loss,
		"minus":  func(a, b int64) int64 { return a - b },
		"times":  func(a, b float64) float64 { return a * b },
	}).Parse(page)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	view := struct {
		Run    string
		R      *learn.Result
		Boards []squares
	}{filepath.Base(dir), &result, boards(result.Terms)}
	if err := t.Execute(&b, view); err != nil {
		return "", err
	}
	path := filepath.Join(dir, Name)
	return path, store.WriteFile(path, b.Bytes())
}

func loss(v *float64) string {
	if v == nil {
		return "none held out"
	}
	return fmt.Sprintf("%.5f", *v)
}

// squares is a piece-square table as a board, the eighth rank first.
type squares struct {
	Piece, Phase string
	Ranks        [8][8]square
}

type square struct {
	Name  string
	Value int32
	Known bool
	Style template.CSS
}

// boards collects the terms named psq.PIECE.SQUARE into boards, middlegame and endgame.
func boards(terms []learn.TermChange) []squares {
	var list []squares
	index := map[string]int{}
	for _, t := range terms {
		rest, ok := strings.CutPrefix(t.Name, "psq.")
		piece, name, ok2 := strings.Cut(rest, ".")
		if !ok || !ok2 || len(name) != 2 || name[0] < 'a' || name[0] > 'h' || name[1] < '1' || name[1] > '8' {
			continue
		}
		if _, seen := index[piece]; !seen {
			index[piece] = len(list)
			list = append(list, squares{Piece: piece, Phase: "middlegame"}, squares{Piece: piece, Phase: "endgame"})
		}
		for i, v := range []int32{t.NewMG, t.NewEG} {
			list[index[piece]+i].Ranks['8'-name[1]][name[0]-'a'] = square{Name: name, Value: v, Known: true, Style: tint(v)}
		}
	}
	return list
}

// tint colours a value: warm above zero, cool below, full at 60 centipawns.
func tint(v int32) template.CSS {
	strength := min(1, float64(max(v, -v))/60) * 0.75
	rgb := "200,80,20"
	if v < 0 {
		rgb = "30,90,200"
	}
	return template.CSS(fmt.Sprintf("background:rgba(%s,%.2f)", rgb, strength))
}
