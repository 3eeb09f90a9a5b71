package source

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/assay-chess/assay/engine/quote"
)

const (
	// trialLength is how much of a file is looked at, in bytes.
	trialLength = 1 << 16
	// maxWindow bounds the memory of a zstd decompressor, in bytes: enough for zstd --ultra,
	// but not for --long=28 and above.
	maxWindow = 128 << 20
	// mostLayers bounds how often a file may be packed.
	mostLayers = 4
)

// errArchive says that an archive does not hold exactly one file.
var errArchive = errors.New("an archive must hold one file: unpack it")

// File is an open file, as its reader sees it: unpacked.
type File struct {
	Name string // the path, and behind a colon the name in an archive
	*bufio.Reader
	ctx     context.Context // of reading
	disk    *os.File        // the file itself while nothing is unpacked, nil for a stream
	closers []func() error
}

// Close closes the file.
func (f *File) Close() (err error) {
	for i := len(f.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, f.closers[i]())
	}
	f.closers = nil
	return err
}

// unpackAll unpacks layer by layer. What it ends with is text, or something unknown; if the
// input is raw, anything.
func (f *File) unpackAll(raw bool) error {
	for layer := range mostLayers {
		head, err := f.Peek(trialLength)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading %s: %w", quote.Text(f.Name), err)
		}
		k := recognize(head)
		switch {
		case k == nil:
			return nil
		case k.unpack == nil && raw:
			return nil
		case k.unpack == nil && layer > 0 && k.name == arrow:
			return &OtherError{Path: f.Name, What: k.name + " in a packed one", Advice: "unpack it"}
		case k.unpack == nil:
			return &OtherError{Path: f.Name, What: k.name, Advice: strings.ReplaceAll(k.advice, "FILE", f.Name)}
		case raw && !succeeds(k, head):
			return nil
		}
		if err := k.unpack(f); err != nil {
			return fmt.Errorf("%s: %w", quote.Text(f.Name), early(k.name, err))
		}
		f.disk = nil
	}
	return fmt.Errorf("%s: it is packed more than %d times: unpack it", quote.Text(f.Name), mostLayers-1)
}

// succeeds reports whether the beginning of a file can be unpacked.
func succeeds(k *kind, head []byte) bool {
	if k.archive {
		return k.at > 0 || len(head) > 9 && head[5]|head[9] == 0 // high bytes of a zip's version and method
	}
	f := &File{Reader: bufio.NewReader(bytes.NewReader(head)), ctx: context.Background()}
	defer f.Close()
	if k.unpack(f) != nil {
		return false
	}
	n, err := io.Copy(io.Discard, f)
	return err == nil || n > 0 && errors.Is(err, io.ErrUnexpectedEOF)
}

// early names the part that is cut off or damaged.
func early(name string, err error) error {
	switch {
	case err == nil, err == io.EOF, errors.Is(err, errArchive):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s data end early: %w", name, err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("the zstd data need more than %d MiB of memory: unpack them with zstd -d --long=31", maxWindow>>20)
	}
	return fmt.Errorf("the %s data cannot be read: %w", name, err)
}

// layer makes r, the content of a kind, what the file is read from.
func (f *File) layer(name string, r io.Reader, closers ...func() error) error {
	return f.wholeLayer(&layer{r: r, name: name}, closers...)
}

func (f *File) wholeLayer(l *layer, closers ...func() error) error {
	l.ctx, l.outer = f.ctx, f.Reader
	f.Reader = bufio.NewReaderSize(l, trialLength)
	f.closers = append(f.closers, closers...)
	return nil
}

// layer reads the content of a kind. Its errors name the kind.
type layer struct {
	ctx   context.Context
	r     io.Reader
	name  string
	outer io.Reader // what r reads
	// At the end of the packed data, cut reports whether the last bytes packed show that the file was cut.
	packed *tail
	cut    func(last []byte) bool
}

func (l *layer) Read(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil { // little on disk may be much
		return 0, err
	}
	n, err := l.r.Read(p)
	if err != nil && l.cut != nil && l.packed.ended && l.cut(l.packed.last) {
		err = io.ErrUnexpectedEOF
	}
	if err == io.EOF { // a checksum may be behind the end of what r reads, as in a .tar.gz
		if _, e := io.Copy(io.Discard, l.outer); e != nil {
			return n, e
		}
	}
	return n, early(l.name, err)
}

func unpackZstd(f *File) error {
	in := &tail{r: f.Reader}
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return err
	}
	// pzstd writes a mark before each frame: a skippable frame of four bytes, the frame's size.
	// zstd finds a file that was cut behind it complete.
	cut := func(last []byte) bool {
		return len(last) == tailLength && isSkippable(last) && last[4] == 4 && last[5]|last[6]|last[7] == 0
	}
	return f.wholeLayer(&layer{r: z, name: "zstd", packed: in, cut: cut}, func() error { z.Close(); return nil })
}

// tailLength is the length of pzstd's mark.
const tailLength = 12

// tail keeps the last bytes that were read.
type tail struct {
	r     io.Reader
	last  []byte
	ended bool
}

func (t *tail) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.last = append(t.last, p[max(0, n-tailLength):n]...)
	t.last = t.last[max(0, len(t.last)-tailLength):]
	t.ended = t.ended || err == io.EOF
	return n, err
}

func unpackGzip(f *File) error {
	z, err := gzip.NewReader(f.Reader)
	if err != nil {
		return err
	}
	return f.layer("gzip", z)
}

func unpackBzip2(f *File) error { return f.layer("bzip2", bzip2.NewReader(f.Reader)) }

// maxXZHeader is the length of the longest header of a block of xz.
const maxXZHeader = 1024

