package rows

// MaxPairs is the largest size of a dictionary.
const MaxPairs = maxPairs

// LimitPairs lets the dictionary have no more than n pairs.
func (b *Builder) LimitPairs(n int) { b.s.pairs.limit = n }

// Truncate cuts the file of a store on disk in half.
func (s *Store) Truncate() error { return s.disk.f.Truncate(s.disk.size / 2) }
