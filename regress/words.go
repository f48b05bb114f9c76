package regress

import (
	"math"
	"strconv"
)

// millis writes a time given in milliseconds with three significant digits, in the unit that suits it.
func millis(v float64) string {
	if v >= 1000 {
		return significant(v/1000) + " s"
	}
	return significant(v) + " ms"
}

func seconds(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) + " s" }

// times writes a ratio: "1.2×".
func times(v float64) string { return significant(v) + "×" }

// ratio of two figures as a table shows it. Without a denominator there is none.
func ratio(a, b float64) string {
	if b == 0 {
		return "–"
	}
	return times(a / b)
}

// significant writes a number with three significant digits and without an exponent.
func significant(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', min(decimals, 6), 64)
}
