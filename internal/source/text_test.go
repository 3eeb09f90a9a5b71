package source

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

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
