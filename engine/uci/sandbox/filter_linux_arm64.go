package sandbox

import "golang.org/x/sys/unix"

const architecture = unix.AUDIT_ARCH_AARCH64

// createCall is the call that makes a file without flags, which this processor lacks.
const createCall = -1

// deniedHere are system calls of this processor alone.
var deniedHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}

// oldAttempts are the calls of attempts under their older numbers, which this processor lacks.
var oldAttempts = map[uint32]attempt{}
