//go:build ignore

// This program writes the generated file; "go generate" runs it.
package main

import (
	"log"
	"os"

	"github.com/assay-chess/assay/eval/internal/gen"
)

func main() {
	text, err := gen.Generate(".")
	if err == nil {
		err = os.WriteFile(gen.Output, text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
