package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// docs/cli.md and the command name the same subcommands and flags.
func TestDocumentation(t *testing.T) {
	data, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(string(data), "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		sections[title] = text
	}
	root := newRootCommand(&app{})
	known := map[string]bool{}
	flags := func(name, text string, set *pflag.FlagSet) {
		documented := map[string]bool{}
		for _, m := range regexp.MustCompile("(?m)^\\| `(?:-. [A-Z]+`, `)?--([a-z-]+)").FindAllStringSubmatch(text, -1) {
			documented[m[1]] = true
		}
		set.VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != "version" && !documented[f.Name] {
				t.Errorf("docs/cli.md: %s does not have --%s", name, f.Name)
			}
			delete(documented, f.Name)
		})
		delete(documented, "help")
		for flag := range documented {
			t.Errorf("docs/cli.md: %s has no flag --%s", name, flag)
		}
	}
	flags("the table of common flags", sections["Flags of every command"], root.PersistentFlags())
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			continue
		}
		title := "offlock " + c.Use
		known[title] = true
		if _, ok := sections[title]; !ok {
			t.Errorf("docs/cli.md has no section %q", title)
			continue
		}
		flags(title, sections[title], local(c))
	}
	for title := range sections {
		if strings.HasPrefix(title, "offlock ") && !known[title] {
			t.Errorf("docs/cli.md has a section %q, but there is no such command", title)
		}
	}
}

// local are a command's own flags.
func local(c *cobra.Command) *pflag.FlagSet {
	set := pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
	c.LocalNonPersistentFlags().VisitAll(set.AddFlag)
	return set
}
