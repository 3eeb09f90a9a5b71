package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/assay-chess/assay/internal/setup"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

const text = "hello\n"

// long is more than is read ahead of a packed file.
var long = func() string {
	rng, b := rand.New(rand.NewPCG(1, 71)), make([]byte, 2*trialLength)
	for i := range b {
		b[i] = 'a' + byte(rng.IntN(16))
	}
	return string(b)
}()

func write(t *testing.T, w io.WriteCloser, err error) {
	t.Helper()
	setup.Check(t, err)
	_, err = io.WriteString(w, text)
	setup.Check(t, errors.Join(err, w.Close()))
}

func zipOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		setup.Check(t, err)
		_, err = io.WriteString(w, text)
		setup.Check(t, err)
	}
	setup.Check(t, z.Close())
	return b.Bytes()
}

func tarOf(t *testing.T, text string, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := tar.NewWriter(&b)
	setup.Check(t, z.WriteHeader(&tar.Header{Name: "folder/", Typeflag: tar.TypeDir, Mode: 0o777}))
	for _, name := range names {
		setup.Check(t, z.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o666}))
		_, err := io.WriteString(z, text)
		setup.Check(t, err)
	}
	setup.Check(t, z.Close())
	return b.Bytes()
}

func gzipOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	setup.Check(t, errors.Join(err, z.Close()))
	return b.Bytes()
}

// packed is the text in every packing, by the name of a file.
func packed(t *testing.T) map[string][]byte {
	t.Helper()
	var zs, xzs bytes.Buffer
	z, err := zstd.NewWriter(&zs)
	write(t, z, err)
	x, err := xz.NewWriter(&xzs)
	write(t, x, err)
	// printf 'hello\n' | bzip2 | xxd -p
	bz, err := hex.DecodeString("425a6839314159265359c1c080e2000001410000100244a00030cd00c3462997177245385090c1c080e2")
	setup.Check(t, err)
	gz := gzipOf(t, []byte(text))
	skip := func(magic byte, frame []byte) []byte { // as pzstd does
		return append([]byte{magic, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, byte(len(frame)), 0, 0, 0}, frame...)
	}
	return map[string][]byte{"a.epd": []byte(text), "b.epd.gz": gz, "c.epd.zst": zs.Bytes(), "d.epd.bz2": bz,
		"e.xz":  xzs.Bytes(),
		"f.zip": zipOf(t, "one.epd", ".hidden", "__MACOSX/one.epd"), "g.tar": tarOf(t, text, "folder/two.epd", ".hidden"),
		"h.tar.gz": gzipOf(t, tarOf(t, text, "three.epd")), "i.zip.gz": gzipOf(t, zipOf(t, "four.epd")), "empty.epd": nil,
		"pzstd": skip(0x50, zs.Bytes()), "pzstd2": append(skip(0x5f, zs.Bytes()), skip(0x50, zs.Bytes())...),
		"long.tar.gz": gzipOf(t, tarOf(t, long, "five.epd")),
		"two.gz":      append(bytes.Clone(gz), gz...)} // members one behind the other
}

// inside are the names of the files in archives.
var inside = map[string]string{"f.zip": ":one.epd", "g.tar": ":folder/two.epd", "h.tar.gz": ":three.epd",
	"i.zip.gz": ":four.epd", "long.tar.gz": ":five.epd"}

// content is what each file of packed must be read as.
func content(name string) string {
	switch name {
	case "empty.epd":
		return ""
	case "long.tar.gz":
		return long
	case "pzstd2", "two.gz":
		return text + text
	}
	return text
}

func contents(t *testing.T, list []*Input) (map[string]string, error) {
	t.Helper()
	got := map[string]string{}
	for _, in := range list {
		f, err := in.Open(t.Context(), false, nil)
		if err != nil {
			return got, err
		}
		data, err := io.ReadAll(f)
		got[f.Name] = string(data)
		if err := errors.Join(err, f.Close()); err != nil {
			return got, err
		}
	}
	return got, nil
}

