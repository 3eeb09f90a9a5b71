package gamelog

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
)

// FaultsName is the folder with the logs of engines that forfeited, one file a game.
const FaultsName = "faults"

// maxFaultLogs is how many logs a run keeps.
const maxFaultLogs = 100

// KeepFaultLog writes the log of the engine that forfeited the game into the run's folder, if
// there is one and the folder has fewer than 100. The log of a game that is played again
// replaces the earlier one. Logs depend on the machine: no other file of the run contains them.
func KeepFaultLog(dir string, r *selfplay.Result) error {
	if r.FaultLog == "" {
		return nil
	}
	info, _ := durable.ReadRunInfo(dir) // without it players have no names
	text := fmt.Sprintf("game %d: %s\n%s\nWhite %s\nBlack %s\n\n%s", r.Number, r.Termination, r.Fault,
		NameOf(info.Players, r.Players[0]), NameOf(info.Players, r.Players[1]), r.FaultLog)
	path := filepath.Join(dir, FaultsName, fmt.Sprintf("game-%d.txt", r.Number))
	if _, err := os.Stat(path); err != nil && FaultLogs(dir) >= maxFaultLogs {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return err
	}
	return nil
}

// FaultLogs returns the number of logs in the run's folder.
func FaultLogs(dir string) int {
	names, err := os.ReadDir(filepath.Join(dir, FaultsName))
	if err != nil {
		return 0 // there is none
	}
	return len(names)
}

// MissingFaultLogs returns how many of a run's forfeited games have no log because the folder
// has as many as it may.
func MissingFaultLogs(dir string, forfeits int64) int64 {
	logs := FaultLogs(dir)
	if logs < maxFaultLogs {
		return 0
	}
	return max(0, forfeits-int64(logs))
}
