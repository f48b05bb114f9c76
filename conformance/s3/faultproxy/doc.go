// Package faultproxy stands between an S3 client and an S3 server, over plain HTTP, and breaks chosen requests on the connection
// itself: the server sees a request that ends early, or the client an answer that does, or that never comes.
package faultproxy
