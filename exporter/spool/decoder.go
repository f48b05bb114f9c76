package spool

import (
	"encoding/binary"
	"errors"
)

// decoder reads a payload from its beginning. After its first error it returns zero values.
type decoder struct {
	rest []byte
	err  error
}

var errTruncated = errors.New("spool: the batch ends in the middle of an event")

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.rest) {
		d.fail(errTruncated)
	}
	if d.err != nil {
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// fixed reads n bytes as a big-endian number.
func (d *decoder) fixed(n int) (number uint64) {
	for _, b := range d.take(n) {
		number = number<<8 | uint64(b)
	}
	return number
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if d.took(n); d.err != nil {
		return 0
	}
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	if d.took(n); d.err != nil {
		return 0
	}
	return v
}

// took moves past a number of n bytes; 0 and less is what a broken one has.
func (d *decoder) took(n int) {
	if n <= 0 {
		d.fail(errTruncated)
		return
	}
	d.take(n)
}

// count reads how many things follow. Each takes a byte at least, so a broken count never asks for more memory than the
// file justifies.
func (d *decoder) count() int {
	n := d.uvarint()
	if d.err == nil && n > uint64(len(d.rest)) {
		d.fail(errTruncated)
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

func (d *decoder) string() string { return string(d.take(d.count())) }
