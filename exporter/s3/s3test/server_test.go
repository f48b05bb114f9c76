package s3test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func sum(algorithm, payload string) string {
	return base64.StdEncoding.EncodeToString(algorithms[algorithm]([]byte(payload)))
}

// The checksums of "123456789", as the catalogues of such functions list them.
func TestChecksums(t *testing.T) {
	for algorithm, want := range map[string]string{
		"crc32": "cbf43926", "crc32c": "e3069283", "crc64nvme": "ae8b14860a799888",
		"sha1":   "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
		"sha256": "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
	} {
		if got := fmt.Sprintf("%x", algorithms[algorithm]([]byte("123456789"))); got != want {
			t.Errorf("%s is %s, want %s", algorithm, got, want)
		}
	}
}

// What is torn or wrong is refused, noted, and not stored.
func TestPut(t *testing.T) {
	streaming := func(trailer string, length int) http.Header {
		return http.Header{
			"X-Amz-Content-Sha256": {"STREAMING-UNSIGNED-PAYLOAD-TRAILER"}, "Content-Encoding": {"aws-chunked"},
			"X-Amz-Trailer": {trailer}, "X-Amz-Decoded-Content-Length": {fmt.Sprint(length)},
		}
	}
	crc := "x-amz-checksum-crc32:" + sum("crc32", "hello") + "\r\n"
	for _, test := range []struct {
		name   string
		header http.Header
		body   string
		want   string // the code of the refusal, or nothing
	}{
		{"checksum in a header", http.Header{"X-Amz-Checksum-Crc64nvme": {sum("crc64nvme", "hello")}}, "hello", ""},
		{"another checksum", http.Header{"X-Amz-Checksum-Sha256": {sum("sha256", "hello")}}, "hellO", "BadDigest"},
		{"an unknown checksum", http.Header{"X-Amz-Checksum-Crc16": {"AAA="}}, "hello", "BadDigest"},
		{"no checksum", http.Header{}, "hello", "BadDigest"},
		{"chunks", streaming("x-amz-checksum-crc32", 5), "2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n" + crc + "\r\n", ""},
		{"chunks, another checksum", streaming("x-amz-checksum-crc32", 5), "5\r\nhellO\r\n0\r\n" + crc + "\r\n", "BadDigest"},
		{"chunks without the trailer", streaming("x-amz-checksum-crc32", 5), "5\r\nhello\r\n0\r\n\r\n", "IncompleteBody"},
		{"another length", streaming("x-amz-checksum-crc32", 6), "5\r\nhello\r\n0\r\n" + crc + "\r\n", "IncompleteBody"},
		{"a torn chunk", streaming("x-amz-checksum-crc32", 5), "5\r\nhel", "IncompleteBody"},
		{"torn before the last chunk", streaming("x-amz-checksum-crc32", 5), "5\r\nhello\r\n", "IncompleteBody"},
		{"torn in the trailer", streaming("x-amz-checksum-crc32", 5), "5\r\nhello\r\n0\r\n" + crc, "IncompleteBody"},
		{"a chunk that is too long", streaming("x-amz-checksum-crc32", 5), "4\r\nhello\r\n0\r\n" + crc + "\r\n", "IncompleteBody"},
		{"a size that is none", streaming("x-amz-checksum-crc32", 5), "five\r\nhello\r\n0\r\n" + crc + "\r\n", "IncompleteBody"},
		{"chunks that are not announced", http.Header{"X-Amz-Content-Sha256": {"STREAMING-UNSIGNED-PAYLOAD-TRAILER"}},
			"5\r\nhello\r\n0\r\n" + crc + "\r\n", "IncompleteBody"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Server
			r := httptest.NewRequest(http.MethodPut, "/b/k", strings.NewReader(test.body))
			r.Header = test.header
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if test.want != "" {
				if w.Code != http.StatusBadRequest || len(s.Objects()) != 0 || len(s.Problems()) != 1 ||
					!strings.HasPrefix(s.Problems()[0], test.want) || !strings.Contains(w.Body.String(), test.want) {
					t.Errorf("%d %s, problems %q, %d objects", w.Code, w.Body, s.Problems(), len(s.Objects()))
				}
				return
			}
			if got := string(s.Objects()["b/k"].Body); w.Code != http.StatusOK || got != "hello" || len(s.Problems()) != 0 {
				t.Errorf("%d %s, stored %q, problems %q", w.Code, w.Body, got, s.Problems())
			}
		})
	}
}

