package models

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"
)

//go:embed export/*.tmpl
var exportTemplates embed.FS

// exportFormats names the built-in templates, beside "json".
var exportFormats = []string{"c", "csv", "uci"}

// ExportFormats returns the names that Export knows: c is a header of C, csv a table,
// uci the lines that set one option for each weight, json the file itself.
func ExportFormats() []string { return append([]string{"json"}, exportFormats...) }

// ExportTemplate returns the text of the built-in template of a format, to begin
// one's own from. The format json has none.
func ExportTemplate(format string) (string, error) {
	for _, name := range exportFormats {
		if name == format {
			text, err := exportTemplates.ReadFile("export/" + name + ".tmpl")
			return string(text), err
		}
	}
	return "", fmt.Errorf("no template for %q (there are: %s)", format, strings.Join(exportFormats, ", "))
}

// Export writes the weights in one of the formats of ExportFormats.
func (f *File) Export(w io.Writer, format string) error {
	if format == "json" {
		text, err := f.Encode()
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	text, err := ExportTemplate(format)
	if err != nil {
		return err
	}
	return f.Execute(w, format+".tmpl", text)
}

// Execute writes what a template of text/template makes of the weights; its dot is a
// *TemplateData. Beside the functions of text/template there are: ident (a name as an
// identifier), upper, lower, csv (a field of CSV), json (a value), number (a float,
// shortest form) and add (two integers). The name stands in errors.
func (f *File) Execute(w io.Writer, name, text string) error {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"ident": identifier,
		"upper": strings.ToUpper,
		"lower": strings.ToLower,
		"csv":   csvField,
		"json": func(v any) (string, error) {
			text, err := json.Marshal(v)
			return string(text), err
		},
		"number": func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) },
		"add":    func(a, b int) int { return a + b },
	}).Parse(text)
	if err != nil {
		return err
	}
	data, err := f.TemplateData()
	if err != nil {
		return err
	}
	return t.Execute(w, data)
}

// csvField quotes what RFC 4180 wants quoted.
func csvField(s string) string {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
