// Package scripttest has only a test, which takes long: the command-line tests of testdata/script.
package scripttest
