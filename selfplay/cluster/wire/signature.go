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

// SignatureSuffix ends the name of an engine's signature file, which is beside the engine.
const SignatureSuffix = ".sig"

// signatureFormat names the format of a Signature.
const signatureFormat = "assay.signature/1"

// ErrSignature is wrapped by errors about missing and invalid signatures.
var ErrSignature = errors.New("no trusted signature")

// Signature says that the owner of a key vouches for an engine of this name and content.
type Signature struct {
	Format string `json:"format"` // signatureFormat
	Program
	Key       string `json:"key"`       // public
	Signature []byte `json:"signature"` // Ed25519, of format, name and SHA-256
}

// signed returns the bytes that are signed.
func (s *Signature) signed() []byte {
	return fmt.Appendf(nil, "%s\n%s\n%s\n", s.Format, s.Name, s.SHA256)
}

// Sign signs an engine with the secret key in a file, and writes the signature beside it. It
// returns the path of the signature.
func Sign(engine, keyFile string) (path string, err error) {
	s, err := SignatureWith(engine, keyFile)
	if err != nil {
		return "", err
	}
	path = engine + SignatureSuffix
	return path, durable.WriteJSON(path, s)
}

// SignatureWith returns the signature of an engine by the secret key in a file.
func SignatureWith(engine, keyFile string) (*Signature, error) {
	data, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w; want the file with a secret signing key, as assay "+
			"sign --new-key writes it", err)
	}
	pair, err := readSeed(data)
	if err != nil {
		return nil, fmt.Errorf("cluster: %s: %w: want a secret signing key, as assay sign --new-key writes it", keyFile,
			errKey)
	}
	defer pair.Wipe()
	s := &Signature{Format: signatureFormat}
	if s.Key, err = pair.PublicKey(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if !nkeys.IsValidPublicAccountKey(s.Key) {
		return nil, fmt.Errorf("cluster: %s: %w: it is a worker's key, which cannot sign engines; make a signing "+
			"key with assay sign --new-key", keyFile, errKey)
	}
	if s.Program, err = ProgramOf(engine); err != nil {
		return nil, err
	}
	if s.Signature, err = pair.Sign(s.signed()); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return s, nil
}

// ProgramOf describes the file at path.
func ProgramOf(path string) (Program, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Program{}, fmt.Errorf("cluster: %w; want the path of an engine's program", err)
	}
	if !info.Mode().IsRegular() {
		return Program{}, fmt.Errorf("cluster: %s is not a regular file: want the program of an engine", path)
	}
	sum, err := durable.SumFile(path)
	return Program{Name: filepath.Base(path), SHA256: sum.SHA256}, err
}

// ReadSignature reads the signature beside the engine at path, as Sign writes it. Its errors
// name no folders, since the coordinator gets to see them.
func ReadSignature(path string) (*Signature, error) {
	name := filepath.Base(path) + SignatureSuffix
	data, err := os.ReadFile(path + SignatureSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no %s beside the engine; its maker creates it with assay sign",
			ErrSignature, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: cannot read %s", ErrSignature, name)
	}
	var s Signature
	if err := json.Unmarshal(data, &s); err != nil || s.Format != signatureFormat {
		return nil, fmt.Errorf("%w: %s is malformed: want what assay sign writes", ErrSignature, name)
	}
	return &s, nil
}

// Signer returns the name of the trusted key that signed the program p.
func (s *Signature) Signer(p Program, trusted []Key) (string, error) {
	name := p.Name + SignatureSuffix
	i := slices.IndexFunc(trusted, func(k Key) bool { return k.Public == s.Key })
	if i < 0 {
		return "", fmt.Errorf("%w: %s was made with the key %.56s; to trust it, add it to the list of --trust",
			ErrSignature, name, s.Key)
	}
	if s.Program != p {
		return "", fmt.Errorf("%w: %s is for %.64q with SHA-256 %.64s, and the engine is %q with %s: it was changed "+
			"or renamed; have it signed again", ErrSignature, name, s.Name, s.SHA256, p.Name, p.SHA256)
	}
	pair, err := nkeys.FromPublicKey(s.Key)
	if err == nil {
		err = pair.Verify(s.signed(), s.Signature)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %s is forged: the key of %s did not make it", ErrSignature, name, trusted[i].Name)
	}
	return trusted[i].Name, nil
}

// Signer returns the name of the trusted key that signed the program p, which is the file at
// path.
func Signer(path string, p Program, trusted []Key) (string, error) {
	s, err := ReadSignature(path)
	if err != nil {
		return "", err
	}
	return s.Signer(p, trusted)
}
