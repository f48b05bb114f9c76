package adopt

import (
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/offlock/offlock/internal/modtree"
)

// sumLines are the lines of a go.sum that concern go-feature-flag itself (not modules below it), in their order.
func sumLines(text []byte) []string {
	var found []string
	for _, line := range lines(text) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == modtree.UpstreamPath {
			found = append(found, bare(line))
		}
	}
	return found
}

// baseLines are the lines that a go.sum holds of a base that is built.
func baseLines(base *modtree.Base) []string {
	return []string{
		modtree.UpstreamPath + " " + base.Version + " " + base.Sum,
		modtree.UpstreamPath + " " + base.Version + "/go.mod " + base.GoModSum,
	}
}

// addSums puts back the lines that are missing, each where the go command keeps it. It returns those that it added.
func addSums(text []byte, wanted []string) ([]byte, []string) {
	var (
		all   = lines(text)
		end   = ""
		added []string
	)
	if crlf(text) {
		end = "\r"
	}
	for _, line := range wanted {
		if slices.ContainsFunc(all, func(have string) bool { return bare(have) == line }) {
			continue
		}
		at := slices.IndexFunc(all, func(have string) bool { return have == "" || sumLess(line, bare(have)) })
		if at < 0 { // the last line has no line end
			all[len(all)-1] += end
			all = append(all, line)
		} else {
			all = slices.Insert(all, at, line+end)
		}
		added = append(added, line)
	}
	return []byte(strings.Join(all, "\n")), added
}

// sumLess is the order in which the go command writes go.sum.
func sumLess(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) < 2 || len(y) < 2 {
		return false
	}
	pair := []module.Version{{Path: y[0], Version: y[1]}, {Path: x[0], Version: x[1]}}
	module.Sort(pair)
	return pair[0].Path == x[0] && pair[0].Version == x[1]
}
