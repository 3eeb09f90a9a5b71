// Package guidetest has only tests, which take long: they follow the guides for authors of engines.
package guidetest
