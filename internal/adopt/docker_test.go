package adopt

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissingCopies(t *testing.T) {
	const copyLine = "COPY third_party/go-feature-flag ./third_party/go-feature-flag/"
	for _, tc := range []struct {
		name, file string
		want       []string
	}{
		{"usual", "FROM golang\nWORKDIR /src\nCOPY go.mod go.sum ./\nRUN go mod download\nCOPY . .\nRUN go build\n", []string{"4 " + copyLine}},
		{"all at once", "FROM golang\nWORKDIR /src\nCOPY . .\nRUN go mod download\n", nil},
		{"fork copied", "FROM golang\nWORKDIR /src\nCOPY go.mod go.sum ./\n" + copyLine + "\nRUN go mod download\n", nil},
		{"parent folder copied", "FROM golang\nWORKDIR /src\nCOPY go.mod go.sum ./\nCOPY third_party third_party\nRUN go mod download\n", nil},
		{"parent folder copied to the wrong place", "FROM golang\nWORKDIR /src\nCOPY go.mod go.sum third_party ./\nRUN go mod download\n", []string{"4 " + copyLine}},
		{"rest copied before", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nCOPY ./ ./\nRUN go mod download\n", nil},
		{"build instead of download", "FROM golang\nWORKDIR /src\nCOPY go.mod main.go ./\nRUN CGO_ENABLED=0 go build -o /svc .\n", []string{"4 " + copyLine}},
		{"no go command", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nRUN cat go.mod && echo going to build\n", nil},
		{"lower case, flags", "from golang as build\nworkdir /src\ncopy --chown=1:1 --link go.mod go.sum ./\nrun go mod download\n", []string{"4 " + copyLine}},
		{"JSON form", "FROM golang\nWORKDIR /src\nCOPY [\"go.mod\", \"go.sum\", \"./\"]\nRUN [\"go\", \"mod\", \"download\"]\n", []string{"4 " + copyLine}},
		{"continued lines and comments", "FROM golang\nWORKDIR /src\nCOPY go.mod \\\n  # the sums\n  go.sum \\\n  ./\nRUN set -e; \\\n  go mod download\n", []string{"7 " + copyLine}},
		{"escape directive", "# escape=`\nFROM golang\nWORKDIR /src\nCOPY go.mod `\n  go.sum ./\nRUN go mod download\n", []string{"6 " + copyLine}},
		{"windows line ends", "FROM golang\r\nWORKDIR /src\r\nCOPY go.mod go.sum ./\r\nRUN go mod download\r\n", []string{"4 " + copyLine}},
		{"pattern", "FROM golang\nWORKDIR /src\nCOPY go.* ./\nRUN go mod download\n", []string{"4 " + copyLine}},
		{"absolute", "FROM golang\nCOPY go.mod go.sum /app/\nRUN cd /app && go mod download\n", []string{"3 COPY third_party/go-feature-flag /app/third_party/go-feature-flag/"}},
		{"absolute file", "FROM golang\nCOPY go.mod /app/go.mod\nRUN cd /app; go mod download\n", []string{"3 COPY third_party/go-feature-flag /app/third_party/go-feature-flag/"}},
		{"variable", "FROM golang\nCOPY go.mod go.sum $APP/\nRUN cd $APP && go mod download\n", []string{"3 COPY third_party/go-feature-flag $APP/third_party/go-feature-flag/"}},
		{"add", "FROM golang\nWORKDIR /src\nADD go.mod .\nRUN go mod download\n", []string{"4 " + copyLine}},
		{"two stages", "FROM golang AS a\nWORKDIR /a\nCOPY go.mod ./\nRUN go mod download\nFROM golang AS b\nWORKDIR /b\nCOPY go.mod ./\nRUN go build\n", []string{"4 " + copyLine, "8 " + copyLine}},
		{"stage built on another", "FROM golang AS a\nWORKDIR /src\nCOPY go.mod ./\nFROM a AS b\nRUN go mod download\n", []string{"5 " + copyLine}},
		{"stage built on one that has it", "FROM golang AS a\nWORKDIR /src\nCOPY . .\nFROM a\nCOPY go.mod ./\nRUN go mod download\n", nil},
		{"from another stage", "FROM golang\nWORKDIR /src\nCOPY --from=a /src/go.mod ./\nRUN go mod download\n", nil},
		{"another module's", "FROM golang\nWORKDIR /src\nCOPY tools/go.mod ./\nRUN go mod download\n", nil},
		{"bind mounts", "FROM golang\nWORKDIR /src\nRUN --mount=type=cache,target=/go/pkg/mod --mount=type=bind,source=go.sum,target=go.sum --mount=type=bind,source=go.mod,target=go.mod go mod download -x\n",
			[]string{"3 --mount=type=bind,source=third_party/go-feature-flag,target=third_party/go-feature-flag"}},
		{"whole context mounted", "FROM golang\nWORKDIR /src\nRUN --mount=type=bind,target=. go build -o /svc .\n", nil},
		{"here-document", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nRUN <<EOF\nset -e\ngo mod download\nEOF\nCOPY . .\n", []string{"4 " + copyLine}},
		{"here-document that only looks like instructions", "FROM golang\nWORKDIR /src\nRUN <<EOF\nCOPY go.mod ./\nRUN go mod download\nEOF\n", nil},
		{"parents", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nCOPY --parents third_party/go-feature-flag ./\nRUN go mod download\n", nil},
		{"empty", "", nil},
		{"junk", "\x00\xff COPY\n[\n\\\n", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, m := range missingCopies([]byte(tc.file), func(gomod string) (string, string, bool) {
				return "third_party/go-feature-flag", "./third_party/go-feature-flag", gomod == "go.mod"
			}) {
				got = append(got, fmt.Sprint(m.line, " ", m.add))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

// A service below the build context, with the fork beside it: the paths are those of context and image.
func TestMissingCopiesInWorkspace(t *testing.T) {
	file := "FROM golang\nWORKDIR /src\nCOPY go.work ./\nCOPY a/go.mod a/go.sum ./a/\nRUN cd a && go mod download\n"
	got := missingCopies([]byte(file), func(gomod string) (string, string, bool) {
		return "third_party/my fork", "../third_party/my fork", gomod == "a/go.mod"
	})
	want := []missingCopy{{5, `COPY ["third_party/my fork", "./third_party/my fork/"]`}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(missingCopy{})); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestDockerIgnores(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		line       int
	}{
		{"nothing", "# third_party\n\nnode_modules\n", 0},
		{"the parent", "a\nthird_party\n", 2},
		{"the parent, decorated", "/third_party/\r\n", 1},
		{"pattern", "*\n", 1},
		{"pattern with exception", "*\n!third_party\n", 0},
		{"exception for another", "*\n!go.mod\n", 1},
		{"any depth", "**/go-feature-flag\n", 1},
		{"stops at a slash", "*.mod\n", 0},
		{"any depth, file", "**/*.mod\n", 1},
		{"question mark", "third?party\n", 1},
		{"broken pattern", "[\n", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			line, _ := dockerIgnores([]byte(tc.file), "third_party/go-feature-flag/go.mod")
			if line != tc.line {
				t.Errorf("line %d, want %d", line, tc.line)
			}
		})
	}
}

func TestIsDockerfile(t *testing.T) {
	for name, want := range map[string]bool{
		"Dockerfile": true, "Dockerfile.dev": true, "svc.Dockerfile": true, "svc.dockerfile": true, "Containerfile": true,
		"Dockerfile.dockerignore": false, "dockerfile.go": false, "dockerfile_test.go": false, "Dockerfiles": false, "docker-compose.yml": false,
	} {
		if got := isDockerfile(name); got != want {
			t.Errorf("isDockerfile(%q) = %v, want %v", name, got, want)
		}
	}
}
