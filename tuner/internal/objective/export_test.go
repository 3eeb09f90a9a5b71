package objective

// SetKeptRows bounds the rows that are evaluated once for K.
func SetKeptRows(n int) { keptRows = n }
