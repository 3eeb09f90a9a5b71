package models_test

import (
	"fmt"
	"log"
	"os"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// tiny is a weight file of an external evaluation with two terms.
const tiny = `{
  "format": "assay.weights/1", "model": "tiny", "unit": "centipawn", "K": 0.0045, "provenance": {},
  "terms": [
    {"name": "material.pawn", "mg": 82, "eg": 94, "fit_mg": 82.3, "fit_eg": 93.9, "se_mg": 1.5, "se_eg": 1.2, "count": 900},
    {"name": "tempo", "mg": 12}
  ]
}`

// Open embedded weights and evaluate a position with them.
func ExampleOpen() {
	f, err := models.Open("shannon-1950") // or the path of a weight file
	if err != nil {
		log.Fatal(err)
	}
	m, w, err := f.Weights()
	if err != nil {
		log.Fatal(err)
	}
	ev, err := m.NewEvaluator(w)
	if err != nil {
		log.Fatal(err)
	}
	p, err := board.ParseFEN("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Model, f.ID(), ev.Evaluate(&p))
	// Output: shannon-1950 0f928dcdd93a 610
}

// List the embedded weights.
func ExampleNames() {
	for _, name := range models.Names() {
		f, err := models.Embedded(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-16s for the model %s\n", name, f.Model)
	}
	// Output:
	// shannon-1950     for the model shannon-1950
	// shannon-appendix for the model shannon-appendix
	// machack-1967     for the model machack-1967
	// assay-start      for the model assay
	// assay-1          for the model assay
	// assay-2          for the model assay-bent
	// assay-3          for the model assay-bent
	// assay-4          for the model assay-bent
	// assay            for the model assay-bent
}

// Parse a weight file of an external evaluation.
func ExampleParseAny() {
	f, err := models.ParseAny("tiny.json", []byte(tiny))
	if err != nil {
		log.Fatal(err)
	}
	for i, t := range f.Terms {
		fmt.Println(t.Name, f.External[i].Tapered, t.MG, t.EG)
	}
	// Output:
	// material.pawn true 82 94
	// tempo false 12 12
}

// Errors of a weight file name the file, the line and the term.
func ExampleParse() {
	_, err := models.Parse("mine.json", []byte(`{
  "format": "assay.weights/1", "model": "shannon-1950", "unit": "centipawn", "K": 0.005, "provenance": {},
  "terms": [
    {"name": "pawn", "mg": 100.5}
  ]
}`))
	fmt.Println(err)
	// Output: mine.json:4: term "pawn": mg: want a whole number, got the number 100.5
}

// Write a weight file with weights of your own.
func ExampleFile_Encode() {
	m, err := eval.Lookup("shannon-1950")
	if err != nil {
		log.Fatal(err)
	}
	f := models.New(m, m.Start)
	f.Terms[0].MG, f.Terms[0].EG = 110, 110 // a pawn; not tapered, so both are equal
	f.Provenance.Method = "by hand"
	text, err := f.Encode()
	if err != nil {
		log.Fatal(err)
	}
	again, err := models.Parse("mine.json", text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Terms[0].Name, again.Terms[0].MG, again.Provenance.Method)
	// Output: pawn 110 by hand
}

// Export weights as a C header, JSON or CSV.
func ExampleFile_Export() {
	f, err := models.ParseAny("tiny.json", []byte(tiny))
	if err != nil {
		log.Fatal(err)
	}
	if err := f.Export(os.Stdout, "csv"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// name,group,mg,eg,fit_mg,fit_eg,se_mg,se_eg,count
	// material.pawn,material,82,94,82.3,93.9,1.5,1.2,900
	// tempo,tempo,12,12,0,0,0,0,0
}

// Compare two weight files of one model.
func ExampleDiff() {
	m, err := eval.Lookup("shannon-1950")
	if err != nil {
		log.Fatal(err)
	}
	a, b := models.New(m, m.Start), models.New(m, m.Start)
	b.Terms[1].MG, b.Terms[1].EG, b.Terms[1].SEMG = 320, 320, 4.5
	for _, c := range models.Diff(a, b) {
		fmt.Println(c.Name, c.MGA, "to", c.MGB, "significant:", c.Significant)
	}
	// Output: knight 300 to 320 significant: true
}
