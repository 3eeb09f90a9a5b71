package numbers

// cc is C and C++.
type cc struct {
	plus bool // C++
}

func openC(name string) language { return &cc{plus: name == "c++"} }

func (c *cc) scan(s *Set, o Options) error { return nil }

func (c *cc) instrument(s *Set, dir, value string) error { return nil }
