package selfplay

import "slices"

// queue holds the jobs that no worker has taken yet: games before checks, each in the
// order of the numbers.
type queue struct {
	games, checks []Job
}

func (q *queue) push(job Job) {
	list := &q.games
	if job.Try > 0 {
		list = &q.checks
	}
	at, _ := slices.BinarySearchFunc(*list, job.Number, func(j Job, number uint64) int {
		if j.Number < number {
			return -1
		}
		return 1
	})
	*list = slices.Insert(*list, at, job)
}

func (q *queue) first() (Job, bool) {
	switch {
	case len(q.games) > 0:
		return q.games[0], true
	case len(q.checks) > 0:
		return q.checks[0], true
	}
	return Job{}, false
}

// pop removes what first returned.
func (q *queue) pop() {
	if len(q.games) > 0 {
		q.games = q.games[1:]
		return
	}
	q.checks = q.checks[1:]
}

// cut removes checks of openings and games with at least these numbers.
func (q *queue) cut(opening, game uint64) {
	q.games = slices.DeleteFunc(q.games, func(j Job) bool { return j.Number >= game })
	q.checks = slices.DeleteFunc(q.checks, func(j Job) bool { return j.Number >= opening })
}
