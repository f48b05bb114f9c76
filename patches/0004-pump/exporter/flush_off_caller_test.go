//go:build ignore

package exporter_test

//offlock:delete TestManager_OneGoroutineAConsumer

//offlock:delete TestManager_NothingIsExportedAfterStop

//offlock:delete TestManager_StopInAnyOrder

//offlock:delete consumerGoroutines

//offlock:delete requireConsumerGoroutines
