// Package tally counts the exported events that an S3 bucket really holds, by listing and reading it through the S3
// API.
package tally

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/sync/errgroup"
)

// readers is how many objects are read side by side: enough to hide the round trip to a distant S3.
const readers = 8

// maxLine bounds one exported event.
const maxLine = 16 << 20

// Tally is what a bucket holds.
type Tally struct {
	// Objects counts the objects, Events the lines in them.
	Objects int `json:"objects"`
	Events  int `json:"events"`
	// Users counts the events of each userKey.
	Users map[string]int `json:"users"`
	// Late counts the events that came after a later one of the same caller, see [Bucket].
	Late int `json:"late"`
}

// Bucket reads every object of the bucket as JSON lines, one event a line, as the library's exporters write them. An
// object or line that cannot be read is an error that names it: a count that leaves something out would be worse.
// Objects that arrive during the count may be missing from it.
//
// Keys in order are those of objects in the order in which they were stored. In this order Late is counted: an event with a
// userKey CALLER.N is the N-th of the caller. Objects that are not in order, and other events, are left out of Late.
func Bucket(ctx context.Context, client *s3.Client, bucket string, order []string) (Tally, error) {
	total := Tally{Users: map[string]int{}}
	objects := map[string][]string{} // users by key
	var totalMu sync.Mutex           // guards both

	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &bucket})
	var listErr error
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			listErr = fmt.Errorf("listing bucket %s: %w", bucket, err)
			break
		}
		for _, object := range page.Contents {
			group.Go(func() error {
				users, err := readObject(ctx, client, bucket, *object.Key)
				if err != nil {
					return fmt.Errorf("object %s in bucket %s: %w", *object.Key, bucket, err)
				}
				totalMu.Lock()
				defer totalMu.Unlock()
				total.add(users)
				objects[*object.Key] = users
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return Tally{}, err
	}
	total.Late = late(order, objects)
	return total, listErr
}

// add counts one more object.
func (t *Tally) add(users []string) {
	t.Objects++
	t.Events += len(users)
	for _, user := range users {
		t.Users[user]++
	}
}

// readObject is the userKey of each event in the object.
func readObject(ctx context.Context, client *s3.Client, bucket, key string) ([]string, error) {
	object, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return nil, err
	}
	defer func() { _ = object.Body.Close() }()
	return readUsers(object.Body)
}

func readUsers(lines io.Reader) ([]string, error) {
	var users []string
	scan := bufio.NewScanner(lines)
	scan.Buffer(nil, maxLine)
	for scan.Scan() {
		var event struct {
			UserKey string `json:"userKey"`
		}
		if err := json.Unmarshal(scan.Bytes(), &event); err != nil {
			return nil, fmt.Errorf("line %d is not a JSON event: %w", len(users)+1, err)
		}
		if event.UserKey == "" {
			return nil, fmt.Errorf("line %d has no userKey", len(users)+1)
		}
		users = append(users, event.UserKey)
	}
	return users, scan.Err()
}
