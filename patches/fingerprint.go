package patches

import (
	"crypto/sha256"
	"encoding/hex"
	"go/scanner"
	"go/token"
)

// digits is the length of a fingerprint. 48 bits are far more than one module's declarations need to stay apart, and short
// enough to be copied by hand.
const digits = 12

// fingerprint hashes the tokens of a piece of Go. Comments, line breaks and trailing commas do not count, so it is stable
// under gofmt and re-wrapping, and changes with anything that the compiler would see.
//
// Semicolons are kept in one spelling, whether they were written or inserted at a line end, except where they are optional.
// Were they dropped, two statements and one expression over two lines could hash alike.
func fingerprint(keyword token.Token, code []byte) string {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(code))
	s.Init(file, code, nil, 0)

	tokens := make([]string, 0, len(code)/4)
	dropLast := func(t string) {
		for len(tokens) > 0 && tokens[len(tokens)-1] == t {
			tokens = tokens[:len(tokens)-1]
		}
	}
	if keyword != token.ILLEGAL {
		tokens = append(tokens, keyword.String())
	}
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.RPAREN, token.RBRACE, token.RBRACK:
			dropLast(";")
			dropLast(",")
		case token.EOF:
			dropLast(";")
			return digest(tokens)
		}
		if tok.IsLiteral() || tok == token.ILLEGAL {
			tokens = append(tokens, literal)
		} else {
			tokens = append(tokens, tok.String())
		}
	}
}

func digest(tokens []string) string {
	h := sha256.New()
	for _, t := range tokens {
		h.Write([]byte(t))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:digits]
}

// textHash hashes code as it is written, comments included.
func textHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:digits]
}
