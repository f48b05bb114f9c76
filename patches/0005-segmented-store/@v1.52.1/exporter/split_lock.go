//go:build ignore

// This file edits event_store.go beside the one of that name: here, 0001 has added these.
package exporter

//offlock:delete eventStoreImpl.takeTurn

//offlock:delete eventStoreImpl.nextBatch

//offlock:delete eventStoreImpl.commit
