//go:build experiment

package convert

import "testing"

func TestLargeRealData(t *testing.T) {
	const data = "../../../shared/data/"
	testRealData(t, []realFile{
		{data + "sf-scored-435k.tsv.zst", scoredColumns, 434921, 145236, 167663, 122022, 34980},
		{data + "lichess-64k.book.zst", ImportConfig{}, 64000, 26400, 13238, 24362, 0},
		{data + "pgn", ImportConfig{}, 438, 0, 0, 0, 0},
	})
}
