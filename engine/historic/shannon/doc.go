// Package shannon holds the two strategies of Claude E. Shannon, "Programming a
// Computer for Playing Chess", Philosophical Magazine 41 (1950) 256-275.
package shannon
