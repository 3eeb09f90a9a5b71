package ui

import (
	"fmt"

	"github.com/assay-chess/assay/engine/search"
)

// number is the program's own version. Together with the bench signature, which
// changes whenever search or evaluation does, it says what made a file.
const number = "0.1.0"

// Version returns what every file that assay writes names as its maker.
func Version() string {
	return fmt.Sprintf("assay %s bench %d", number, search.Signature)
}
