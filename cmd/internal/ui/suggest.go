package ui

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the candidate that a mistyped word most likely meant, or "" if none is near:
// at most half of the letters differ, or the word is the beginning of one candidate only.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	best, distance, completions := "", len(word)/2+1, []string(nil)
	for _, c := range candidates {
		if len(word) > 1 && strings.HasPrefix(strings.ToLower(c), word) {
			completions = append(completions, c)
		}
		if d := levenshtein.Distance(word, strings.ToLower(c), nil); d < distance {
			best, distance = c, d
		}
	}
	if best == "" && len(completions) == 1 {
		return completions[0]
	}
	return best
}

// DidYouMean returns a question for the end of an error, or "" if no candidate is near.
func DidYouMean(word, prefix string, candidates []string) string {
	if near := Nearest(word, candidates); near != "" {
		return "; did you mean " + prefix + near + "?"
	}
	return ""
}
