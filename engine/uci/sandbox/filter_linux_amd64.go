package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_X86_64

// createCall is the call that makes a file without flags.
const createCall = unix.SYS_CREAT

// deniedHere are system calls of this processor alone.
var deniedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_KEXEC_FILE_LOAD}

// oldAttempts are the calls of attempts under their older numbers.
var oldAttempts = map[uint32]attempt{
	unix.SYS_OPEN:      {does: opening, paths: [][2]int{{here, 0}}, flags: 1},
	unix.SYS_CREAT:     {does: "write", paths: [][2]int{{here, 0}}},
	unix.SYS_MKDIR:     {does: "make", paths: [][2]int{{here, 0}}},
	unix.SYS_RMDIR:     {does: "delete", paths: [][2]int{{here, 0}}},
	unix.SYS_UNLINK:    {does: "delete", paths: [][2]int{{here, 0}}},
	unix.SYS_RENAME:    {does: "rename", paths: [][2]int{{here, 0}, {here, 1}}},
	unix.SYS_LINK:      {does: "link", paths: [][2]int{{here, 0}, {here, 1}}},
	unix.SYS_SYMLINK:   {does: "make", paths: [][2]int{{here, 1}}},
	unix.SYS_MKNOD:     {does: "make", paths: [][2]int{{here, 0}}},
	unix.SYS_CHMOD:     {does: "change", paths: [][2]int{{here, 0}}, never: true},
	unix.SYS_CHOWN:     {does: "change", paths: [][2]int{{here, 0}}, never: true},
	unix.SYS_LCHOWN:    {does: "change", paths: [][2]int{{here, 0}}, never: true},
	unix.SYS_UTIME:     {does: "change", paths: [][2]int{{here, 0}}, never: true},
	unix.SYS_UTIMES:    {does: "change", paths: [][2]int{{here, 0}}, never: true},
	unix.SYS_FUTIMESAT: {does: "change", paths: [][2]int{{0, 1}}, never: true},
	unix.SYS_FORK:      {does: "start a process", never: true},
	unix.SYS_VFORK:     {does: "start a process", never: true},
}
