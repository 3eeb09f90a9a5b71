package cluster

// Runs is Allowed.local, for tests.
func Runs(a *AllowedEngines, spec string, p Program) (string, error) { return a.local(spec, p) }

// ProgramAt is programAt, for tests.
func ProgramAt(path string) (Program, error) { return ProgramOf(path) }
