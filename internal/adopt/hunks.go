package adopt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/offlock/offlock/internal/modtree"
)

// edit records what turned before into after.
func edit(file string, before, after []byte) modtree.Edit {
	return modtree.Edit{File: file, Before: hash(before), After: hash(after), Hunks: hunks(before, after)}
}

// hash identifies a file whatever its line ends: a checkout may have changed those.
func hash(text []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return hex.EncodeToString(sum[:])
}

// lines splits a text so that joining with "\n" gives it back; a final line end shows as a last, empty line.
func lines(text []byte) []string { return strings.Split(string(text), "\n") }

// bare is a line without what is left of a Windows line end.
func bare(line string) string { return strings.TrimSuffix(line, "\r") }

// maxTable bounds the table of hunks. Past it (two lists of 2000 lines that have nothing in common at either end) the
// whole middle becomes one hunk, which is as right, only longer.
const maxTable = 4 << 20

// hunks compares two texts line by line, without their line ends, and keeps as many lines as can be kept.
func hunks(before, after []byte) []modtree.Hunk {
	a, b := bareLines(before), bareLines(after)
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] {
		first++
	}
	for len(a) > first && len(b) > first && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	a, b = a[first:], b[first:]
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	if len(a)*len(b) > maxTable {
		return []modtree.Hunk{{Line: first + 1, Removed: a, Added: b}}
	}
	kept := longestCommon(a, b)
	var result []modtree.Hunk
	open := false // the last hunk goes on
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			i, j, open = i+1, j+1, false
			continue
		}
		if !open {
			result, open = append(result, modtree.Hunk{Line: first + j + 1}), true
		}
		h := &result[len(result)-1]
		if j == len(b) || i < len(a) && kept[i+1][j] >= kept[i][j+1] {
			h.Removed = append(h.Removed, a[i])
			i++
		} else {
			h.Added = append(h.Added, b[j])
			j++
		}
	}
	return result
}

// longestCommon[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
func longestCommon(a, b []string) [][]int32 {
	table := make([][]int32, len(a)+1)
	for i := range table {
		table[i] = make([]int32, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if x == y {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

func bareLines(text []byte) []string {
	all := lines(text)
	for i, line := range all[:len(all)-1] {
		all[i] = bare(line)
	}
	return all
}

// undo takes an edit back. It succeeds only if the text is what the edit left, and gives exactly what was there before.
func undo(e modtree.Edit, text []byte) ([]byte, bool) {
	if hash(text) != e.After {
		return nil, false
	}
	end := ""
	if crlf(text) {
		end = "\r"
	}
	all := lines(text)
	for _, h := range slices.Backward(e.Hunks) {
		first := h.Line - 1
		if first < 0 || first > len(all)-len(h.Added) { // a sum could overflow, the lock is a file
			return nil, false
		}
		for i, added := range h.Added {
			if line := all[first+i]; line != added && bare(line) != added {
				return nil, false
			}
		}
		removed := make([]string, len(h.Removed))
		for i, line := range h.Removed {
			removed[i] = line + end
		}
		all = slices.Replace(all, first, first+len(h.Added), removed...)
	}
	// The last line has no line end of its own. If lines were removed behind it, it still carries half of one, unless
	// that was in the file from the start: the hash tells.
	whole := strings.Join(all, "\n")
	for _, candidate := range []string{strings.TrimSuffix(whole, "\r"), whole} {
		if hash([]byte(candidate)) == e.Before {
			return []byte(candidate), true
		}
	}
	return nil, false
}
