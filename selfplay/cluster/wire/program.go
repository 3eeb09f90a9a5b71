package wire

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
)

// Program identifies a foreign engine by its file's name and content. A worker runs it only
// if the worker's owner allowed it.
type Program struct {
	Name   string `json:"name,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// ProgramOf describes the file at path.
func ProgramOf(path string) (Program, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Program{}, fmt.Errorf("cluster: %w; want the path of an engine's program", err)
	}
	if !info.Mode().IsRegular() {
		return Program{}, fmt.Errorf("cluster: %s is not a regular file: want the program of an engine", path)
	}
	sum, err := durable.SumFile(path)
	return Program{Name: filepath.Base(path), SHA256: sum.SHA256}, err
}
