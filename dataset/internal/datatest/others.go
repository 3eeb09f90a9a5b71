package datatest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// nodeModulesEnv names a node_modules folder with the packages of .ci/node.
const nodeModulesEnv = "ASSAY_NODE_MODULES"

// LinkNode makes scripts for Node in a folder find these npm packages. Where one is missing,
// the test is skipped.
func LinkNode(t *testing.T, dir string, packages ...string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs node:", err)
	}
	modules := os.Getenv(nodeModulesEnv)
	if modules == "" {
		modules = filepath.Join(root(t), ".ci", "node", "node_modules")
	}
	for _, name := range packages {
		if _, err := os.Stat(filepath.Join(modules, name)); err != nil {
			t.Skipf("needs the npm package %s: run 'npm install --no-save --prefix .ci/node' in the project's root, "+
				"or set %s: %v", name, nodeModulesEnv, err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Skip("needs symbolic links:", err)
	}
}

// root returns the project's folder.
func root(t *testing.T) string {
	t.Helper()
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(string(mod))
}
