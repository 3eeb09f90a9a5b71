//go:build soak

package models

func init() { copies = 250 }
