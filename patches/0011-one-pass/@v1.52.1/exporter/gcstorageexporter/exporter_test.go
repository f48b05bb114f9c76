//go:build ignore

package gcstorageexporter_test

import "net/http"

func (g *GoogleCloudStorageHandler) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.r = r
		_, _ = w.Write([]byte("{}")) // an empty answer is that of an upload which has failed
	})
}
