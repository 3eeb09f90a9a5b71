//go:build ignore

// This program writes score_generated.go; "go generate" runs it.
package main

import (
	"log"
	"os"

	"github.com/assay-chess/assay/eval/internal/gen"
)

func main() {
	text, err := gen.Generate(".")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(gen.Output, text, 0o644); err != nil {
		log.Fatal(err)
	}
}
