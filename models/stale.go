package models

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func (c *code) valueAt(s span) int64 {
	v, _ := strconv.ParseInt(strings.Join(strings.Fields(c.text[s.from:s.to]), ""), 10, 64)
	return v
}

var (
	// evaluates are names of code that uses coefficients as a fit does, only passes them on, or keeps their sums while
	// pieces are put and taken; decides are names of code whose meaning changes with them.
	evaluates = regexp.MustCompile(`(?i)eval|trace|dump|feature|term|tune|coef|param|weight|init|print|` +
		`load|setup|pst|psq|table|put|add|remove|clear|update|accum`)
	decides   = regexp.MustCompile(`(?i)phase|see|search|order|quiesc|qs|mvv|prun|futil|move|exchange|gain|mate|draw`)
	setsPhase = regexp.MustCompile(`(?i)\w*phase\w*(?:\[[^\]]*\])?\s*[-+*/]?=[^=]`)
	defines   = regexp.MustCompile(`^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)`)
)

// shared says which names of edits are used by code that is not the evaluation: what such code does changes
// with the weights. The edits may be those of code with fewer files.
func (c *code) shared(edits []edit) (said []string) {
	uses := map[string][]int{}
	for _, m := range word.FindAllStringIndex(c.masked, -1) {
		if before := strings.TrimRight(c.masked[:m[0]], " "); !strings.HasSuffix(before, ".") &&
			!strings.HasSuffix(before, "->") {
			uses[c.masked[m[0]:m[1]]] = append(uses[c.masked[m[0]:m[1]]], m[0])
		}
	}
	done, names := map[string]bool{}, map[string][]string{}
	for _, e := range edits {
		name := e.of.name
		if done[name] || e.old == e.value {
			continue
		}
		done[name] = true
		if f := c.files[c.file(e.from)]; strings.Contains(c.masked[e.of.head.from:e.of.head.to], "static") &&
			strings.HasPrefix(filepath.Ext(f.Name), ".c") { // other files do not see it
			uses[name] = slices.DeleteFunc(uses[name], func(at int) bool { return !f.holds(at) })
		}
		places := c.places(name, uses)
		var list []string
		for _, place := range slices.SortedFunc(maps.Keys(places),
			func(a, b string) int { return cmp.Compare(places[a], places[b]) }) {
			if decides.MatchString(place) || len(places) > 1 && !evaluates.MatchString(place) {
				list = append(list, fmt.Sprintf("%s (%s)", place, c.where(places[place])))
			}
		}
		if text := strings.Join(list, ", "); text != "" {
			if names[text] = append(names[text], name); len(names[text]) == 1 {
				said = append(said, text)
			}
		}
	}
	for i, text := range said {
		said[i] = strings.Join(names[text], ", ") + ": " + text
	}
	return said
}

// places returns the functions that use a name, or what is defined by it.
func (c *code) places(name string, uses map[string][]int) map[string]int {
	places := map[string]int{}
	seen := map[string]bool{name: true}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, at := range uses[queue[0]] {
			if slices.ContainsFunc(c.inits, func(n *node) bool { return n.head.holds(at) }) {
				continue // it is defined here
			}
			if i := slices.IndexFunc(c.bodies, func(b body) bool { return b.holds(at) }); i >= 0 {
				place := c.bodies[i].name
				from := strings.LastIndexAny(c.masked[:at], ";{}") + 1
				if setsPhase.MatchString(c.masked[from:at]) {
					place = "the phase in " + place
				}
				if _, ok := places[place]; !ok {
					places[place] = at
				}
				continue
			}
			by := ""
			if i := slices.IndexFunc(c.inits,
				func(n *node) bool { return n.holds(at) && c.title(n) == n.name }); i >= 0 {
				by = c.inits[i].name
			} else if m := defines.FindStringSubmatch(c.masked[strings.LastIndexByte(c.masked[:at],
				'\n')+1 : at]); m != nil {
				by = m[1]
			}
			if by != "" && !seen[by] {
				seen[by] = true
				queue = append(queue, by)
				if decides.MatchString(by) {
					places[by] = at
				}
			}
		}
	}
	return places
}

