package tally

import (
	"strconv"
	"strings"
)

// late counts the events that are stored after a later one of the same caller. Objects are the users in each.
func late(order []string, objects map[string][]string) int {
	count := 0
	newest := map[string]int{} // number by caller
	for _, key := range order {
		for _, user := range objects[key] {
			caller, n, ok := numbered(user)
			if !ok {
				continue
			}
			if last, seen := newest[caller]; seen && n < last {
				count++
			} else {
				newest[caller] = n
			}
		}
	}
	return count
}

// numbered takes CALLER.N apart.
func numbered(user string) (caller string, n int, ok bool) {
	caller, number, found := strings.Cut(user, ".")
	n, err := strconv.Atoi(number)
	return caller, n, found && err == nil
}
