package modtree

import "testing"

func TestWithoutModFlags(t *testing.T) {
	for _, tt := range []struct{ flags, want string }{
		{"", ""},
		{"-mod=mod", ""},
		{"-mod=vendor -modcacherw", "-modcacherw"},
		{"-modfile=a.mod --mod=readonly -buildvcs=false -overlay=o.json", "-buildvcs=false"},
		{`'-modfile=a folder/go.mod' -tags=x,y`, "-tags=x,y"},
		{`"-overlay=a b" '-ldflags=-s -w' -trimpath`, "'-ldflags=-s -w' -trimpath"},
		{"  -trimpath\t-insecure ", "-trimpath -insecure"},
		{"'-mod=unclosed -x", "-x"},
	} {
		if got := withoutModFlags(tt.flags); got != tt.want {
			t.Errorf("withoutModFlags(%q) = %q, want %q", tt.flags, got, tt.want)
		}
	}
}