func unpackXZ(f *File) error {
	in := &tail{r: f.Reader}
	// A file may have zeros behind it. Without them, the package takes a block header that goes on behind the end of
	// the file, because its length is damaged, for the end of the data.
	z, err := xz.NewReader(bufio.NewReader(io.MultiReader(in, bytes.NewReader(make([]byte, maxXZHeader)))))
	// A file ends with YZ and perhaps zeros. The package finds its mere header complete.
	cut := func(last []byte) bool {
		last = bytes.TrimRight(last, "\x00")
		return len(last) > 0 && !bytes.HasSuffix(last, []byte("YZ"))
	}
	switch {
	case err != nil && in.ended && cut(in.last):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	return f.wholeLayer(&layer{r: z, name: "xz", packed: in, cut: cut})
}

// oneOf names the files of an archive that does not hold exactly one.
func oneOf(names []string) error {
	const most = 8
	switch n := len(names); {
	case n == 1:
		return nil
	case n == 0:
		return fmt.Errorf("%w; this one is empty", errArchive)
	case n > most:
		names = append(names[:most:most], fmt.Sprintf("and %d more", n-most))
	}
	return fmt.Errorf("%w; this one holds %s", errArchive, quote.Text(strings.Join(names, ", ")))
}

// counts reports whether a member of an archive is one of its files, not a folder or one that a
// system added.
func counts(name string, mode fs.FileMode) bool {
	return mode.IsRegular() && !strings.HasPrefix(path.Base(name), ".") && !strings.HasPrefix(name, "__MACOSX/")
}

// unpackZip opens the only file of an archive. Its directory is at the end: of a stream, the
// archive is copied into a temporary file.
func unpackZip(f *File) error {
	disk := f.disk
	if disk == nil {
		temp, err := os.CreateTemp("", "assay-zip-")
		if err != nil {
			return err
		}
		f.closers = append(f.closers, func() error { return errors.Join(temp.Close(), os.Remove(temp.Name())) })
		if _, err := io.Copy(temp, f.Reader); err != nil {
			return err
		}
		disk = temp
	}
	info, err := disk.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(disk, info.Size())
	if err != nil {
		return fmt.Errorf("no directory at its end (%w): %w", err, io.ErrUnexpectedEOF)
	}
	var names []string
	var only *zip.File
	for _, m := range z.File {
		if counts(m.Name, m.Mode()) {
			names, only = append(names, m.Name), m
		}
	}
	if err := oneOf(names); err != nil {
		return err
	}
	if only.Flags&1 != 0 {
		return fmt.Errorf("%s is encrypted: unpack it", only.Name)
	}
	r, err := only.Open()
	if err != nil {
		return err
	}
	f.Name += ":" + only.Name
	f.Reader = bufio.NewReader(strings.NewReader("")) // r reads the disk
	return f.layer("zip", r, r.Close)
}

// unpackTar opens the only file of an archive, or all its files if they are PGN, one after the other: testing sites
// pack each worker's games. Whether there are others is known at the end.
func unpackTar(f *File) error {
	t := &tarFile{archive: tar.NewReader(f.Reader), ctx: f.ctx}
	f.closers = append(f.closers, t.close)
	name, err := t.next()
	if err != nil {
		return err
	}
	if name == "" {
		return oneOf(nil)
	}
	if isPGN(name) {
		f.Name += ":*.pgn" // there may be others
	} else {
		f.Name += ":" + name
	}
	if err := t.open(name); err != nil {
		return err
	}
	return f.layer("tar", t)
}

// isPGN reports whether a file is PGN by its name, packed or not.
func isPGN(name string) bool { return strings.Contains(strings.ToLower(path.Base(name)), ".pgn") }

type tarFile struct {
	archive *tar.Reader
	ctx     context.Context
	current *File // the member that is read; nil if it is plain
	member  io.Reader
	names   []string
	mixed   bool // files that are not all PGN
}

// next returns the name of the next file, "" behind the last.
func (t *tarFile) next() (string, error) {
	for {
		h, err := t.archive.Next()
		switch {
		case err == io.EOF:
			return "", nil
		case err != nil:
			return "", err
		case counts(h.Name, h.FileInfo().Mode()):
			return h.Name, nil
		}
	}
}

// open begins to read a file: unpacked and after an empty line, if it is one of several.
func (t *tarFile) open(name string) error {
	t.names = append(t.names, name)
	t.member = t.archive
	if !isPGN(name) {
		return nil
	}
	if err := t.close(); err != nil {
		return err
	}
	f := &File{Name: name, Reader: bufio.NewReaderSize(t.archive, trialLength), ctx: t.ctx}
	t.current = f
	err := f.unpackAll(false)
	t.member = f
	if len(t.names) > 1 {
		t.member = io.MultiReader(strings.NewReader("\n\n"), f)
	}
	return err
}

// close closes what the member needs that is read.
func (t *tarFile) close() (err error) {
	if t.current != nil {
		err = t.current.Close()
	}
	t.current = nil
	return err
}

func (t *tarFile) Read(p []byte) (int, error) {
	n, err := t.member.Read(p)
	for err == io.EOF {
		name, e := t.next()
		switch {
		case e != nil:
			return n, e
		case name == "" && t.mixed:
			return n, oneOf(t.names)
		case name == "":
			return n, io.EOF
		case !t.mixed && isPGN(name) && isPGN(t.names[0]):
			return n, t.open(name)
		}
		t.names, t.mixed = append(t.names, name), true
	}
	if err != nil && len(t.names) > 1 {
		err = fmt.Errorf("%s: %w", t.names[len(t.names)-1], err)
	}
	return n, err
}
