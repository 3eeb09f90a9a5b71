package learn

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/models"
)

// RepairFit sets the fit of a generation's folder aside if it or its weights are damaged, so
// that the run makes both again.
func RepairFit(dir string) ([]durable.Repaired, error) {
	path := filepath.Join(dir, fitName)
	doc, err := readFile(path)
	if err != nil || doc == nil {
		return nil, err
	}
	fit, err := ParseFit(doc)
	if err == nil {
		var file *models.File
		if file, err = models.Load(filepath.Join(dir, weightsName)); err == nil && file.ID() == fit.ID {
			return nil, nil
		}
	}
	reason := "the fit is made again: its weights have another id"
	if err != nil {
		reason = "the fit is made again: " + err.Error()
	}
	r, err := durable.SetAside(path, reason) // first: without it the weights do not count
	if err != nil {
		return nil, err
	}
	list := []durable.Repaired{*r}
	if r, err = durable.SetAside(filepath.Join(dir, weightsName), reason); err == nil {
		list = append(list, *r)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return list, err
}