func TestFoldersAndPacking(t *testing.T) {
	dir := t.TempDir()
	want := map[string]string{}
	for name, data := range packed(t) {
		setup.Check(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
		want[filepath.Join(dir, name)+inside[name]] = content(name)
	}
	setup.Check(t, os.WriteFile(filepath.Join(dir, ".hidden"), []byte("no"), 0o666))
	list, err := List([]string{dir}, nil)
	setup.Check(t, err)
	got, err := contents(t, list)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if list, err := List([]string{link}, nil); err != nil || len(list) != len(want) {
		t.Errorf("a link to the folder has %d files of %d: %v", len(list), len(want), err)
	}
	if _, err := List([]string{filepath.Dir(link)}, nil); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a folder with such a link: %v", err)
	}
	setup.Check(t, os.Symlink(dir+"none", filepath.Join(dir, "to nothing")))
	if list, err := List([]string{dir}, nil); err == nil {
		t.Errorf("a folder with a link to nothing: %d files", len(list))
	}
}

func TestStreams(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, data := range packed(t) {
		list, err := List([]string{Stdin}, bytes.NewReader(data))
		if err != nil || !list[0].Stream || list[0].Size() != 0 {
			t.Fatal(list, err)
		}
		id, err := list[0].Identity()
		if err != nil || !strings.HasPrefix(id, "stream ") {
			t.Fatal(id, err)
		}
		if got, err := contents(t, list); err != nil || got[Stdin+inside[name]] != content(name) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("temporary files stay: %v, %v", left, err)
	}
}

// A file that was cut is an error, never a shorter one.
func TestTruncation(t *testing.T) {
	dir := t.TempDir()
	// nothing shows that more followed
	whole := map[string]int{"two.gz": len(packed(t)["b.epd.gz"]), "pzstd2": len(packed(t)["pzstd"])}
	for name, data := range packed(t) {
		if name == "a.epd" || name == "empty.epd" {
			continue
		}
		for n := 10; n < len(data); n += 1 + len(data)/60 {
			if n == whole[name] || name == "g.tar" && (n < 512 || n >= 1024+len(text)) {
				continue // no magic number yet; behind the text of a tar file are zeros, and what is hidden
			}
			path := filepath.Join(dir, name)
			setup.Check(t, os.WriteFile(path, data[:n], 0o666))
			if got, err := contents(t, []*Input{{Path: path}}); err == nil || !strings.Contains(err.Error(), "end early") &&
				!errors.Is(err, errArchive) {
				t.Fatalf("%s: %d of %d bytes read as %q, %v", name, n, len(data), got, err)
			}
		}
	}
}

// A changed bit is an error or changes nothing, wherever it is. Only where a file begins is its kind not known any
// more, and a tar file alone has no checksum of its content.
func TestEveryBit(t *testing.T) {
	for name, data := range packed(t) {
		t.Run(name, func(t *testing.T) {
			at := bytes.Index(data, []byte(text))
			for bit := 0; bit < 8*len(data); bit += 1 + 8*len(data)/150 {
				damaged := bytes.Clone(data)
				damaged[bit/8] ^= 1 << (bit % 8)
				got, err := contents(t, []*Input{stream(Stdin, bytes.NewReader(damaged))})
				if err != nil || at >= 0 && bit/8 >= at && bit/8 < at+len(text) && name != "f.zip" {
					continue
				}
				for _, is := range got {
					if is != content(name) && is != string(damaged) {
						t.Errorf("bit %d of byte %d of %d: %q", bit%8, bit/8, len(data), is[:min(len(is), 20)])
					}
				}
			}
		})
	}
}

