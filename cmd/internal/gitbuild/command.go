package gitbuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/engine/quote"
)

// Out is what a command writes the engine to.
const Out = "{out}"

// maxOutput is how much of a failed command's output is shown, in bytes: the end.
const maxOutput = 16 << 10

// ErrBuild is wrapped by the error of a command that failed.
var ErrBuild = errors.New("the build failed")

// run runs the command in a folder. The command is shown before, and its output if it fails.
// Short names the commit.
func (c *Cache) run(ctx context.Context, short, dir, command, out string) error {
	command = strings.ReplaceAll(command, Out, shellWord(out))
	c.log("building %s: %s", short, command)
	cmd := shell(ctx, command)
	cmd.Dir, cmd.Env = dir, append(cleanEnvironment(), machine.Mark())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = 2 * time.Second // for a child that keeps the output open
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	text := said.Bytes()
	if cut := len(text) - maxOutput; cut > 0 {
		text = append([]byte("...\n"), text[cut:]...)
	}
	return fmt.Errorf("%w: %w: %s\n%s", ErrBuild, err, command, bytes.TrimRight(text, "\n"))
}

func shell(ctx context.Context, command string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return machine.Command(ctx, "cmd", "/C", command)
	}
	return machine.Command(ctx, "sh", "-c", command)
}

// shellWord quotes a path for the shell, if it needs quotes.
func shellWord(path string) string {
	if runtime.GOOS != "windows" {
		return quote.Word(path)
	}
	if strings.ContainsAny(path, " \t'&|;<>()%!") {
		return `"` + path + `"`
	}
	return path
}
