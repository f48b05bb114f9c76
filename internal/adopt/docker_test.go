package adopt

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestForkUses(t *testing.T) {
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
		{"variable", "FROM golang\nCOPY go.mod go.sum $APP/\nRUN cd $APP && go mod download\n", []string{"3 COPY third_party/go-feature-flag ${APP}/third_party/go-feature-flag/"}},
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
		{"parents, at the wrong place", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nCOPY --parents third_party ./x/\nRUN go mod download\n", []string{"5 " + copyLine}},
		{"tabs", "FROM\tgolang\nWORKDIR\t/src\nCOPY\t--link\tgo.mod\tgo.sum\t./\nRUN\tgo\tmod\tdownload\n", []string{"4 " + copyLine}},
		{"mount of the default type", "FROM golang\nWORKDIR /src\nRUN --mount=source=go.mod,target=go.mod go mod download\n",
			[]string{"3 --mount=type=bind,source=third_party/go-feature-flag,target=third_party/go-feature-flag"}},
		{"other folder", "FROM golang\nCOPY go.mod go.sum /s/\nRUN go -C /s mod download\n", []string{"3 COPY third_party/go-feature-flag /s/third_party/go-feature-flag/"}},
		{"all but the parent folder", "FROM golang\nWORKDIR /src\nCOPY --exclude=third_party . .\nRUN go mod download\n", []string{"4 " + copyLine}},
		{"all but something else", "FROM golang\nWORKDIR /src\nCOPY --exclude=docs --exclude=*.md . .\nRUN go mod download\n", nil},
		{"all but the parent folder, copied later", "FROM golang\nWORKDIR /src\nCOPY --exclude=third_party . .\nCOPY third_party third_party\nRUN go mod download\n", nil},
		{"all but go.mod", "FROM golang\nWORKDIR /src\nCOPY --exclude=third_party --exclude=go.mod . .\nRUN go mod download\n", nil},
		{"everything, flattened", "FROM golang\nWORKDIR /src\nCOPY * ./\nRUN go build\n", []string{"4 " + copyLine}},
		{"after a shift", "FROM golang\nRUN echo $((1<<2)) $(( 1 <<2 ))\nWORKDIR /src\nCOPY go.mod ./\nRUN go mod download\n", []string{"5 " + copyLine}},
		{"after a here-string", "FROM golang\nRUN cat <<<hello\nWORKDIR /src\nCOPY go.mod ./\nRUN go mod download\n", []string{"5 " + copyLine}},
		{"after a here-document without an end", "FROM golang\nRUN cat <<hello\nWORKDIR /src\nCOPY go.mod ./\nRUN go mod download\n", []string{"5 " + copyLine}},
		{"after two here-documents", "FROM golang\nWORKDIR /src\nCOPY <<a <<-\"b\" /etc/\nb\na\n\tb\nCOPY go.mod ./\nRUN go mod download\n", []string{"8 " + copyLine}},
		{"here-document that is data", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nRUN cat <<EOF >build.sh\ngo build\nEOF\n", nil},
		{"ends in the middle", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nRUN go build <<EOF \\", []string{"4 " + copyLine}},
		{"vendored", "FROM golang\nWORKDIR /src\nCOPY go.mod go.sum ./\nCOPY vendor vendor\nRUN go build -mod=vendor\n", nil},
		{"vendored by default", "FROM golang\nWORKDIR /src\nCOPY go.mod go.sum ./\nCOPY vendor ./vendor/\nRUN go build\n", nil},
		{"vendored elsewhere", "FROM golang\nWORKDIR /src\nCOPY go.mod go.sum vendor ./\nRUN go build\n", []string{"4 " + copyLine}},
		{"vendored, by environment", "FROM golang\nENV GOFLAGS=-mod=vendor\nWORKDIR /src\nCOPY go.mod ./\nRUN go build\n", nil},
		{"vendored, not used", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nCOPY vendor vendor\nRUN go build -mod=mod\n", []string{"5 " + copyLine}},
		{"vendored, but downloaded", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nCOPY vendor vendor\nRUN go mod download\n", []string{"5 " + copyLine}},
		{"fork below an unknown variable", "FROM golang\nARG APP\nWORKDIR /src\nCOPY go.mod ./\nCOPY third_party ${APP}/third_party\nRUN go build\n", nil},
		{"go.mod below an unknown variable", "FROM golang\nWORKDIR /src\nCOPY go.mod $APP/\nCOPY third_party ./third_party\nRUN go build\n", nil},
		{"both below one, at the wrong place", "FROM golang\nCOPY go.mod $APP/\nCOPY third_party ${APP}/\nRUN go build\n", []string{"4 COPY third_party/go-feature-flag ${APP}/third_party/go-feature-flag/"}},
		{"unknown source", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nCOPY $WHAT ./third_party/\nRUN go build\n", nil},
		{"unknown source for something else", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nCOPY $WHAT /etc/\nRUN go build\n", []string{"5 " + copyLine}},
		{"known variable", "FROM golang\nARG APP=/src\nWORKDIR $APP\nCOPY go.mod ./\nCOPY third_party /src/third_party\nRUN go build\n", nil},
		{"known variable, wrong place", "FROM golang\nENV APP=/app OTHER=\"/x y\"\nWORKDIR /src\nCOPY go.mod ./\nCOPY third_party $APP/third_party\nRUN go build\n", []string{"6 " + copyLine}},
		{"variable from above the stages", "ARG APP=/src\nFROM golang\nARG APP\nCOPY go.mod ${APP}/\nCOPY third_party /src/third_party\nRUN go build\n", nil},
		{"default in place", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nCOPY third_party ${APP:-/src}/third_party\nRUN go build\n", nil},
		{"tool at a version", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nRUN go install example.com/x@latest\n", nil},
		{"only talk", "FROM golang\nWORKDIR /src\nCOPY go.mod ./\nRUN echo \"ready to go build later\"\n", nil},
		{"empty", "", nil},
		{"junk", "\x00\xff COPY\n[\n\\\n", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, u := range forkUses([]byte(tc.file), oneModule) {
				if u.add != "" {
					got = append(got, fmt.Sprint(u.line, " ", u.add))
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

// oneModule is a build context with one module, its fork and its vendor folder.
func oneModule(source string) (located, bool) {
	return located{
		gomod:  "go.mod",
		fork:   target{"third_party/go-feature-flag", "./third_party/go-feature-flag"},
		vendor: target{"vendor", "./vendor"},
	}, source == "" || source == "go.mod"
}

// A service below the build context, with the fork beside it: the paths are those of context and image.
func TestForkUsesInWorkspace(t *testing.T) {
	file := "FROM golang\nWORKDIR /src\nCOPY go.work ./\nCOPY a/go.mod a/go.sum ./a/\nRUN cd a && go mod download\n"
	m := located{gomod: "a/go.mod", fork: target{"third_party/my fork", "../third_party/my fork"}}
	got := forkUses([]byte(file), func(source string) (located, bool) { return m, source == m.gomod })
	want := []forkUse{{5, `COPY ["third_party/my fork", "./third_party/my fork/"]`, m}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(forkUse{}, located{}, target{})); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
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

// A Dockerfile may be built with more than one context, each with its own .dockerignore. All are told, in one order.
func TestDockerNotesOfEveryContext(t *testing.T) {
	dir := service(t, workspace+`
-- .dockerignore --
**/third_party
-- a/.dockerignore --
third_party
-- a/Dockerfile --
FROM golang AS from-a
WORKDIR /src
COPY go.mod go.sum ./
COPY third_party ./third_party
RUN go mod download
FROM golang AS from-root
WORKDIR /src
COPY a/go.mod a/go.sum ./a/
COPY a/third_party ./a/third_party
RUN cd a && go mod download
`)
	s := open(t, filepath.Join(dir, "a"))
	for range 20 { // an order by chance shows in one of them
		notes, err := s.dockerNotes(filepath.Join(dir, "a", "third_party", "fork"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range notes {
			got = append(got, fmt.Sprint(n.File, ":", n.Line, " ", n.Add))
		}
		want := []string{"../.dockerignore:1 !a/third_party/fork", ".dockerignore:1 !third_party/fork"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("notes (-want +got):\n%s", diff)
		}
	}
}

// A folder of the service that lacks the fork beside it, in an image of the whole workspace's context.
func TestDockerNotesOfFolderWithoutFork(t *testing.T) {
	dir := service(t, workspace+`
-- a/Dockerfile --
FROM golang
WORKDIR /src/a
COPY a .
RUN go build
FROM golang
WORKDIR /src
COPY b ./b
RUN go -C b build
`)
	notes, err := open(t, filepath.Join(dir, "a")).dockerNotes(filepath.Join(dir, "third_party", "fork"))
	if err != nil {
		t.Fatal(err)
	}
	want := []DockerNote{{File: "Dockerfile", Line: 4, Add: "COPY third_party/fork /src/third_party/fork/"}}
	if diff := cmp.Diff(want, notes, cmpopts.IgnoreFields(DockerNote{}, "Text")); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// What hides the fork matters however go.mod gets into the image, if a go command reads it there.
func TestDockerNotesOfIgnoredFork(t *testing.T) {
	const all = "FROM golang\nCOPY . .\nRUN go build\n"
	for _, tc := range []struct {
		name, dockerfile, ignore string
		vendor                   bool
		want                     []string
	}{
		{"nothing hidden", all, "docs\n", false, nil},
		{"the parent folder", all, "third_party\n", false, []string{".dockerignore:1 !third_party/fork"}},
		{"all but some", all, "*\n!*.go\n!go.*\n", false, []string{".dockerignore:1 !third_party/fork"}},
		{"all but every go.mod", all, "*\n!**/go.mod\n!main.go\n", false, []string{".dockerignore:1 !third_party/fork"}},
		{"all, so go.mod too", all, "*\n", false, nil},
		{"mounted", "FROM golang\nRUN --mount=type=bind,target=. go build\n", "third_party\n", false, []string{".dockerignore:1 !third_party/fork"}},
		{"mounted, the default type", "FROM golang\nRUN --mount=target=/src go -C /src build\n", "third_party\n", false, []string{".dockerignore:1 !third_party/fork"}},
		{"no go command", "FROM golang\nCOPY . .\nRUN make\n", "third_party\n", false, nil},
		{"vendored", all, "third_party\n", true, nil},
		{"vendored, hidden as well", all, "third_party\nvendor\n", true, []string{".dockerignore:1 !third_party/fork"}},
		{"go.mod copied by name", "FROM golang\nCOPY go.mod ./\nRUN go build\n", "third_party\n", false,
			[]string{"Dockerfile-dev:3 COPY third_party/fork /third_party/fork/", ".dockerignore:1 !third_party/fork"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := service(t, small)
			write(t, tc.dockerfile, dir, "Dockerfile-dev")
			write(t, tc.ignore, dir, ".dockerignore")
			if tc.vendor {
				if err := os.Mkdir(filepath.Join(dir, "vendor"), 0o777); err != nil {
					t.Fatal(err)
				}
				write(t, "", dir, "vendor", "modules.txt")
			}
			notes, err := open(t, dir).dockerNotes(filepath.Join(dir, "third_party", "fork"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range notes {
				got = append(got, fmt.Sprint(n.File, ":", n.Line, " ", n.Add))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIsDockerfile(t *testing.T) {
	for name, want := range map[string]bool{
		"Dockerfile": true, "Dockerfile.dev": true, "svc.Dockerfile": true, "svc.dockerfile": true, "Containerfile": true,
		"Dockerfile-prod": true, "Dockerfile_dev": true, "prod-Dockerfile": true, "Dockerfile.md": false,
		"Dockerfile.dockerignore": false, "dockerfile.go": false, "dockerfile_test.go": false, "Dockerfiles": false, "docker-compose.yml": false,
	} {
		if got := isDockerfile(name); got != want {
			t.Errorf("isDockerfile(%q) = %v, want %v", name, got, want)
		}
	}
}
