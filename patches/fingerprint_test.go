package patches

import (
	"go/format"
	"go/token"
	"testing"
)

func formatted(t *testing.T, text []byte) []byte {
	t.Helper()
	clean, err := format.Source(text)
	if err != nil {
		t.Fatal(err)
	}
	return clean
}

func TestFingerprint(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"comments", "f(a) // x", "/* y */ f( /* z */ a)", true},
		{"wrapping", "f(a, b)", "f(\n\ta,\n\tb,\n)", true},
		{"trailing comma in a literal", "[]int{1, 2}", "[]int{\n1,\n2,\n}", true},
		{"line ends and semicolons", "{ a(); b() }", "{\na()\nb()\n}", true},
		{"last semicolon", "a();", "a()", true},
		{"CRLF", "{\r\na()\r\n}", "{\na()\n}", true},
		{"another name", "f(a)", "f(b)", false},
		{"another literal", `f("a")`, `f("b")`, false},
		{"another kind of literal", `f("a")`, "f(`a`)", false},
		{"two statements or one", "a()\n*p = 1", "a() * p = 1", false},
		{"joined names", "ab", "a b", false},
		{"an empty clause", "for ; ; {}", "for {}", false},
		{"spaces in a string", `"a b"`, `"a  b"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := fingerprint(token.ILLEGAL, []byte(c.a)), fingerprint(token.ILLEGAL, []byte(c.b))
			if (a == b) != c.same || len(a) != digits {
				t.Errorf("%q: %s, %q: %s; same: want %t", c.a, a, c.b, b, c.same)
			}
		})
	}
}

// A spec has one fingerprint, alone or in a group.
func TestFingerprintOfSpecs(t *testing.T) {
	s, err := parseSource("a.go", []byte("package a\n\nvar x = 1\n\nvar (\n\tx = 1\n\ty = 2\n)\n\nconst x = 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	alone, grouped, constant := s.units[0].fingerprint(), s.units[1].fingerprint(), s.units[3].fingerprint()
	if alone != grouped || alone == constant {
		t.Errorf("alone %s, in a group %s, as a constant %s", alone, grouped, constant)
	}
}

func TestList(t *testing.T) {
	list, err := List("shop/till_test.go", []byte("package shop_test\n\nimport \"fmt\"\n\n//line x.y:90\nfunc f() {\n\tif true {\n\t\tg()\n\t}\n\tg()\n}\n\nvar a, b = 1, 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Address != "shop_test:f" || list[0].Line != 6 || list[1].Name != "a" {
		t.Fatalf("list %+v", list)
	}
	g := fingerprint(token.ILLEGAL, []byte("g()"))
	st := list[0].Statements
	if len(st) != 3 || st[0].Text != "if true {" || st[1].Fingerprint != g+"#1" || st[1].Depth != 1 || st[2].Fingerprint != g+"#2" || st[2].Line != 10 {
		t.Errorf("statements %+v", st)
	}
}
