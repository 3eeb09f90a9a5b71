package dataset

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
)

// Repair cuts the data set in dir back to the shards before the first damaged one, so that
// the command that wrote it writes the rest again; see durable.RepairShards. It does nothing
// if dir holds no data set, or a whole one.
func Repair(dir string) ([]durable.Repaired, error) {
	if _, err := os.Stat(filepath.Join(dir, durable.ManifestName)); err != nil {
		return nil, nil // no data set
	}
	lock, err := durable.TryLock(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer lock.Unlock()
	list, err := durable.RepairShards(dir, "*.arrow")
	if err != nil {
		return list, fmt.Errorf("dataset: %w", err)
	}
	return list, nil
}
