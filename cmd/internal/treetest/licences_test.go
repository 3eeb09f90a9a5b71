package treetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// permissive are the licences that a linked module may have, and phrases by which to
// recognize each. All phrases of a licence must be there.
var permissive = map[string][]string{
	"MIT":        {"Permission is hereby granted, free of charge", "without restriction"},
	"BSD":        {"Redistribution and use in source and binary forms", "are permitted provided that"},
	"Apache-2.0": {"Apache License", "Version 2.0"},
	"ISC":        {"Permission to use, copy, modify, and", "distribute this software for any purpose with or without fee"},
}

// otherLicences are modules with other licences, and why they may be linked. THIRD_PARTY.md
// gives the credit that these require.
var otherLicences = map[string]string{
	"github.com/ajstarks/svgo":   "Creative Commons Attribution 4.0: credit is enough",
	"github.com/golang/freetype": "the FreeType License, of the two that it offers: credit is enough",
}

// copyleft are words of licences that must not be linked into a program under Apache-2.0.
var copyleft = []string{"GNU GENERAL PUBLIC", "GNU LESSER", "GNU AFFERO", "Mozilla Public License", "ShareAlike"}

func TestLinkedModulesArePermissive(t *testing.T) {
	credits := setup.Must(os.ReadFile("../../assay/THIRD_PARTY.md"))
	modules := linkedModules(t)
	for path, dir := range modules {
		text := licenceText(t, dir, "licen", "copying")
		if text == "" { // some have it at the end of the README
			text = licenceText(t, dir, "readme")
		}
		if text == "" {
			t.Errorf("%s: there is no licence in %s", path, dir)
			continue
		}
		if _, known := otherLicences[path]; known {
			if !strings.Contains(string(credits), path) {
				t.Errorf("THIRD_PARTY.md gives no credit to %s", path)
			}
			continue
		}
		if name := licenceOf(text); name == "" {
			t.Errorf("%s: not one of the known permissive licences: %.200q", path, text)
		}
	}
	for path := range otherLicences {
		if modules[path] == "" {
			t.Errorf("%s is not linked: its exception, and its credit in THIRD_PARTY.md, can go", path)
		}
	}
}

// linkedModules returns the modules whose packages are linked into the command, with
// their folders.
func linkedModules(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "../../assay").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	modules := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			modules[path] = dir
		}
	}
	if len(modules) < 20 {
		t.Fatalf("go list found only %d modules", len(modules))
	}
	return modules
}

// licenceText joins the files in a module's folder whose names begin so.
func licenceText(t *testing.T, dir string, prefixes ...string) string {
	t.Helper()
	entries := setup.Must(os.ReadDir(dir))
	var text strings.Builder
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if e.IsDir() || !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		data := setup.Must(os.ReadFile(filepath.Join(dir, e.Name())))
		text.Write(data)
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

// licenceOf returns the name of a permissive licence, or nothing.
func licenceOf(text string) string {
	for _, words := range copyleft {
		if strings.Contains(strings.ToUpper(text), strings.ToUpper(words)) {
			return ""
		}
	}
	for name, words := range permissive {
		if !slices.ContainsFunc(words, func(w string) bool {
			return !strings.Contains(strings.ToUpper(text), strings.ToUpper(w))
		}) {
			return name
		}
	}
	return ""
}

func TestLicencesAreRecognized(t *testing.T) {
	for text, want := range map[string]string{
		"MIT License Permission is hereby granted, free of charge, to deal in it without restriction":                  "MIT",
		"Redistribution and use in source and binary forms, with or without modification, are permitted provided that": "BSD",
		"Apache License Version 2.0, January 2004":                                                                     "Apache-2.0",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                                                         "",
		"Apache License Version 2.0, or the GNU Lesser General Public License":                                         "",
		"All rights reserved": "",
	} {
		if got := licenceOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
