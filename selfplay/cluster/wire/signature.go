package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nats-io/nkeys"

	"github.com/assay-chess/assay/dataset/durable"
)

// SignatureSuffix ends the name of the file with an engine's signature, which lies beside
// the engine.
const SignatureSuffix = ".sig"

// SignatureFormat names the format of a Signature.
const SignatureFormat = "assay.signature/1"

// ErrSignature is wrapped by the errors about signatures that do not hold.
var ErrSignature = errors.New("no signature that is trusted here")

// Signature says who vouches for an engine: this name, this content.
type Signature struct {
	Format string `json:"format"` // SignatureFormat
	Program
	Key       string `json:"key"`       // public
	Signature []byte `json:"signature"` // Ed25519, of the three above
}

// signed is what a signature is made of.
func (s *Signature) signed() []byte {
	return fmt.Appendf(nil, "%s\n%s\n%s\n", s.Format, s.Name, s.SHA256)
}

// Sign signs an engine with the secret key in a file, and returns the path of the
// signature.
func Sign(engine, keyFile string) (path string, err error) {
	data, err := os.ReadFile(keyFile)
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	pair, err := readSeed(data)
	if err != nil {
		return "", fmt.Errorf("cluster: %s: %w: want a secret key for signing, as assay sign --new-key writes it", keyFile, ErrKey)
	}
	defer pair.Wipe()
	s := Signature{Format: SignatureFormat}
	if s.Key, err = pair.PublicKey(); err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	if !nkeys.IsValidPublicAccountKey(s.Key) {
		return "", fmt.Errorf("cluster: %s: %w for signing: a worker's key lets it into a server, and signs no engines; make one with assay sign --new-key", keyFile, ErrKey)
	}
	if s.Program, err = ProgramOf(engine); err != nil {
		return "", err
	}
	if s.Signature, err = pair.Sign(s.signed()); err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	doc, err := json.MarshalIndent(&s, "", "  ")
	if err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	path = engine + SignatureSuffix
	return path, durable.WriteFile(path, append(doc, '\n'))
}

// programAt describes the file at a path.
func ProgramOf(path string) (Program, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Program{}, fmt.Errorf("cluster: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Program{}, fmt.Errorf("cluster: %s is no file: want an engine's program", path)
	}
	sum, err := durable.SumFile(path)
	return Program{Name: filepath.Base(path), SHA256: sum.SHA256}, err
}

// signer returns the name of the trusted key that signed a program, which is what lies at
// the path now. Errors name no folders: they are told to whoever wants the engine played.
func Signer(path string, p Program, trusted []Key) (string, error) {
	name := p.Name + SignatureSuffix
	data, err := os.ReadFile(path + SignatureSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: there is no %s beside the engine; whoever made it signs it with assay sign", ErrSignature, name)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %s cannot be read", ErrSignature, name)
	}
	var s Signature
	if err := json.Unmarshal(data, &s); err != nil || s.Format != SignatureFormat {
		return "", fmt.Errorf("%w: %s is not what assay sign writes", ErrSignature, name)
	}
	i := slices.IndexFunc(trusted, func(k Key) bool { return k.Public == s.Key })
	if i < 0 {
		return "", fmt.Errorf("%w: %s was made with the key %.56s; its owner trusts it by a line in the list of --trust", ErrSignature, name, s.Key)
	}
	if s.Program != p {
		return "", fmt.Errorf("%w: %s is of %.64q with the SHA-256 %.64s, and the engine beside it is %q with %s: it was changed or renamed since", ErrSignature, name, s.Name, s.SHA256, p.Name, p.SHA256)
	}
	pair, err := nkeys.FromPublicKey(s.Key)
	if err == nil {
		err = pair.Verify(s.signed(), s.Signature)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %s is false: %s did not make it", ErrSignature, name, trusted[i].Name)
	}
	return trusted[i].Name, nil
}
