package processtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

// actionScript is what the action for authors of engines runs.
const actionScript = "../../../../.github/actions/sprt/sprt.sh"

// gitHub stands in for the API of GitHub: checks and comments of a pull request.
type gitHub struct {
	*httptest.Server
	mu       sync.Mutex
	readOnly bool // as the token of a fork's pull request
	checks   []actionCheck
	comments []actionComment
	asked    []string
}

type actionCheck struct {
	Name       string `json:"name"`
	SHA        string `json:"head_sha"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	Output     struct {
		Title   string `json:"title"`
		Summary string `json:"summary"`
	} `json:"output"`
}

type actionComment struct {
	ID   int    `json:"id"`
	Body string `json:"body"`
	User struct {
		Type string `json:"type"`
	} `json:"user"`
}

func newGitHub(t *testing.T) *gitHub {
	g := &gitHub{comments: []actionComment{{ID: 1, Body: "<!-- assay sprt: SPRT -->\nby a person, not by the action"}}}
	g.comments[0].User.Type = "User"
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Close)
	return g
}

func (g *gitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	path, _ := strings.CutPrefix(r.URL.Path, "/repos/me/engine/")
	g.asked = append(g.asked, r.Method+" "+path)
	body, _ := io.ReadAll(r.Body)
	c := actionComment{ID: len(g.comments) + 1}
	c.User.Type = "Bot"
	switch {
	case r.Header.Get("Authorization") != "Bearer token-of-the-job":
		http.Error(w, `{"message": "Bad credentials"}`, http.StatusUnauthorized)
	case r.Method == http.MethodGet && path == "issues/7/comments":
		_ = json.NewEncoder(w).Encode(g.comments)
	case g.readOnly:
		http.Error(w, `{"message": "Resource not accessible by integration"}`, http.StatusForbidden)
	case r.Method == http.MethodPost && path == "check-runs":
		g.checks = append(g.checks, actionCheck{})
		_ = json.Unmarshal(body, &g.checks[len(g.checks)-1])
	case r.Method == http.MethodPost && path == "issues/7/comments":
		_ = json.Unmarshal(body, &c)
		g.comments = append(g.comments, c)
	case r.Method == http.MethodPatch && path == fmt.Sprintf("issues/comments/%d", len(g.comments)):
		_ = json.Unmarshal(body, &g.comments[len(g.comments)-1])
	default:
		http.NotFound(w, r)
	}
}

// actionRepo makes the repository of a small engine in C, whose first commit has a queen worth
// two pawns, and makes it the current folder. It returns both commits.
func actionRepo(t *testing.T) (dir, base, head string) {
	t.Helper()
	for _, program := range []string{"bash", "git", "jq", "curl", "cc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: the action is not tested", program)
		}
	}
	flint := setup.Must(os.ReadFile("../../../../models/numbers/testdata/flint/flint.c"))
	weak := strings.Replace(string(flint), "S(900, 900)", "S(200, 200)", 1)
	if weak == string(flint) {
		t.Fatal("flint.c has no queen of 900")
	}
	r := newEngineRepo(t)
	commit := func(source string) string {
		setup.Check(t, os.WriteFile(filepath.Join(r.dir, "flint.c"), []byte(source), 0o666))
		r.git(t, "add", ".")
		r.git(t, "commit", "--quiet", "-m", "engine")
		return r.git(t, "rev-parse", "HEAD")
	}
	base = commit(weak)
	r.git(t, "checkout", "--quiet", "-b", "patch")
	return r.dir, base, commit(string(flint))
}

// runAction runs the action's script as the runner does, and returns its exit code, the outputs
// of the step, and the log.
func runAction(t *testing.T, script string, env map[string]string) (code int, outputs map[string]string, log string) {
	t.Helper()
	temp := t.TempDir()
	cmd := exec.Command("bash", script)
	cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+filepath.Join(temp, "output"),
		"GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"), "SPRT_ASSAY=assay", "SPRT_BUILD=cc -O1 -o {out} flint.c",
		"SPRT_NODES=150", "SPRT_ELO0=0", "SPRT_ELO1=100", "SPRT_GAMES=400", "SPRT_SEED=3", "SPRT_TITLE=SPRT",
		"SPRT_ARGS=--no-bench --max-plies 160 --concurrency 2")
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(temp, "output"))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	outputs = map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		outputs[name] = value
	}
	summary, err := os.ReadFile(filepath.Join(temp, "summary"))
	if err != nil || !strings.Contains(string(summary), outputs["headline"]) {
		t.Errorf("the summary is %s, %v", summary, err)
	}
	return cmd.ProcessState.ExitCode(), outputs, string(text)
}

// The script plays head against base, and writes check and comment; a later run changes its own
// comment. A test that fails, a build that fails, and a token that may not write.
func TestAction(t *testing.T) {
	script := setup.Must(filepath.Abs(actionScript))
	_, base, head := actionRepo(t)
	g := newGitHub(t)
	onGitHub := func(more map[string]string) map[string]string {
		env := map[string]string{"GITHUB_API_URL": g.URL, "GITHUB_REPOSITORY": "me/engine", "GITHUB_RUN_ID": "42",
			"SPRT_TOKEN": "token-of-the-job", "SPRT_PULL": "7"}
		for name, value := range more {
			env[name] = value
		}
		return env
	}
	code, out, log := runAction(t, script, onGitHub(map[string]string{"SPRT_HEAD": head, "SPRT_TARGET": "main"}))
	if code != 0 || out["verdict"] != "passed" || !strings.HasPrefix(out["headline"], "PASSED: head beats base by +") {
		t.Fatalf("exit %d, %v: %s", code, out, log)
	}
	if _, err := os.Stat(filepath.Join(out["folder"], "report.html")); err != nil {
		t.Error(err)
	}
	if len(g.checks) != 1 || len(g.comments) != 2 {
		t.Fatalf("asked %q: %s", g.asked, log)
	}
	check, body := g.checks[0], g.comments[1].Body
	if check.Conclusion != "success" || check.SHA != head || check.Status != "completed" || check.Name != "SPRT" ||
		check.Output.Title != out["headline"] || !strings.Contains(body, check.Output.Summary) {
		t.Errorf("the check is %+v", check)
	}
	wantText(t, body, "<!-- assay sprt: SPRT -->\n### SPRT\n", "**"+out["headline"]+"**",
		"| games of head | "+out["games"]+": +",
		"2 points | "+strings.ReplaceAll(out["pentanomial"], ",", ", ")+" |", "| LLR | ", "normalized Elo 0 to 100",
		"| head, base | "+head+", "+base+" |", "assay match git:"+head[:12]+" git:"+base[:12]+" --sprt 0,100",
		"--build 'cc -O1 -o {out} flint.c'", "/me/engine/actions/runs/42)")
	t.Logf("the comment:\n%s", body)

	code, out, log = runAction(t, script, onGitHub(map[string]string{"SPRT_HEAD": base, "SPRT_BASE": head}))
	if code != 1 || out["verdict"] != "failed" || g.checks[1].Conclusion != "failure" {
		t.Errorf("exit %d, %v, %+v: %s", code, out, g.checks, log)
	}
	if len(g.comments) != 2 || !strings.Contains(g.comments[1].Body, "FAILED: head against base") {
		t.Errorf("the comments are %+v", g.comments)
	}

	g.readOnly = true
	code, out, log = runAction(t, script, onGitHub(map[string]string{"SPRT_HEAD": head, "SPRT_BASE": base,
		"SPRT_GAMES": "2"}))
	if code != 0 || out["verdict"] != "undecided" || out["games"] != "2" {
		t.Errorf("exit %d, %v: %s", code, out, log)
	}
	wantText(t, log, "::warning::no check: the token needs the permission checks: write", "Resource not accessible",
		"::warning::no comment: ")

	code, out, log = runAction(t, script, map[string]string{"SPRT_BASE": base,
		"SPRT_BUILD": "echo no compiler >&2; false; : {out}"})
	if code != 1 || out["verdict"] != "error" || !strings.HasPrefix(out["headline"], "ERROR: head: git:") {
		t.Errorf("exit %d, %v: %s", code, out, log)
	}
	code, out, log = runAction(t, script, map[string]string{"SPRT_BASE": base, "SPRT_GAMES": "many"})
	if code != 1 || !strings.HasPrefix(out["headline"], `ERROR: invalid argument "many" for "--games" flag`) {
		t.Errorf("exit %d, %v: %s", code, out, log)
	}
	for says, env := range map[string][]string{"no commit nosuch in this clone, which is complete": {"SPRT_BASE=nosuch"},
		"nothing came before the first push of this branch": {"SPRT_TARGET=" + strings.Repeat("0", 40)},
		"no commit to beat: set base":                       nil, "head and base are the same commit": {"SPRT_BASE=HEAD"}} {
		cmd := exec.Command("bash", script)
		temp := t.TempDir()
		cmd.Env = append(append(os.Environ(), "RUNNER_TEMP=", "TMPDIR="+temp), env...)
		if text, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(text), "::error::"+says) {
			t.Errorf("%q: %v, %s", env, err, text)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%q leaves %v, %v", env, left, err)
		}
	}
}
