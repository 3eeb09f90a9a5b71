package tuner

import (
	"bytes"
	"encoding/json"
)

// CurrentKeys returns the JSON of a fit, or of a run with fits, under the keys that
// Result has today. Each command once had keys of its own; runs that
// finished then are read through this function, and nothing else knows the old keys.
func CurrentKeys(doc []byte) ([]byte, error) {
	old := false
	for _, key := range []string{`"old_mg"`, `"start_train"`, `"centred"`, `"old"`, `"piece"`} {
		old = old || bytes.Contains(doc, []byte(key))
	}
	if !old {
		return doc, nil
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	renameKeys(v, nil)
	return json.Marshal(v)
}

// oldKeys are old keys and today's, by a key that only objects of that kind have.
var oldKeys = map[string][][2]string{
	// terms of assay tune and of assay learn
	"old_mg": {{"positions", "count"}, {"clusters", "effective_games"}, {"share", "data_share"},
		{"new_mg", "mg"}, {"new_eg", "eg"}, {"old_eg", "start_eg"}, {"old_mg", "start_mg"}},
	"piece":   {{"old", "start"}, {"new", "value"}}, // piece values of assay learn
	"centred": {{"centred", "centered"}},            // tables of assay tune
}

// renameKeys renames old keys in v. The terms of a fit of assay tune take the factor
// rescale from it.
func renameKeys(v any, rescale any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			renameKeys(x, rescale)
		}
	case map[string]any:
		for kind, names := range oldKeys {
			if _, ok := v[kind]; !ok {
				continue
			}
			for _, n := range names {
				if x, ok := v[n[0]]; ok {
					delete(v, n[0])
					v[n[1]] = x
				}
			}
			if _, ok := v["rescale"]; kind == "old_mg" && !ok && rescale != nil {
				v["rescale"] = rescale
			}
		}
		if train, ok := v["start_train"]; ok { // a fit of assay learn
			v["loss_start"] = map[string]any{"train": train, "valid": v["start_valid"]}
			v["loss_rounded"] = map[string]any{"train": v["loss_train"], "valid": v["loss_valid"]}
			for _, key := range []string{"start_train", "start_valid", "loss_train", "loss_valid"} {
				delete(v, key)
			}
		}
		if x, ok := v["rescale"]; ok {
			rescale = x
		}
		for _, x := range v {
			renameKeys(x, rescale)
		}
	}
}
