// Package gitbuild builds engines from the commits of a git repository, and keeps what it
// built.
//
// A Repo resolves the names of commits and makes a Source of each: a commit, or the files of
// the working tree by their hash. A Cache builds a Source with a command, in a clone of its
// own (git clone --shared), and never writes into the repository. Each build has a folder in
// the cache that appears whole or not at all, also after kill -9. Two processes that want the
// same build make it once. The last Keep builds stay.
//
// It does not know players or matches: cmd/assay turns git:REF into a build.
//
// Start reading at OpenRepo and Cache.Build.
package gitbuild
