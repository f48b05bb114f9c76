package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"
)

// A batch file:
//
//	bytes 0–7    magic
//	bytes 8–11   version of the format
//	bytes 12–15  CRC-32C of all other bytes of the file
//	bytes 16–23  length of the payload, which follows and ends the file
//
// Numbers are big-endian. The file is named after the nanosecond when it was written and the number of its events, so that the
// order, the age and the loss are known without reading it.
const (
	magic      = "OFFSPOOL"
	version    = 1
	headerSize = 24
	extension  = ".batch"
	unfinished = ".tmp" // follows the name while the file is being written
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newFile returns a buffer for the file of a batch: room for the header, the payload is to be appended.
func newFile(size int) []byte { return make([]byte, headerSize, headerSize+size) }

// seal writes the header of a file whose payload is complete.
func seal(file []byte) {
	copy(file, magic)
	binary.BigEndian.PutUint32(file[8:], version)
	binary.BigEndian.PutUint64(file[16:], uint64(len(file)-headerSize))
	binary.BigEndian.PutUint32(file[12:], checksum(file[:headerSize], file[headerSize:]))
}

func checksum(header, payload []byte) uint32 {
	sum := crc32.Update(0, castagnoli, header[:12])
	sum = crc32.Update(sum, castagnoli, header[16:headerSize])
	return crc32.Update(sum, castagnoli, payload)
}

// damage is why a file is not a whole batch. Another error from reading one says nothing about the file.
type damage struct{ error }

func (d damage) Unwrap() error { return d.error }

// readFile returns the payload of a file of that size. It reads the rest only if the header fits, so that a foreign file costs
// nothing, whatever its size.
func readFile(r io.Reader, size int64) ([]byte, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, readError(err)
	}
	switch length := binary.BigEndian.Uint64(header[16:]); {
	case string(header[:len(magic)]) != magic:
		return nil, damage{errors.New("it is no batch file")}
	case binary.BigEndian.Uint32(header[8:]) != version:
		return nil, damage{fmt.Errorf("it has version %d of the format, and this program reads version %d", binary.BigEndian.Uint32(header[8:]), version)}
	case length != uint64(size)-headerSize:
		return nil, damage{fmt.Errorf("it is %d bytes long and should be %d", size, length+headerSize)}
	}
	payload := make([]byte, size-headerSize)
	if _, err := io.ReadFull(r, payload); err != nil {
		return nil, readError(err)
	}
	if checksum(header[:], payload) != binary.BigEndian.Uint32(header[12:]) {
		return nil, damage{errors.New("its checksum is wrong: it was changed or damaged")}
	}
	return payload, nil
}

func readError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damage{errors.New("it is shorter than its header says")}
	}
	return err
}

// fileName names a batch file.
func fileName(stamp int64, events int) string {
	return fmt.Sprintf("%019d-%d%s", stamp, events, extension)
}

// parseName reads a name that fileName made.
func parseName(name string) (stamp int64, events int, ok bool) {
	first, second, _ := strings.Cut(strings.TrimSuffix(name, extension), "-")
	stamp, err1 := strconv.ParseInt(first, 10, 64)
	events, err2 := strconv.Atoi(second)
	return stamp, events, err1 == nil && err2 == nil && stamp >= 0 && events >= 0 && name == fileName(stamp, events)
}

// written is the time in a file's name.
func written(stamp int64) time.Time { return time.Unix(0, stamp) }
