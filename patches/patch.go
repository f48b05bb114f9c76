package patches

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Patch is one folder of the series.
type Patch struct {
	Name  string // "0003-flush-off-caller"
	Title string // Conventional Commits form: it becomes the title of the pull request
	Text  string // body of PATCH.md: the text of the pull request

	Kind          string   // "fix", "feat", "perf" or "test"
	For           Range    // the upstream releases that it is written for
	Upstream      string   // the pull request it came from or was sent as; may be empty
	Landed        string   // the release in which upstream took it; empty if it has not
	Needs         []Need   // the patches that it builds on
	Leans         []string // addresses that it relies on and that its code does not show, such as "exporter:EventStore"
	Copies        []Copy   // folders of ours that it brings along
	ReplacesTests []string // names of upstream's tests that it replaces

	files []*patchFile // sorted by path, overrides after the file that they override
}

// Need is one entry of a patch's Needs line.
type Need struct {
	Patch string // its name, whatever PATCH.md calls it by
	Below string // only for releases below this one; empty: always
}

// Copy is a folder of [Series.Sources] whose Go files are added to the tree.
type Copy struct {
	From string // folder in Series.Sources
	To   string // folder below upstream's module root
}

// Number is the four digits that the name begins with.
func (p *Patch) Number() string { return p.Name[:4] }

// landed tells whether upstream has the patch in a version.
func (p *Patch) landed(version string) bool {
	return p.Landed != "" && semver.Compare(version, p.Landed) >= 0
}

// active tells whether the need exists for a version.
func (n Need) active(version string) bool {
	return n.Below == "" || semver.Compare(version, n.Below) < 0
}

var kinds = []string{"fix", "feat", "perf", "test"}

// parseFrontMatter reads PATCH.md: keys between two "---" lines, then the text.
func parseFrontMatter(p *Patch, md []byte) error {
	rest, ok := bytes.CutPrefix(md, []byte("---\n"))
	if !ok {
		return errors.New("does not begin with a line \"---\"; the keys stand between two such lines")
	}
	head, text, ok := bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		return errors.New("the keys are not closed by a line \"---\"")
	}
	header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(head, "\n\n"...)))).ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the keys are not \"Key: value\" lines: %w", err)
	}
	p.Text = strings.TrimSpace(string(text)) + "\n"
	for key, values := range header {
		if len(values) > 1 {
			return fmt.Errorf("key %s is given %d times; write one comma-separated line", key, len(values))
		}
		if err := p.set(key, strings.TrimSpace(values[0])); err != nil {
			return fmt.Errorf("key %s: %w", key, err)
		}
	}
	for _, key := range []string{"Title", "Kind", "For"} {
		if header.Get(key) == "" {
			return fmt.Errorf("key %s is missing", key)
		}
	}
	return nil
}

// set stores one front matter key.
func (p *Patch) set(key, value string) (err error) {
	switch key {
	case "Title":
		p.Title = value
	case "Kind":
		p.Kind = value
		if !slices.Contains(kinds, value) {
			return fmt.Errorf("%q is none of %s", value, strings.Join(kinds, ", "))
		}
	case "For":
		p.For, err = parseRange(value)
	case "Upstream":
		p.Upstream = value
	case "Landed":
		p.Landed = value
		if !semver.IsValid(value) {
			return fmt.Errorf("%q is not a release such as v1.53.0", value)
		}
	case "Needs":
		p.Needs, err = parseNeeds(value)
	case "Leans":
		p.Leans = commas(value)
		for _, address := range p.Leans {
			if scope, name, ok := strings.Cut(address, ":"); !ok || scope == "" || name == "" {
				return fmt.Errorf("%q is not an address such as exporter:EventStore", address)
			}
		}
	case "Copies":
		p.Copies, err = parseCopies(value)
	case "Replaces-Tests":
		p.ReplacesTests = commas(value)
	default:
		return errors.New("unknown; docs/patches.md lists the keys")
	}
	return err
}

func parseNeeds(value string) ([]Need, error) {
	var needs []Need
	for _, item := range commas(value) {
		words := strings.Fields(item)
		switch {
		case len(words) == 1:
			needs = append(needs, Need{Patch: words[0]})
		case len(words) == 3 && words[1] == "below" && semver.IsValid(words[2]):
			needs = append(needs, Need{Patch: words[0], Below: words[2]})
		default:
			return nil, fmt.Errorf("%q is neither \"0002\" nor \"0001 below v1.53.0\"", item)
		}
	}
	return needs, nil
}

func parseCopies(value string) ([]Copy, error) {
	var copies []Copy
	for _, item := range commas(value) {
		from, to, ok := strings.Cut(item, "->")
		c := Copy{From: strings.TrimSpace(from), To: strings.TrimSpace(to)}
		if !ok || !validPath(c.From) || !validPath(c.To) {
			return nil, fmt.Errorf("%q is not \"FOLDER -> FOLDER\"", item)
		}
		copies = append(copies, c)
	}
	return copies, nil
}

// commas splits a comma list; empty items are dropped.
func commas(value string) []string {
	var items []string
	for _, item := range strings.Split(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
