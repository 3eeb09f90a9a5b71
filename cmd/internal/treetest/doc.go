// Package treetest has only tests: who imports whom, and the licences of the modules that are linked.
package treetest
