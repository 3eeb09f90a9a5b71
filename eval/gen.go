//go:build ignore

// This program writes the generated files; "go generate" runs it.
package main

import (
	"log"
	"os"

	"github.com/assay-chess/assay/eval/internal/gen"
)

func main() {
	for _, out := range gen.Outputs {
		text, err := gen.Generate(".", out)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(out.Name, text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
