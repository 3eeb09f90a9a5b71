package weights

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/models/numbers"
)

// intoSources writes the weights into source files, by name.
func (f *exportFlags) intoSources(x *Opened, stderr io.Writer) error {
	for i, name := range f.into {
		if !filepath.IsLocal(name) {
			return ui.Usagef("--into %s: name files from the top of the engine's folder, and type the command there", name)
		}
		if slices.ContainsFunc(f.into[:i], func(s string) bool { return filepath.Clean(s) == filepath.Clean(name) }) {
			return ui.Usagef("--into %s is given twice", name)
		}
	}
	set, err := numbers.Scan(".", f.into, numbers.Options{})
	if err != nil {
		return err
	}
	at := map[string]int{}
	for i, n := range set.Numbers {
		at[n.Name] = i
	}
	values := set.Values()
	var missing []string
	for _, t := range x.File.Terms {
		i, ok := at[t.Name]
		if !ok || set.Numbers[i].Float { // a weight file has whole numbers, of steps that it does not know
			missing = append(missing, t.Name)
			continue
		}
		values[i] = float64(t.MG)
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: these are no whole numbers there, and nothing is changed: %s (only weights of measured "+
			"numbers can be written into a source; for others there is --format c)", strings.Join(f.into, ", "), listed(missing))
	}
	changed, err := set.WriteBack(".", values)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%d of %d numbers changed in %s\n", changed, len(x.File.Terms), strings.Join(f.into, ", "))
	return nil
}

// mostListed is how many names are printed.
const mostListed = 20

func listed(names []string) string {
	if len(names) > mostListed+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostListed], ", "), len(names)-mostListed)
	}
	return strings.Join(names, ", ")
}
