package modtree

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sumFile lists the SHA-256 of every other file of the fork but the marker, which holds the hash of this list.
const sumFile = "OFFLOCK.sum"

// normalise makes a checkout with CRLF line ends equal to what was written.
func normalise(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}

func fileSum(content []byte) string {
	sum := sha256.Sum256(normalise(content))
	return hex.EncodeToString(sum[:])
}

// sumList is the content of OFFLOCK.sum: a line a file, sorted by path.
func sumList(files map[string][]byte) []byte {
	var buf bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&buf, "%s  %s\n", fileSum(files[name]), name)
	}
	return buf.Bytes()
}

// sumHash is the hash of the fork: a hash of the list, as golang.org/x/mod/sumdb/dirhash makes it.
func sumHash(list []byte) string {
	sum := sha256.Sum256(normalise(list))
	return "h1:" + base64.StdEncoding.EncodeToString(sum[:])
}

// parseSums reads a list back: path to sum. A line of another form counts as an edit and is left out.
func parseSums(list []byte) map[string]string {
	sums := make(map[string]string)
	for line := range strings.Lines(string(normalise(list))) {
		if sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  "); ok {
			sums[name] = sum
		}
	}
	return sums
}
