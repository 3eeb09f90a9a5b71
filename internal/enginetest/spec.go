package enginetest

import "github.com/assay-chess/assay/engine"

// Spec parses a specification that a test knows to be right.
func Spec(text string) engine.Spec {
	spec, err := engine.ParseSpec(text)
	if err != nil {
		panic(err)
	}
	return spec
}