func request(s *Server, method, target string, header http.Header, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header = header
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestIfNoneMatch(t *testing.T) {
	var s Server
	header := http.Header{"X-Amz-Checksum-Crc32": {sum("crc32", "hello")}, "If-None-Match": {"*"}}
	if w := request(&s, http.MethodPut, "/b/k", header, "hello"); w.Code != http.StatusOK {
		t.Error(w.Code, w.Body)
	}
	if w := request(&s, http.MethodPut, "/b/k", header, "hello"); w.Code != http.StatusPreconditionFailed {
		t.Error(w.Code, w.Body)
	}
	header.Del("If-None-Match")
	if w := request(&s, http.MethodPut, "/b/k", header, "hello"); w.Code != http.StatusOK || s.Objects()["b/k"].Writes != 2 {
		t.Error(w.Code, w.Body, s.Objects())
	}
}

// Parts are joined if they are listed as they were sent.
func TestMultipart(t *testing.T) {
	first := strings.Repeat("x", minPart)
	list := func(parts ...string) string {
		return "<CompleteMultipartUpload>" + strings.Join(parts, "") + "</CompleteMultipartUpload>"
	}
	for _, test := range []struct {
		name  string
		parts []string
		list  func(listed []string) string
		code  int
	}{
		{"whole", []string{first, "end"}, func(l []string) string { return list(l...) }, http.StatusOK},
		{"a part is missing", []string{first, "end"}, func(l []string) string { return list(l[0]) }, http.StatusBadRequest},
		{"out of order", []string{first, first}, func(l []string) string { return list(l[1], l[0]) }, http.StatusBadRequest},
		{"a small part", []string{"small", "end"}, func(l []string) string { return list(l...) }, http.StatusBadRequest},
		{"another checksum", []string{"end"}, func(l []string) string {
			return list(strings.Replace(l[0], "<ChecksumCRC32>", "<ChecksumCRC32>x", 1))
		}, http.StatusBadRequest},
		{"no XML", nil, func([]string) string { return "<" }, http.StatusBadRequest},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Server
			request(&s, http.MethodPost, "/b/k?uploads", http.Header{}, "")
			var listed []string
			for i, p := range test.parts {
				crc := sum("crc32", p)
				w := request(&s, http.MethodPut, fmt.Sprintf("/b/k?partNumber=%d&uploadId=upload-1", i+1),
					http.Header{"X-Amz-Checksum-Crc32": {crc}}, p)
				listed = append(listed, fmt.Sprintf("<Part><PartNumber>%d</PartNumber><ETag>%s</ETag><ChecksumCRC32>%s</ChecksumCRC32></Part>",
					i+1, w.Header().Get("ETag"), crc))
			}
			w := request(&s, http.MethodPost, "/b/k?uploadId=upload-1", http.Header{}, test.list(listed))
			if w.Code != test.code {
				t.Fatal(w.Code, w.Body)
			}
			if want := strings.Join(test.parts, ""); test.code == http.StatusOK && (string(s.Objects()["b/k"].Body) != want || s.Uploads() != 0) {
				t.Error("the object differs from its parts, or the upload is still there")
			}
			if test.code != http.StatusOK {
				if request(&s, http.MethodDelete, "/b/k?uploadId=upload-1", http.Header{}, ""); len(s.Objects()) != 0 || s.Uploads() != 0 {
					t.Error("something is left")
				}
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	var s Server
	for target, want := range map[string]int{
		"GET /b/k":                              http.StatusNotImplemented,
		"POST /b/k?uploadId=none":               http.StatusNotFound,
		"PUT /b/k?uploadId=none&partNumber=one": http.StatusNotFound,
	} {
		method, path, _ := strings.Cut(target, " ")
		if w := request(&s, method, path, http.Header{}, ""); w.Code != want {
			t.Errorf("%s: %d, want %d", target, w.Code, want)
		}
	}
}
