package modtree

import (
	"bytes"
	"fmt"
)

// noticeFile says in the fork what it is, as good manners and some licences ask.
const noticeFile = "OFFLOCK.md"

func notice(base *Base, patches []Patch) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# A changed copy of %s\n\n", UpstreamPath)
	fmt.Fprintf(&b, "offlock made this folder from %s %s, whose licence (LICENSE) holds for it unchanged.\n",
		UpstreamPath, base.Version)
	fmt.Fprintf(&b, "Only what builds and tests need was taken over.\n\n")
	fmt.Fprintf(&b, "- module hash: `%s`\n- go.mod hash: `%s`\n", base.Sum, base.GoModSum)
	if base.Commit != "" {
		fmt.Fprintf(&b, "- commit: `%s`\n", base.Commit)
	}
	b.WriteString("\n## What was changed\n\n")
	if len(patches) == 0 {
		b.WriteString("Nothing.\n\n")
	}
	for _, p := range patches {
		fmt.Fprintf(&b, "### %s\n\n", p.Name)
		if p.Title != "" {
			fmt.Fprintf(&b, "%s\n\n", p.Title)
		}
		for _, f := range p.Files {
			fmt.Fprintf(&b, "- %s\n", f)
		}
		if len(p.Files) > 0 {
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "Added for every fork: this file, `%s` (checksums of the files here) and `%s` (so that a program\n"+
		"can be asked which fork it was built with).\n\n", sumFile, markerFile)
	b.WriteString("Do not edit this folder: `offlock apply` would refuse to write over it. `offlock diff` prints the changes.\n")
	return b.Bytes()
}
