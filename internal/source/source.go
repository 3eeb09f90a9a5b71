// Package source opens the files that others wrote: files, folders and standard input, plain or
// packed. It is the one place that recognizes a format by its first bytes, never by the name:
// zstd, gzip, bzip2, xz, zip and tar are unpacked, one in another too (tar.gz); what assay cannot
// read, such as Parquet or 7z, is named, with what converts it. An archive must
// hold one file. Source does not interpret the content; Text gives every line break the same form and names an
// encoding that no reader here takes.
//
// A folder stands for all its files, in the order of their paths, except those whose names
// begin with a dot.
//
// Start reading at Open and List.
//
// No promise of stability.
package source

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Stdin is the name of standard input.
const Stdin = "-"

// headLength is the number of bytes of a stream that identify it: see Input.Identity.
const headLength = 1 << 20

// Input is one file, or a stream.
type Input struct {
	Path string
	// Stream says that it can be read only once: standard input, or a pipe.
	Stream bool
	in     *bufio.Reader // of a stream
}

// List returns the inputs that the paths stand for: a folder stands for its files, "-" for
// stdin.
func List(paths []string, stdin io.Reader) ([]*Input, error) {
	var list []*Input
	for _, path := range paths {
		if path == Stdin {
			list = append(list, stream(path, stdin))
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		switch {
		case info.IsDir():
			files, err := walk(path)
			if err != nil {
				return nil, err
			}
			list = append(list, files...)
		case info.Mode().IsRegular():
			list = append(list, &Input{Path: path})
		default:
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			list = append(list, stream(path, f))
		}
	}
	return list, nil
}

func stream(path string, r io.Reader) *Input {
	return &Input{Path: path, Stream: true, in: bufio.NewReaderSize(r, headLength)}
}

// walk lists the files of a folder and the folders in it.
func walk(dir string) (list []*Input, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		default:
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // what a link stands for, too
				list = append(list, &Input{Path: path})
			}
		}
		return nil
	})
	return list, err
}

// Size returns the size of a file on disk in bytes, 0 for a stream.
func (in *Input) Size() int64 {
	info, err := os.Stat(in.Path)
	if in.Stream || err != nil {
		return 0
	}
	return info.Size()
}

// Identity returns the SHA-256 of a file on disk, in hex. For a stream, which cannot be
// read twice, it returns "stream " and the SHA-256 of the first MiB.
func (in *Input) Identity() (string, error) {
	h := sha256.New()
	if in.Stream {
		head, err := in.in.Peek(headLength)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading %s: %w", in.Path, err)
		}
		h.Write(head)
		return "stream " + hex.EncodeToString(h.Sum(nil)), nil
	}
	f, err := os.Open(in.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", in.Path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Open opens the input for reading. Reading fails once the context is done. Read, if not nil, is called with the number
// of bytes on disk read so far. Raw says that the format can begin with any bytes: they are unpacked only if that
// succeeds.
func (in *Input) Open(ctx context.Context, raw bool, read func(int64)) (*File, error) {
	f := &File{Name: in.Path, Reader: in.in, ctx: ctx}
	if !in.Stream {
		file, err := os.Open(in.Path)
		if err != nil {
			return nil, err
		}
		f.closers = append(f.closers, file.Close)
		f.disk = file
		f.Reader = bufio.NewReaderSize(&counting{ctx, file, read, 0}, trialLength)
	}
	if err := f.unpackAll(raw); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Open opens one file. A folder is an error.
func Open(ctx context.Context, path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder, want a file", path)
	}
	return (&Input{Path: path}).Open(ctx, false, nil)
}

// counting reports how much was read.
type counting struct {
	ctx  context.Context
	r    io.Reader
	read func(int64)
	n    int64
}

func (c *counting) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.read != nil {
		c.read(c.n)
	}
	return n, err
}

// packedEndings are the extensions of compressed files.
var packedEndings = []string{".zst", ".zstd", ".gz", ".gzip", ".bz2", ".xz", ".zip", ".tar", ".tgz"}

// Packed reports whether the file name has the extension of a compressed file.
func Packed(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(packedEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}

// BaseName returns the file name in lower case without the extension of a compressed file:
// the base name of "a/Games.PGN.zst" is "games.pgn".
func BaseName(name string) string {
	if i := strings.LastIndexAny(name, `/\:`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.ToLower(name)
	for again := true; again; {
		again = false
		for _, end := range packedEndings {
			if s, ok := strings.CutSuffix(name, end); ok {
				name, again = s, true // games.pgn.tar.gz
			}
		}
	}
	return name
}
