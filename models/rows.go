package models

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	sizesBefore  = regexp.MustCompile(`(?:\[[^\[\]]*\]\s*)+$`)
	bracketed    = regexp.MustCompile(`\[([^\[\]]*)\]`)
	preprocessed = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|else|elif|endif|include)\b`)
)

// readRows gives the elements of a list their rows, where an array of C has braces around all of them
// only: int t[2][64] = {1, 2, ...}.
func (c *code) readRows(n *node, equals int) {
	if n.list == nil {
		return
	}
	if preprocessed.MatchString(c.masked[n.from:n.to]) {
		n.odd = "the preprocessor decides which of its elements count"
		return
	}
	var sizes []int
	for _, m := range bracketed.FindAllStringSubmatch(sizesBefore.FindString(c.masked[n.head.from:equals]), -1) {
		size, err := strconv.Atoi(strings.TrimSpace(m[1]))
		if err != nil {
			size = c.consts[strings.TrimSpace(m[1])]
		}
		sizes = append(sizes, size) // 0: not known
	}
	n.split(sizes)
}

// split makes rows of the elements of an array with the sizes.
func (n *node) split(sizes []int) {
	if len(sizes) < 2 || len(n.list) == 0 {
		return
	}
	lists := 0
	for _, x := range n.list {
		if x.list != nil {
			lists++
		}
	}
	if lists == len(n.list) {
		if sizes[0] > 0 && lists > sizes[0] {
			n.odd = fmt.Sprintf("it has %d rows, the array %d", lists, sizes[0])
		}
		for _, x := range n.list {
			if x.split(sizes[1:]); x.odd != "" {
				n.odd = x.odd
			}
		}
		return
	}
	row, known := 1, true
	for _, size := range sizes[1:] {
		row, known = row*size, known && size > 0
	}
	switch {
	case lists > 0:
		n.odd = "some of its rows have braces and some have none"
	case !known:
		n.odd = "its rows have no braces, and not all sizes of the array are known numbers"
	case sizes[0] > 0 && len(n.list) > sizes[0]*row:
		n.odd = fmt.Sprintf("it has %d elements, more than the sizes of the array", len(n.list))
	}
	if n.odd != "" {
		return
	}
	n.flat, n.list = n.list, nil
	for at := 0; at < len(n.flat); at += row {
		part := n.flat[at:min(at+row, len(n.flat))]
		x := &node{span: span{part[0].from, part[len(part)-1].to}, list: part}
		x.split(sizes[1:])
		n.list = append(n.list, x)
	}
}

// designator is the place of an element in a list of C: [KNIGHT] = 300.
var designator = regexp.MustCompile(`^\[[^\[\]\n]*\][ \t]*=[ \t]*`)

// valueOf returns the whole number that a text is, or is the name of.
func (c *code) valueOf(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil {
		return n, n >= 0
	}
	n, ok := c.consts[text]
	return n, ok
}

var (
	enumList = regexp.MustCompile(`\benum\b[^;{}()]*\{([^{}]*)\}`)
	constant = regexp.MustCompile(`\b([A-Za-z_]\w*)[ \t]*(?:=|[ \t])[ \t]*([0-9]+)[ \t]*(?:[,;}\r\n]|$)`)
)

// readConstants finds whole numbers that have a name, for sizes and places of arrays. A name
// of two numbers is none.
func (c *code) readConstants() {
	c.consts = map[string]int{}
	twice := map[string]bool{}
	note := func(name string, n int) {
		if old, ok := c.consts[name]; ok && old != n {
			twice[name] = true
		}
		c.consts[name] = n
	}
	for _, m := range constant.FindAllStringSubmatch(c.masked, -1) {
		if n, err := strconv.Atoi(m[2]); err == nil {
			note(m[1], n)
		}
	}
	for _, m := range enumList.FindAllStringSubmatchIndex(c.masked, -1) {
		c.enums = append(c.enums, span{m[2], m[3]})
		next, known := 0, true
		for _, item := range strings.Split(c.masked[m[2]:m[3]], ",") {
			name, value, set := strings.Cut(strings.TrimSpace(item), "=")
			if set {
				var err error
				next, err = strconv.Atoi(strings.TrimSpace(value))
				known = err == nil
			}
			if known && name != "" {
				note(strings.TrimSpace(name), next)
			}
			next++
		}
	}
	for name := range twice {
		delete(c.consts, name)
	}
}
