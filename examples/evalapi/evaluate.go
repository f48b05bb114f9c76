package main

import (
	"net/http"
	"slices"

	ffclient "github.com/thomaspoignant/go-feature-flag"
	"github.com/thomaspoignant/go-feature-flag/ffcontext"
	"github.com/thomaspoignant/go-feature-flag/modules/core/flag"
)

// evaluation is the answer of /flag-evaluation. Value is of the flag's own type.
type evaluation struct {
	Key       string `json:"key"`
	User      string `json:"user"`
	Value     any    `json:"value"`
	Variation string `json:"variation"`
	Reason    string `json:"reason"`
	Version   string `json:"version"`
}

// evaluate answers GET /flag-evaluation?key=FLAG&user=USER with the evaluation, and with several users with a list of one
// for each, made in their order. The library records an event for each evaluation of a flag with trackEvents on, and for a
// flag that it does not know as well.
func evaluate(client *ffclient.GoFeatureFlag) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key, users := r.FormValue("key"), r.Form["user"]
		if key == "" || len(users) == 0 || slices.Contains(users, "") {
			refuse(w, http.StatusBadRequest, "give both query parameters, key (the flag) and user")
			return
		}
		all := make([]evaluation, len(users))
		for i, user := range users {
			res, err := client.RawVariation(key, ffcontext.NewEvaluationContext(user), nil)
			switch {
			case res.ErrorCode == flag.ErrorCodeFlagNotFound:
				refuse(w, http.StatusNotFound, "no flag is named "+key)
				return
			case err != nil:
				refuse(w, http.StatusInternalServerError, "flag "+key+" cannot be evaluated: "+err.Error())
				return
			}
			all[i] = evaluation{key, user, res.Value, res.VariationType, res.Reason, res.Version}
		}
		if len(all) == 1 {
			answer(w, http.StatusOK, all[0])
		} else {
			answer(w, http.StatusOK, all)
		}
	}
}
