package features

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/assay-chess/assay/dataset/durable"
)

// Split splits a command line into words. Single and double quotes protect spaces; there is
// no other syntax.
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == ' ' || c == '\t':
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the command %q has an open quote", line)
	}
	if open {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("the command is empty")
	}
	return words, nil
}

// fingerprint identifies a command in the manifest: its words, where files are replaced by
// a hash of their content.
func fingerprint(command []string) ([]string, error) {
	var prints []string
	for i, word := range command {
		path := word
		if i == 0 {
			var err error
			if path, err = exec.LookPath(word); err != nil {
				return nil, fmt.Errorf("features: %w", err)
			}
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			prints = append(prints, word)
			continue
		}
		sum, err := durable.SumFile(path)
		if err != nil {
			return nil, fmt.Errorf("features: %w", err)
		}
		prints = append(prints, "sha256:"+sum.SHA256)
	}
	return prints, nil
}
