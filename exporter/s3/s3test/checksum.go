package s3test

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/crc64"
)

// nvme is the polynomial of CRC-64/NVME, reversed.
const nvme = 0x9a6c9329ac4bc9b5

var algorithms = map[string]func([]byte) []byte{
	"crc32": func(b []byte) []byte { return binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)) },
	"crc32c": func(b []byte) []byte {
		return binary.BigEndian.AppendUint32(nil, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	},
	"crc64nvme": func(b []byte) []byte {
		return binary.BigEndian.AppendUint64(nil, crc64.Checksum(b, crc64.MakeTable(nvme)))
	},
	"sha1":   func(b []byte) []byte { sum := sha1.Sum(b); return sum[:] },
	"sha256": func(b []byte) []byte { sum := sha256.Sum256(b); return sum[:] },
}

// check compares the payload with all checksums that came with it, of which there must be one.
func check(payload []byte, sums map[string]string) error {
	if len(sums) == 0 {
		return fmt.Errorf("no checksum")
	}
	for algorithm, want := range sums {
		sum, ok := algorithms[algorithm]
		if !ok {
			return fmt.Errorf("checksum %s is not known", algorithm)
		}
		if got := base64.StdEncoding.EncodeToString(sum(payload)); got != want {
			return fmt.Errorf("%s of %d bytes is %s, and %s was sent", algorithm, len(payload), got, want)
		}
	}
	return nil
}
