package ui

import (
	"fmt"

	"github.com/assay-chess/assay/engine/syzygy"
)

// Tables opens the tablebases of --syzygy, by the 50-move rule if --syzygy-50 says so. It calls say for each table
// that is missing or damaged. The result is nil if path is empty.
func Tables(path string, fifty bool, say func(string)) (*syzygy.Judge, error) {
	switch {
	case path == "" && !fifty:
		return nil, Usagef("--syzygy-50 needs --syzygy DIR")
	case path == "":
		return nil, nil
	}
	j, err := syzygy.NewJudge(path, fifty, say)
	if err != nil {
		return nil, fmt.Errorf("--syzygy: %w", err)
	}
	return j, nil
}
