package datatest

import (
	"bytes"
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
			t.Skipf("needs the npm package %s: run 'npm install --no-save --prefix .ci/node' in the project's root, or set %s: %v", name, nodeModulesEnv, err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Skip("needs symbolic links:", err)
	}
}

// root returns the project's folder: the first one above with a go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// PythonWith returns a Python that has a module. Where there is none, the test is skipped,
// and says how to install it. Debian's own Python is asked too, because others do not find
// Debian's packages.
func PythonWith(t *testing.T, module, install string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+module).Run() == nil {
			return name
		}
	}
	t.Skipf("needs Python with the module %s: %s", module, install)
	return ""
}

// RunScript runs a script in a folder and returns what it prints.
func RunScript(t *testing.T, dir, program, script string, args ...string) string {
	t.Helper()
	file := filepath.Join(dir, "script.mjs") // a name that Node asks for, and Python does not mind
	if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{file}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return string(out)
}
