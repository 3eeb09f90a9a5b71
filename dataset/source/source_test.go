package source

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const text = "hello\n"

// packed is the text in every compression, by the name of a file.
func packed(t *testing.T) map[string][]byte {
	t.Helper()
	var gz, zs, zp bytes.Buffer
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	g := gzip.NewWriter(&gz)
	_, err := io.WriteString(g, text)
	must(err)
	must(g.Close())
	z, err := zstd.NewWriter(&zs)
	must(err)
	_, err = io.WriteString(z, text)
	must(err)
	must(z.Close())
	a := zip.NewWriter(&zp)
	for _, name := range []string{"one.epd", ".hidden", "__MACOSX/one.epd", "sub/two.epd"} {
		w, err := a.Create(name)
		must(err)
		_, err = io.WriteString(w, text)
		must(err)
	}
	must(a.Close())
	// printf 'hello\n' | bzip2 | xxd -p
	bz, err := hex.DecodeString("425a6839314159265359c1c080e2000001410000100244a00030cd00c3462997177245385090c1c080e2")
	must(err)
	return map[string][]byte{"a.epd": []byte(text), "b.epd.gz": gz.Bytes(), "c.epd.zst": zs.Bytes(),
		"d.epd.bz2": bz, "e.zip": zp.Bytes(), "empty.epd": nil,
		"two.gz": append(bytes.Clone(gz.Bytes()), gz.Bytes()...)} // members one behind the other
}

func contents(t *testing.T, list []*Input) (map[string]string, error) {
	t.Helper()
	got := map[string]string{}
	for _, in := range list {
		err := in.Each(false, nil, func(name string, r io.Reader) error {
			data, err := io.ReadAll(r)
			got[name] = string(data)
			return err
		})
		if err != nil {
			return got, err
		}
	}
	return got, nil
}

func TestFoldersAndCompression(t *testing.T) {
	dir := t.TempDir()
	for name, data := range packed(t) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".hidden"), []byte("no"), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := List([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := contents(t, list)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, name := range []string{"a.epd", "b.epd.gz", "c.epd.zst", "d.epd.bz2", "e.zip:one.epd", "e.zip:sub/two.epd"} {
		want[filepath.Join(dir, name)] = text
	}
	want[filepath.Join(dir, "empty.epd")] = ""
	want[filepath.Join(dir, "two.gz")] = text + text
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestStreams(t *testing.T) {
	for name, data := range packed(t) {
		list, err := List([]string{Stdin}, bytes.NewReader(data))
		if err != nil || !list[0].Stream || list[0].Size() != 0 {
			t.Fatal(list, err)
		}
		id, err := list[0].Identity()
		if err != nil || !strings.HasPrefix(id, "stream ") {
			t.Fatal(id, err)
		}
		got, err := contents(t, list)
		if name == "e.zip" {
			if !errors.Is(err, ErrStream) {
				t.Errorf("zip: %v", err)
			}
			continue
		}
		if want := strings.Repeat(text, strings.Count(got[Stdin], text)); err != nil || got[Stdin] != want || (name != "empty.epd") != (want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// A file that was cut is an error, never a shorter one.
func TestTruncation(t *testing.T) {
	dir := t.TempDir()
	for name, data := range packed(t) {
		if name == "a.epd" || name == "empty.epd" || name == "two.gz" {
			continue
		}
		for n := 5; n < len(data); n++ {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, data[:n], 0o666); err != nil {
				t.Fatal(err)
			}
			if got, err := contents(t, []*Input{{Path: path}}); err == nil {
				t.Fatalf("%s: %d of %d bytes read as %q", name, n, len(data), got)
			}
		}
	}
}

func TestIdentityIsOfTheBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
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
		"noob.epd.zip": "noob.epd", "-": "-", "q.bz2": "q"} {
		if got := BaseName(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		if packed := Packed(in); packed != strings.ContainsAny(filepath.Ext(in), "zq2") {
			t.Errorf("%s: packed is %v", in, packed)
		}
	}
}