// stale lists numbers that were not written and equal old values of written terms that changed, or
// their negatives. A single small number means little, so that it takes three in a row, or a number
// that is rare; others are listed where they are few.
func (c *code) stale() (said []string) {
	var small []string
	size := func(v int64) int64 { return max(v, -v) }
	byOld := map[int64][]int{}
	for i, e := range c.edits {
		if e.old != e.value {
			byOld[size(e.old)] = append(byOld[size(e.old)], i)
		}
	}
	numbers := c.unwritten()
	for _, l := range c.alike {
		said = append(said, fmt.Sprintf("%s: %s, the old values of %s", c.where(l.to.from), l.to.name, l.from.name))
		numbers = slices.DeleteFunc(numbers, func(s span) bool { return l.to.holds(s.from) })
	}
	count := map[int64]int{}
	for _, s := range numbers {
		count[size(c.valueAt(s))]++
	}
	for i := 0; i < len(numbers); i++ {
		at := byOld[size(c.valueAt(numbers[i]))]
		length, of := 0, 0
		for _, j := range at {
			for _, step := range []int{1, -1} {
				if n := c.run(numbers[i:], j, step); n > length {
					length, of = n, j
				}
			}
		}
		v := size(c.valueAt(numbers[i]))
		switch {
		case length >= 3:
			last := numbers[i+length-1]
			said = append(said, fmt.Sprintf("%s: %.60q, old values beginning with that of %s",
				c.where(numbers[i].from), c.text[numbers[i].from:last.to], c.edits[of].term))
			i += length - 1
		case len(at) > 0 && count[v] <= 3 && v >= 10:
			text := fmt.Sprintf("%s: %s, the old value of %s",
				c.where(numbers[i].from), c.text[numbers[i].from:numbers[i].to], c.edits[at[0]].term)
			if len(at) <= 2 && rare(v) {
				said = append(said, text)
			} else {
				small = append(small, text)
			}
		}
	}
	if len(small) <= 8 {
		said = append(said, small...)
	}
	return said
}

// rare reports whether a number says by itself what it is: none that bits, squares and round sums are.
func rare(v int64) bool { return v > 64 && v&(v-1) != 0 && (v+1)&v != 0 }

// run counts the numbers that go on as the old values do, forward or backward, with two that differ.
func (c *code) run(numbers []span, j, step int) int {
	n, different := 0, map[int64]bool{}
	sign := int64(0)
	for ; n < len(numbers) && j >= 0 && j < len(c.edits); n, j = n+1, j+step {
		v, w := c.valueAt(numbers[n]), c.edits[j].old
		if v != w && v != -w || n > 0 && (strings.ContainsAny(c.masked[numbers[n-1].to:numbers[n].from], ";=#") ||
			c.edits[j].of != c.edits[j-step].of) {
			break
		}
		if w != 0 {
			if sign == 0 {
				sign = v / w
			}
			if v != sign*w {
				break
			}
			different[max(v, -v)] = true
		}
	}
	if len(different) < 2 || len(different) == 2 && slices.Max(slices.Collect(maps.Keys(different))) <= 16 {
		return min(n, 1)
	}
	return n
}

// unwritten returns the whole numbers of all files that the patch leaves alone. Sizes and indices of arrays do not
// count, nor do numbers that count on, such as squares.
func (c *code) unwritten() (list []span) {
	written := map[int]bool{}
	for _, e := range c.edits {
		written[e.from] = true
	}
	for _, m := range wholeNumber.FindAllStringSubmatchIndex(c.masked, -1) {
		s := span{signed(c.masked, m[2]), m[3]}
		line := c.text[strings.LastIndexByte(c.text[:s.from], '\n')+1:]
		line, _, _ = strings.Cut(line, "\n")
		before, after := strings.TrimRight(c.masked[:s.from], " "), strings.TrimLeft(c.masked[s.to:], " ")
		alone := before != "" && strings.ContainsAny(before[len(before)-1:], "[;") && strings.HasPrefix(after, "]")
		if !written[s.from] && !alone && c.masked[s.to] != '.' && !strings.Contains(line, markKeep) {
			list = append(list, s)
		}
	}
	counting := func(i int) bool { return i > 0 && i < len(list) && c.valueAt(list[i]) == c.valueAt(list[i-1])+1 }
	var rest []span
	for from := 0; from < len(list); {
		to := from + 1
		for counting(to) {
			to++
		}
		if to-from < 4 {
			rest = append(rest, list[from:to]...)
		}
		from = to
	}
	return rest
}
