package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// IDLength is the length of a digest in hex digits.
const IDLength = 32

// Digest returns the first 128 bits, in hex, of the SHA-256 of v as JSON.
func Digest(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// Checksum returns a digest of a result that is equal for equal games. It leaves out the
// time the game took, the log of a fault and the names of the players, which differ from
// machine to machine.
func Checksum(r *selfplay.Result) (string, error) {
	same := *r
	same.Players, same.Time, same.FaultLog = [2]string{}, [2]time.Duration{}, ""
	return Digest(&same)
}
