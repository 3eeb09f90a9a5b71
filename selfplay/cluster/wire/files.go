package wire

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-chess/assay/dataset/durable"
)

// Weights and engines travel through an object store of the run. Their names are the SHA-256 of their content.

// WeightsPrefix begins the name of weights that are named by the SHA-256 of their file.
const WeightsPrefix = "sha256-"

// maxFile bounds a file, in bytes.
const maxFile = 1 << 28

// Bucket returns the name of a run's object store.
func Bucket(run string) string { return "ASSAY_" + run }

// ErrNoFile means that a run has no file of that content, or that it cannot be read now.
var ErrNoFile = errors.New("cluster: cannot fetch the file")

// PutFile offers a file to the workers, once, by its SHA-256.
func PutFile(ctx context.Context, store jetstream.ObjectStore, sum string, open func() (io.ReadCloser, error)) error {
	if _, err := store.GetInfo(ctx, sum); err == nil {
		return nil
	}
	f, err := open()
	if err != nil {
		return err
	}
	defer f.Close() // only read
	h := sha256.New()
	if _, err := store.Put(ctx, jetstream.ObjectMeta{Name: sum}, io.TeeReader(io.LimitReader(f, maxFile+1), h)); err != nil {
		return fmt.Errorf("cluster: the servers do not take the file %.12s: %w", sum, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != sum {
		_ = store.Delete(ctx, sum) // the next attempt says more
		return fmt.Errorf("cluster: %w: a file with SHA-256 %.12s changed, or has more than %d bytes", durable.ErrDamaged, sum,
			maxFile)
	}
	return nil
}

// FetchFile writes the file with the SHA-256 to a writer. It reads the object store message by message: that needs no
// right but to read it. Its errors wrap ErrNoFile.
func FetchFile(ctx context.Context, nc *nats.Conn, run, sum string, to io.Writer) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w with SHA-256 %.12s: %w", ErrNoFile, sum, err)
		}
	}()
	if !IsSHA256(sum) {
		return errors.New("that is not a SHA-256")
	}
	subject := func(kind, name string) string { return "$O." + Bucket(run) + "." + kind + "." + name }
	get := func(format string, v ...any) (*nats.Msg, error) {
		ctx, cancel := context.WithTimeout(ctx, ReplyTimeout)
		defer cancel()
		m, err := nc.RequestWithContext(ctx, directSubject("OBJ_"+Bucket(run)), fmt.Appendf(nil, format, v...))
		if err == nil && m.Header.Get("Status") != "" {
			err = fmt.Errorf("%s %s", m.Header.Get("Status"), m.Header.Get("Description"))
		}
		return m, err
	}
	m, err := get(`{"last_by_subj":%q}`, subject("M", base64.URLEncoding.EncodeToString([]byte(sum))))
	if err != nil {
		return err
	}
	var info jetstream.ObjectInfo
	if err := json.Unmarshal(m.Data, &info); err != nil || info.Deleted || info.Size > maxFile {
		return fmt.Errorf("%w: it is deleted, or has %d bytes", durable.ErrDamaged, info.Size)
	}
	h := sha256.New()
	to = io.MultiWriter(h, to)
	for left, seq := info.Size, uint64(1); left > 0; seq++ {
		m, err := get(`{"next_by_subj":%q,"seq":%d}`, subject("C", info.NUID), seq)
		if err != nil {
			return err
		}
		if _, err := fmt.Sscan(m.Header.Get("Nats-Sequence"), &seq); err != nil || uint64(len(m.Data)) > left {
			return fmt.Errorf("%w: part %q", durable.ErrDamaged, m.Header.Get("Nats-Sequence"))
		}
		if _, err := to.Write(m.Data); err != nil {
			return err
		}
		left -= uint64(len(m.Data))
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
