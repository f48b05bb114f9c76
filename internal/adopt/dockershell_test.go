package adopt

import "testing"

func TestGoReads(t *testing.T) {
	for _, tc := range []struct {
		run  string
		want reads
	}{
		{"go mod download", modules},
		{"go mod edit -json", nothing},
		{"go mod why example.com/x", packages},
		{"go work sync", modules},
		{"go work use .", nothing},
		{"go get ./...", modules},
		{"go build ./... && go mod verify", modules},
		{"go -C /s build", packages},
		{"go -C=/s build", packages},
		{"CGO_ENABLED=0 GOPATH=/go go build", packages},
		{"/usr/local/go/bin/go test ./...", packages},
		{"env X=1 timeout 60 go vet", packages},
		{"if true; then go build; fi", packages},
		{"(cd /s&&go build)", packages},
		{"v=$(go list -m)", packages},
		{`VERSION="$(go list -m)" make`, packages},
		{`sh -ec "cd /s; go build"`, packages},
		{`["sh", "-c", "cd /s; go build"]`, packages},
		{`["go", "build", "-o", "/svc", "."]`, packages},
		{`["echo", "go", "build"]`, nothing},
		{"go build -mod=vendor", nothing},
		{"go build -mod vendor", nothing},
		{"GOFLAGS=-mod=vendor go build", nothing},
		{"export GOFLAGS='-mod=vendor -trimpath'; go build", nothing},
		{"go mod vendor && go build -mod=vendor", modules},
		{"GOFLAGS=-mod=vendor go build -mod=mod", modules},
		{"go install example.com/x@latest", nothing},
		{"go install example.com/x@$V", nothing},
		{"go install $TOOL", nothing},
		{"go install $OTHER", packages},
		{"go run example.com/x@v1 ./...", nothing},
		{"go run . --to=a@b", packages},
		{`echo "ready to go build later"`, nothing},
		{"echo ready to go build later", nothing},
		{"echo ready; go build", packages},
		{"printf 'go build'", nothing},
		{"git commit -m 'let it go build'", nothing},
		{"true # go build", nothing},
		{"true#; go build", packages},
		{"apk add go build-base", nothing},
		{"cd /go && make", nothing},
		{`echo it\'s; go build`, packages},
		{"go", nothing},
		{"go -C", nothing},
		{"'", nothing},
		{`"\`, nothing},
	} {
		t.Run(tc.run, func(t *testing.T) {
			in := parseDockerfile([]byte("RUN " + tc.run))[0]
			if got := goReads(in, variables{"TOOL": "example.com/x@latest"}); got != tc.want {
				t.Errorf("reads %d, want %d", got, tc.want)
			}
		})
	}
}
