module example.org/minnow

go 1.16
