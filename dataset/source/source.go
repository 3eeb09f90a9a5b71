// Package source opens the inputs of an import: files, folders and standard input, plain or
// compressed with zstd, gzip, bzip2 or zip. It does not interpret the content.
//
// Compression is recognized by the first bytes of a file, not by its name. A folder stands
// for all its files, in the order of their paths, except those whose names begin with a
// dot.
//
// Start reading at Each.
package source

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
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

	"github.com/klauspost/compress/zstd"
)

// Stdin is the name of standard input.
const Stdin = "-"

// headLength is the number of bytes of a stream that identify it: see Input.Identity.
const headLength = 1 << 20

// maxWindow bounds the memory of a zstd decompressor, in bytes: enough for zstd --ultra,
// but not for --long=28 and above.
const maxWindow = 128 << 20

// ErrStream says that the input is a zip archive from a stream, which is not supported.
var ErrStream = errors.New("a zip archive must be a file; unpack it first")

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
			return nil, fmt.Errorf("source: %w", err)
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
				return nil, fmt.Errorf("source: %w", err)
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
		case e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 && isFile(path):
			list = append(list, &Input{Path: path})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	return list, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
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
			return "", fmt.Errorf("source: reading %s: %w", in.Path, err)
		}
		h.Write(head)
		return "stream " + hex.EncodeToString(h.Sum(nil)), nil
	}
	f, err := os.Open(in.Path)
	if err != nil {
		return "", fmt.Errorf("source: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("source: reading %s: %w", in.Path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Each calls visit with the content of the input: once, or once for every file of a zip
// archive. Name is for messages, and BaseName(name) for the format. Read, if not nil, is
// called with the number of bytes on disk read so far. Raw turns decompression off, for
// formats whose data can look compressed.
func (in *Input) Each(raw bool, read func(int64), visit func(name string, r io.Reader) error) error {
	src := in.in
	if !in.Stream {
		f, err := os.Open(in.Path)
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
		defer f.Close()
		if !raw && isZip(f) {
			return eachMember(in.Path, visit)
		}
		src = bufio.NewReaderSize(&counting{f, read, 0}, 1<<16)
	}
	if raw {
		return visit(in.Path, src)
	}
	r, err := decompress(src)
	if err != nil {
		return fmt.Errorf("source: %s: %w", in.Path, err)
	}
	defer r.Close()
	return visit(in.Path, r)
}

// counting reports how much was read.
type counting struct {
	r    io.Reader
	read func(int64)
	n    int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.read != nil {
		c.read(c.n)
	}
	return n, err
}

var zipMagic = []byte("PK\x03\x04")

func isZip(f io.ReaderAt) bool {
	head := make([]byte, len(zipMagic))
	_, err := f.ReadAt(head, 0)
	return err == nil && bytes.Equal(head, zipMagic)
}

func eachMember(path string, visit func(string, io.Reader) error) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("source: %s: %w", path, err)
	}
	defer z.Close()
	for _, f := range z.File {
		base := filepath.Base(f.Name)
		if f.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue
		}
		name := path + ":" + f.Name
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("source: %s: %w", name, err)
		}
		err = visit(name, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// decompress recognizes the compression by the first bytes.
func decompress(in *bufio.Reader) (io.ReadCloser, error) {
	head, err := in.Peek(4) // fewer at the end of a file
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzip.NewReader(in)
	case bytes.HasPrefix(head, []byte("BZh")):
		return io.NopCloser(bzip2.NewReader(in)), nil
	case bytes.Equal(head, zipMagic):
		return nil, ErrStream
	}
	return io.NopCloser(in), nil
}

// packedEndings are the extensions of compressed files.
var packedEndings = []string{".zst", ".zstd", ".gz", ".gzip", ".bz2", ".zip"}

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
	for _, end := range packedEndings {
		if s, ok := strings.CutSuffix(name, end); ok {
			return s
		}
	}
	return name
}
