package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// FetchFile writes the file of a run with the SHA-256 to a writer. Its errors wrap ErrNoFile.
func FetchFile(ctx context.Context, nc *nats.Conn, worker, run, sum string, to io.Writer) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w with SHA-256 %.12s: %w", ErrNoFile, sum, err)
		}
	}()
	h := sha256.New()
	to = io.MultiWriter(h, to)
	get := func(offset int64) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, ReplyTimeout)
		defer cancel()
		data, err := json.Marshal(&Part{run, sum, offset})
		if err != nil {
			return 0, err
		}
		m, err := nc.RequestWithContext(ctx, FileSubject(worker), data)
		if err != nil {
			return 0, err
		}
		return to.Write(m.Data)
	}
	for n, offset := PartSize, int64(0); n == PartSize && offset < MaxFile; offset += int64(n) {
		if n, err = get(offset); err != nil {
			return err
		}
	}
	if hex.EncodeToString(h.Sum(nil)) != sum {
		return fmt.Errorf("%w: it arrived with other content", durable.ErrDamaged)
	}
	return nil
}

// IsSHA256 reports whether a text is a SHA-256 in hex.
func IsSHA256(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}
