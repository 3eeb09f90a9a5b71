package models

import (
	"embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"
)

//go:embed export/*.tmpl
var exportTemplates embed.FS

// exports are the templates of the formats but json; their dot is a *templateData.
var exports = template.Must(template.New("").Funcs(template.FuncMap{
	"ident":  identifier,
	"upper":  strings.ToUpper,
	"csv":    csvField,
	"number": func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) },
	"add":    func(a, b int) int { return a + b },
}).ParseFS(exportTemplates, "export/*.tmpl"))

// ExportFormats returns the formats of Export: json is the weight file itself, c a C header, csv a table.
func ExportFormats() []string { return []string{"json", "c", "csv"} }

// Export writes the weights in one of the formats of ExportFormats.
func (f *File) Export(w io.Writer, format string) error {
	if format == "json" {
		text, err := f.Encode()
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	t := exports.Lookup(format + ".tmpl")
	if t == nil {
		return fmt.Errorf("no export format %q (there are: %s)", format, strings.Join(ExportFormats(), ", "))
	}
	data, err := f.templateData()
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
