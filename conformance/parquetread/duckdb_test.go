//go:build cgo

package parquetread

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/exporter/encode"
)

func TestDuckDBReads(t *testing.T) {
	db := openDuckDB(t)
	for name, b := range batches {
		t.Run(name, func(t *testing.T) {
			file := write(t, b.options, b.events)
			if diff := cmp.Diff(rows(t, b.events), query(t, db, "SELECT * FROM read_parquet(?)", file)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The queries that people ask: they skip row groups and pages by what the file
// says of them, so a wrong bound shows as a missing row.
func TestDuckDBFilters(t *testing.T) {
	db := openDuckDB(t)
	events := features(12_000)
	file := write(t, encode.ParquetOptions{RowGroupBytes: 64 << 10}, events)
	all := rows(t, events)
	for where, keep := range map[string]func(row) bool{
		"variation = 'enabled'":                  func(r row) bool { return r["variation"] == "enabled" },
		"userKey = 'torn \ufffd\ufffd'":          func(r row) bool { return r["userKey"] == "torn \ufffd\ufffd" },
		"creationDate = 1700001234":              func(r row) bool { return r["creationDate"] == int64(1700001234) },
		"creationDate < 1700000100":              func(r row) bool { return r["creationDate"].(int64) < 1700000100 },
		"value = 'null'":                         func(r row) bool { return r["value"] == "null" },
		"\"default\" AND key = 'flag-5'":         func(r row) bool { return r["default"] == true && r["key"] == "flag-5" },
		"metadata['request'] = '9000'":           func(r row) bool { return r["metadata"].(map[string]string)["request"] == "9000" },
		"cardinality(metadata) = 0":              func(r row) bool { return len(r["metadata"].(map[string]string)) == 0 },
		"value = '\"blue\"' AND NOT \"default\"": func(r row) bool { return r["value"] == `"blue"` && r["default"] == false },
	} {
		var want []row
		for _, r := range all {
			if keep(r) {
				want = append(want, r)
			}
		}
		got := query(t, db, "SELECT * FROM read_parquet(?) WHERE "+where, file)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", where, diff)
		}
	}
}

// A table can lie over files that the library wrote before and ours.
func TestDuckDBReadsBesideTheLibrarysFiles(t *testing.T) {
	db := openDuckDB(t)
	events := features(100)[:3] // three strings, which both write alike
	old, file := writeLibrary(t, events), write(t, encode.ParquetOptions{}, events)
	got := query(t, db, fmt.Sprintf("SELECT * FROM read_parquet(['%s', '%s'])", old, file))
	if diff := cmp.Diff(append(rows(t, events), rows(t, events)...), got); diff != "" {
		t.Error(diff)
	}
}

func openDuckDB(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func query(t *testing.T, db *sql.DB, q string, args ...any) (out []row) {
	t.Helper()
	found, err := db.Query(q, args...)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	defer found.Close()
	names, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for found.Next() {
		cells, to := make([]any, len(names)), make([]any, len(names))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := found.Scan(to...); err != nil {
			t.Fatal(err)
		}
		r := row{}
		for i, name := range names {
			r[name] = plain(t, cells[i])
		}
		out = append(out, r)
	}
	if err := found.Err(); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return out
}

func plain(t *testing.T, cell any) any {
	m, ok := cell.(duckdb.OrderedMap)
	if !ok {
		return cell
	}
	out := map[string]string{}
	for _, k := range m.Keys() {
		v, _ := m.Get(k)
		text, ok := v.(string)
		if !ok {
			t.Fatalf("the value of %v is a %T", k, v)
		}
		out[k.(string)] = text
	}
	return out
}
