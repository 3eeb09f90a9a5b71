package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/assay-chess/assay/internal/durable"
)

// Workers ask the coordinator for weights and engines, part by part. Their names are the SHA-256 of their content.

// WeightsPrefix begins the name of weights that are named by the SHA-256 of their file.
const WeightsPrefix = "sha256-"

// MaxFile bounds a file, and PartSize a part of it, in bytes.
const MaxFile, PartSize = 1 << 28, 128 << 10

// Part asks for the PartSize bytes of a file from an offset on, or those up to its end.
type Part struct {
	Run    string `json:"run"`
	SHA256 string `json:"sha256"`
	Offset int64  `json:"offset"`
}

// ErrNoFile means that a run has no file of that content, or that it cannot be read now.
var ErrNoFile = errors.New("cluster: cannot fetch the file")

// FetchFile returns the file of a run with the SHA-256. Its errors wrap ErrNoFile.
func FetchFile(ctx context.Context, nc *nats.Conn, worker, run, sum string) (all []byte, err error) {
	for n := PartSize; err == nil && n == PartSize && len(all) < MaxFile; {
		var part []byte
		part, err = Request(ctx, nc, FileSubject(worker), &Part{run, sum, int64(len(all))})
		n = len(part)
		all = append(all, part...)
	}
	if err == nil && durable.SumBytes(all).SHA256 != sum {
		err = fmt.Errorf("%w: it arrived with other content", durable.ErrDamaged)
	}
	if err != nil {
		err = fmt.Errorf("%w with SHA-256 %.12s: %w", ErrNoFile, sum, err)
	}
	return all, err
}

// IsSHA256 reports whether a text is a SHA-256 in hex.
func IsSHA256(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}
