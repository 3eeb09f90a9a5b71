package selfplay

import "fmt"

// Reorder hands on numbered things in the order of their numbers, whatever the order
// they come in. It holds what came early, so its memory is bounded by how far whoever
// feeds it runs ahead.
type Reorder[T any] struct {
	next  uint64
	early map[uint64]T
}

// NewReorder returns a Reorder whose first number is first.
func NewReorder[T any](first uint64) *Reorder[T] {
	return &Reorder[T]{next: first, early: map[uint64]T{}}
}

// Add takes the thing with the number. A number that came before is an error: it
// would be counted twice.
func (r *Reorder[T]) Add(number uint64, thing T) error {
	if _, twice := r.early[number]; twice || number < r.next {
		return fmt.Errorf("selfplay: number %d came twice", number)
	}
	r.early[number] = thing
	return nil
}

// Next returns the thing with the lowest number not yet returned, if it has come.
func (r *Reorder[T]) Next() (number uint64, thing T, ok bool) {
	thing, ok = r.early[r.next]
	if !ok {
		return 0, thing, false
	}
	number = r.next
	delete(r.early, number)
	r.next++
	return number, thing, true
}

// Waiting returns the lowest number not yet returned by Next.
func (r *Reorder[T]) Waiting() uint64 { return r.next }

// Early returns what came and waits for a lower number. The map is the Reorder's own.
func (r *Reorder[T]) Early() map[uint64]T { return r.early }
