package main

import (
	"strconv"
	"strings"
	"time"
)

// order is the answer that a message asks for.
type order struct {
	chunks     int
	characters int
	// pause comes before each chunk.
	pause time.Duration
	// brief: the complete answer is short, however long the stream was.
	brief bool
	// small: one short answer, streamed or not.
	small bool
	// fill is a number of short events.
	fill int
}

// readOrder reads the words that bench/README.md lists. Without n=, d= and s= the answer is small.
func readOrder(text string) order {
	words := map[string]int{}
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		if number, err := strconv.Atoi(value); err == nil && number >= 0 {
			words[name] = number
		}
	}
	_, hasChunks := words["n"]
	_, hasPause := words["d"]
	_, hasCharacters := words["s"]
	asked := order{
		chunks:     1,
		characters: 20,
		pause:      time.Duration(words["d"]) * time.Millisecond,
		brief:      words["brief"] == 1,
		small:      words["small"] == 1 || !(hasChunks || hasPause || hasCharacters),
		fill:       words["fill"],
	}
	if hasChunks {
		asked.chunks = words["n"]
	}
	if hasCharacters {
		asked.characters = words["s"]
	}
	return asked
}
