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

// exportFormats lists the built-in templates; "json" needs none.
var exportFormats = []string{"tables", "c", "cpp", "rust", "go", "csv", "uci"}

// ExportFormats returns the formats of Export: tables are arrays of S(mg, eg) for C and C++,
// c is a C header, cpp, rust and go are declarations in these languages, csv a table, uci
// one setoption line for each weight, json the weight file itself.
func ExportFormats() []string { return append([]string{"json"}, exportFormats...) }

// ExportTemplate returns the text of the built-in template of a format, as an example for
// other templates. The format json has none.
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

// Execute executes a template of text/template on the weights; its dot is a *templateData.
// The template has these functions of its own: ident (a name as an identifier), upper,
// lower, csv (a CSV field), json (a value), number (a float in shortest form) and add (two
// integers). name is the template's name in errors.
func (f *File) Execute(w io.Writer, name, text string) error {
	data, err := f.templateData()
	if err != nil {
		return err
	}
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
	return t.Execute(w, data)
}

// csvField quotes a field where RFC 4180 requires it.
func csvField(s string) string {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