// A tar of PGN files, packed each, is all their games, and leaves no file behind; a damaged one is named.
func TestTarOfGames(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	games := string(gzipOf(t, []byte(text)))
	for end, games := range map[string]string{"gz": games, "zip": string(zipOf(t, "a.pgn"))} {
		got, err := contents(t, []*Input{stream("-", bytes.NewReader(tarOf(t, games, "a.pgn."+end, "b/c.PGN."+end)))})
		if want := text + "\n\n" + text; err != nil || len(got) != 1 || got["-:*.pgn"] != want {
			t.Errorf("%s: %q, %v", end, got, err)
		}
	}
	if left := setup.Must(os.ReadDir(dir)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	damaged := games[:len(games)-5] + "x" + games[len(games)-4:]
	data := tarOf(t, games, "a.pgn.gz", "b.pgn.gz")
	at := bytes.LastIndex(data, []byte(games))
	copy(data[at:], damaged)
	if _, err := contents(t, []*Input{stream("-", bytes.NewReader(data))}); err == nil ||
		!strings.Contains(err.Error(), "b.pgn.gz: the gzip data cannot be read") {
		t.Errorf("%v", err)
	}
}

// Archives of several files are not guessed about, and formats that are not read are named.
func TestNamedErrors(t *testing.T) {
	for want, data := range map[string][]byte{
		"holds a.pgn, b/c.pgn":              zipOf(t, "a.pgn", "b/c.pgn"),
		"holds a.epd, b.epd":                tarOf(t, text, "a.epd", "b.epd"),
		"holds a.pgn, b.txt":                tarOf(t, text, "a.pgn", "b.txt"),
		"holds x.epd, y.epd":                gzipOf(t, tarOf(t, text, "x.epd", "y.epd")),
		"this one is empty":                 zipOf(t),
		"and 2 more":                        zipOf(t, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"),
		"packed more than 3 times":          gzipOf(t, gzipOf(t, gzipOf(t, gzipOf(t, []byte(text))))),
		": an Arrow file":                   []byte("ARROW1\x00\x00xxxxxxxx"),
		"a Parquet file: write it as CSV":   []byte("PAR1\x15\x04"),
		"a 7z archive: unpack it with 7z x": []byte("7z\xbc\xaf\x27\x1c\x00"),
	} {
		for _, in := range []*Input{stream("-", bytes.NewReader(data)), stream("-", bytes.NewReader(gzipOf(t, data)))} {
			if _, err := contents(t, []*Input{in}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
}

// The formats whose files begin with any bytes are unpacked only if that succeeds.
func TestRaw(t *testing.T) {
	for _, data := range []string{"\x28\xb5\x2f\xfd raw", "\x1f\x8b\x08 raw raw raw raw", "PAR1 raw",
		"PK\x03\x04\x01\x02\x03\x04\x05\x06", "\x50\x2a\x4d\x18 raw"} {
		f, err := stream("-", strings.NewReader(data)).Open(t.Context(), true, nil)
		setup.Check(t, err)
		if got, err := io.ReadAll(f); err != nil || string(got) != data {
			t.Errorf("%q is read as %q, %v", data, got, err)
		}
	}
	for name, data := range packed(t) {
		f, err := stream("-", bytes.NewReader(data)).Open(t.Context(), true, nil)
		setup.Check(t, err)
		if got, err := io.ReadAll(f); err != nil || string(got) != content(name) {
			t.Errorf("%s is read as %q, %v", name, got, err)
		}
		setup.Check(t, f.Close())
	}
}

func TestNoData(t *testing.T) {
	for data, want := range map[string]string{
		"\ufeff[Event \"x\"]\n\n1. e4 *":                                     "a PGN file",
		"; note\n[Event \"x\"]\n":                                            "a PGN file",
		string(gzipOf(t, []byte("[Event \"x\"]\n"))):                         "a PGN file",
		"# book\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1": "a list of positions",
		"fen 8/8\nmove e2e4\n":                                               "text of Stockfish's tools",
		"fen,score,result\n":                                                 "a table of positions",
		"PAR1":                                                               "a Parquet file",
		"":                                                                   "an empty file",
		"{}":                                                                 "not a data set",
	} {
		path := filepath.Join(t.TempDir(), "x")
		setup.Check(t, os.WriteFile(path, []byte(data), 0o666))
		if err := NoData(path); !strings.Contains(err.Error(), path+": "+want) {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
}

func TestIdentityIsOfTheBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	setup.Check(t, os.WriteFile(path, []byte("abc"), 0o666))
	in := &Input{Path: path}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180
	if id, err := in.Identity(); id != sum || err != nil || in.Size() != 3 {
		t.Error(id, err, in.Size())
	}
	if _, err := List([]string{path + "?"}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestBaseName(t *testing.T) {
	for in, want := range map[string]string{"a/Games.PGN.zst": "games.pgn", "b.epd": "b.epd", "x.zip:y/z.tsv": "z.tsv",
		"noob.epd.zip": "noob.epd", "-": "-", "q.bz2": "q", "b.pgn.tar.gz": "b.pgn", "c.pgn.xz": "c.pgn"} {
		if got := BaseName(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		if packed := Packed(in); packed != strings.ContainsAny(filepath.Ext(in), "z2") {
			t.Errorf("%s: packed is %v", in, packed)
		}
	}
}

// Reading ends with the context, although a little on disk is much to read.
func TestReadingEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeros.gz")
	setup.Check(t, os.WriteFile(path, gzipOf(t, make([]byte, 8<<20)), 0o666))
	ctx, stop := context.WithCancel(t.Context())
	f := setup.Must(Open(ctx, path))
	defer f.Close()
	setup.Must(io.CopyN(io.Discard, f, 1<<20))
	stop()
	if n, err := io.Copy(io.Discard, f); !errors.Is(err, context.Canceled) || n > 1<<20 {
		t.Errorf("%d bytes later: %v", n, err)
	}
}

func TestLineBreaks(t *testing.T) {
	for in, want := range map[string]string{
		"":              "",
		"a\rb\r":        "a\nb\n",
		"a\r\nb\r\n":    "a\r\nb\r\n",
		"a\r\r\nb\n\rc": "a\n\r\nb\n\nc",
		"\r":            "\n",
		"x\xff\xfe x":   "x\xff\xfe x",
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in),
			"bytewise": iotest.OneByteReader(strings.NewReader(in))} {
			if got, err := io.ReadAll(Text(r)); err != nil || string(got) != want {
				t.Errorf("%s %q: %q, %v; want %q", name, in, got, err, want)
			}
		}
		got, err := io.ReadAll(iotest.OneByteReader(Text(strings.NewReader(in))))
		if err != nil || string(got) != want {
			t.Errorf("%q into one byte: %q, %v; want %q", in, got, err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(Text(iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// A NUL ends the text with its offset, wherever reads begin and end.
func TestNUL(t *testing.T) {
	for _, at := range []int{0, 1, 100, 1 << 16, 1<<16 + 1, 1 << 18} {
		in := strings.Repeat("x", at) + "\x00" + strings.Repeat("x", 2000)
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in),
			"halves": iotest.HalfReader(strings.NewReader(in))} {
			got, err := io.ReadAll(Text(r))
			if len(got) != at || !errors.Is(err, ErrNUL) ||
				!strings.Contains(err.Error(), fmt.Sprintf("byte %d is NUL", at)) {
				t.Errorf("%s, NUL at %d: %d bytes, %v", name, at, len(got), err)
			}
		}
	}
}

func TestWideEncodings(t *testing.T) {
	text := "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 [0.5] é\r\n"
	encode := func(order binary.AppendByteOrder, s string) string {
		var b []byte
		for _, c := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, c)
		}
		return string(b)
	}
	for name, in := range map[string]string{
		"UTF-16 ":  encode(binary.LittleEndian, "\ufeff"+text),
		"UTF-16: ": encode(binary.BigEndian, "\ufeff"+text),
		"UTF-16LE": encode(binary.LittleEndian, text),
		"UTF-16BE": encode(binary.BigEndian, text),
		"UTF-32":   "\xff\xfe\x00\x00a\x00\x00\x00",
	} {
		_, err := io.ReadAll(Text(strings.NewReader(in)))
		if !errors.Is(err, ErrUTF16) || !strings.Contains(err.Error(), strings.Trim(name, " :")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
