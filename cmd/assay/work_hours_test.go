package main

import "testing"

// Hours may go over midnight, and end with the day.
func TestHours(t *testing.T) {
	for text, want := range map[string]string{
		"8-20":  "........++++++++++++....",
		"22-7":  "+++++++...............++",
		"0-24":  "++++++++++++++++++++++++",
		"23-0":  ".......................+",
		"20-24": "....................++++",
	} {
		h, err := parseHours(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for hour := range 24 {
			got += map[bool]string{true: "+", false: "."}[h.hold(hour)]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"22", "22-", "-7", "7-7", "24-7", "7-25", "22-7x", "22 - 7", "a-b", "22-7-8"} {
		if h, err := parseHours(text); err == nil {
			t.Errorf("%s is taken for %v", text, h)
		}
	}
}
