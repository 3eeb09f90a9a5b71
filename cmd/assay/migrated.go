package main

import (
	"fmt"
	"io"

	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/models"
)

// tellMigrated says on stderr which of the weights, files or embedded names, are of an
// older table of terms, and what was done to them. Weights that cannot be read are
// passed over: whoever needs them says what is wrong.
func tellMigrated(stderr io.Writer, weights ...string) {
	for _, name := range weights {
		if name == "" {
			continue
		}
		if f, err := models.OpenAny(name); err == nil {
			tellMigration(stderr, name, f)
		}
	}
}

// tellMigration says it of weights that are open.
func tellMigration(stderr io.Writer, name string, f *models.File) {
	if f.Migration != nil {
		fmt.Fprintf(stderr, "%s: %v; assay weights export %s --out NEW.json keeps it in this form\n", name, f.Migration, name)
	}
}

// tellPlayersMigrated does so for the weights that players play by.
func tellPlayersMigrated(stderr io.Writer, specs ...string) {
	for _, spec := range specs {
		tellMigrated(stderr, roster.Weights(spec))
	}
}
