package s3test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"maps"
	"net/http"
	"strconv"
)

// minPart is how large a part has to be, but for the last one.
const minPart = 5 << 20

// multipart is a multipart upload in progress.
type multipart struct {
	key    string
	header http.Header
	parts  map[int]part
}

type part struct {
	body []byte
	size int
	etag string
	sums map[string]string
}

func (s *Server) create(w http.ResponseWriter, r *http.Request, key string) {
	s.requests = append(s.requests, "CreateMultipartUpload")
	s.begun++
	id := "upload-" + strconv.Itoa(s.begun)
	if s.uploads == nil {
		s.uploads = map[string]*multipart{}
	}
	s.uploads[id] = &multipart{key: key, header: r.Header, parts: map[int]part{}}
	answer(w, struct {
		XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
		UploadID string   `xml:"UploadId"`
	}{UploadID: id})
}

func (s *Server) uploadPart(w http.ResponseWriter, number, id string, payload []byte, sums map[string]string) {
	s.requests = append(s.requests, "UploadPart")
	upload := s.uploads[id]
	if upload == nil {
		s.refuseLocked(w, http.StatusNotFound, "NoSuchUpload", fmt.Errorf("upload %s", id))
		return
	}
	n, err := strconv.Atoi(number)
	if err == nil {
		err = check(payload, sums)
	}
	if err != nil {
		s.refuseLocked(w, http.StatusBadRequest, "BadDigest", err)
		return
	}
	p := part{body: payload, size: len(payload), etag: fmt.Sprintf(`"%s-%d-%d"`, id, n, len(payload)), sums: maps.Clone(sums)}
	if s.Discard {
		p.body = nil
	}
	upload.parts[n] = p
	w.Header().Set("ETag", p.etag)
	for algorithm, sum := range sums {
		w.Header().Set("X-Amz-Checksum-"+algorithm, sum)
	}
}

// completion is the body of CompleteMultipartUpload.
type completion struct {
	Part []struct {
		PartNumber    int
		ETag          string
		ChecksumCRC32 string
	}
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request, id string, payload []byte) {
	s.requests = append(s.requests, "CompleteMultipartUpload")
	upload := s.uploads[id]
	if upload == nil {
		s.refuseLocked(w, http.StatusNotFound, "NoSuchUpload", fmt.Errorf("upload %s", id))
		return
	}
	body, err := upload.join(payload)
	if err != nil {
		s.refuseLocked(w, http.StatusBadRequest, "InvalidPart", err)
		return
	}
	if !s.storeLocked(w, r, upload.key, &Object{Body: body, Header: upload.header, Parts: len(upload.parts)}) {
		return
	}
	delete(s.uploads, id)
	answer(w, struct {
		XMLName xml.Name `xml:"CompleteMultipartUploadResult"`
		Key     string
		ETag    string
	}{Key: upload.key, ETag: `"whole"`})
}

// join is the object that the parts make, if they are the ones that the completion lists.
func (u *multipart) join(payload []byte) ([]byte, error) {
	var list completion
	if err := xml.Unmarshal(payload, &list); err != nil {
		return nil, err
	}
	if len(list.Part) != len(u.parts) {
		return nil, fmt.Errorf("%d parts are listed of %d", len(list.Part), len(u.parts))
	}
	var body bytes.Buffer
	for i, listed := range list.Part {
		p, ok := u.parts[listed.PartNumber]
		switch {
		case !ok || listed.PartNumber != i+1 || p.etag != listed.ETag:
			return nil, fmt.Errorf("part %d, %s, is not what was sent in this place: %s", listed.PartNumber, listed.ETag, p.etag)
		case p.sums["crc32"] != listed.ChecksumCRC32:
			return nil, fmt.Errorf("part %d had the CRC32 %q and is listed with %q", listed.PartNumber, p.sums["crc32"], listed.ChecksumCRC32)
		case p.size < minPart && i != len(list.Part)-1:
			return nil, fmt.Errorf("part %d has %d bytes, and is not the last one", listed.PartNumber, p.size)
		}
		body.Write(p.body)
	}
	return body.Bytes(), nil
}

func (s *Server) abort(w http.ResponseWriter, id string) {
	s.requests = append(s.requests, "AbortMultipartUpload")
	delete(s.uploads, id)
	w.WriteHeader(http.StatusNoContent)
}
