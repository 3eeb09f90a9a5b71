package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// rogue is the end of a name under which the engine tries what it should not, before it
// plays: it writes a file beside the folder it is in, and opens a socket.
const rogue = "-rogue"

// misbehave does what the name of the program or its arguments ask for. With the arguments
// "try ACT ARGUMENT" it says how the act ended, and exits.
func misbehave() {
	if strings.HasSuffix(os.Args[0], rogue) {
		folder, err := os.Getwd()
		if err == nil {
			err = write(filepath.Join(filepath.Dir(folder), "rogue-was-here"))
		}
		fmt.Printf("info string %v, %v\n", err, socket(""))
		return
	}
	if len(os.Args) != 4 || os.Args[1] != "try" {
		return
	}
	act, known := acts[os.Args[2]]
	if !known {
		fmt.Println("there is no act", os.Args[2])
		os.Exit(2)
	}
	if err := act(strings.TrimPrefix(os.Args[3], "=")); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	fmt.Println("done")
	os.Exit(0)
}

var acts = map[string]func(argument string) error{
	"write":  write,
	"socket": socket,
	"read":   func(path string) error { _, err := os.ReadFile(path); return err },
	"delete": os.Remove,
	"rights": func(path string) error { return os.Chmod(path, 0o777) },
	"cut":    func(path string) error { return os.Truncate(path, 0) },
	"empty":  func(path string) error { _, err := os.OpenFile(path, os.O_RDONLY|os.O_TRUNC, 0); return err },
	"rename": func(path string) error { return os.Rename(path, "taken") },
	"child":  func(path string) error { return exec.Command(path).Run() },
	"signal": func(pid string) error {
		n, err := strconv.Atoi(pid)
		if err == nil {
			err = syscall.Kill(n, 0)
		}
		return err
	},
	"environment": func(string) error {
		if all := os.Environ(); len(all) > 0 {
			return nil
		}
		return errors.New("the environment is empty")
	},
	"memory": func(mb string) error {
		n, err := strconv.Atoi(mb)
		for block := make([]byte, n<<20); len(block) > 4096; block = block[4096:] {
			block[0] = 1
		}
		return err
	},
	"shared memory": func(mb string) error {
		n, err := strconv.Atoi(mb)
		if err == nil {
			_, err = syscall.Mmap(-1, 0, n<<20, syscall.PROT_READ|syscall.PROT_WRITE,
				syscall.MAP_SHARED|syscall.MAP_ANON)
		}
		return err
	},
	"files": func(count string) error {
		n, err := strconv.Atoi(count)
		for i := 0; i < n && err == nil; i++ {
			err = write(strconv.Itoa(i))
		}
		return err
	},
	"size": func(bytes string) error {
		n, err := strconv.Atoi(bytes)
		if err != nil {
			return err
		}
		return os.WriteFile("large", make([]byte, n), 0o600)
	},
	"time": func(duration string) error {
		d, err := time.ParseDuration(duration)
		for began := time.Now(); time.Since(began) < d; {
		}
		return err
	},
}

func write(path string) error { return os.WriteFile(path, []byte("rogue"), 0o600) }

func socket(string) error {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err == nil {
		c.Close()
	}
	return err
}
