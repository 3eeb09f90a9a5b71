//go:build experiment

package dataset

import "testing"

func TestSizeOfManyRealPositions(t *testing.T) {
	testSize(t, realRows(t, "../../shared/data/sf-scored-435k.tsv.zst", 150_000), 14, 30)
}
