package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// idLength is that of a digest, in letters.
const IDLength = 32

// digest returns the beginning of the SHA-256 of v as JSON, in hex: 128 bits.
func Digest(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// Checksum returns what two results of one job have in common if they are the same game:
// a digest of all but the time it took and the names of the players, which differ from
// machine to machine.
func Checksum(r *selfplay.Result) (string, error) {
	same := *r
	same.Players, same.Time = [2]string{}, [2]time.Duration{}
	return Digest(&same)
}
