package main

import (
	"fmt"

	"github.com/assay-chess/assay/engine/search"
)

// version is the program's own version. Together with the bench signature, which
// changes whenever search or evaluation does, it says what made a file.
const version = "0.1.0"

// programVersion returns what every file that assay writes names as its maker.
func programVersion() string {
	return fmt.Sprintf("assay %s bench %d", version, search.Signature)
}
