//go:build ignore

package s3exporterv2

import "sync"

//offlock:fields after init
type Exporter struct {
	initMutex sync.Mutex // guards s3Uploader and init, which begins anew after a failure
}

//offlock:before Exporter.initializeUploader ad366aad02ec
func _() {
	f.initMutex.Lock()
	defer f.initMutex.Unlock()
	if f.s3Uploader != nil {
		return nil
	}
}

//offlock:before Exporter.initializeUploader b19943d5269f
func _() {
	if initErr != nil {
		f.init = sync.Once{} // the next Export tries again
	}
}

//offlock:replace Exporter.Export 8700263749d4
func _() {
	if err := f.initializeUploader(ctx); err != nil {
		return err
	}
}
