package audit

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
)

// signatureContext keeps a checkpoint signature from being valid as anything else that the key may sign.
const signatureContext = "sallyport-audit-checkpoint-v1\n"

var (
	errNoPEM      = errors.New("no PEM block found")
	errNotEd25519 = errors.New("not an Ed25519 key")
)

// ParseSigningKey reads an Ed25519 private key from a PKCS#8 PEM file, as made by
// "openssl genpkey -algorithm ed25519".
func ParseSigningKey(pemData []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(pemData)
	if block == nil {
		return nil, fmt.Errorf("parse audit signing key: %w", errNoPEM)
	}
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parse audit signing key: %w", err)
	}
	priv, ok := k.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("parse audit signing key: %w", errNotEd25519)
	}
	return priv, nil
}

// ParseVerifyKey reads the public key from a PKIX PEM file ("openssl pkey -pubout"); a private key file does as well.
func ParseVerifyKey(pemData []byte) (ed25519.PublicKey, error) {
	block, _ := pem.Decode(pemData)
	if block == nil {
		return nil, fmt.Errorf("parse audit verification key: %w", errNoPEM)
	}
	var k any
	var err error
	if block.Type == "PRIVATE KEY" {
		if k, err = x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if s, ok := k.(crypto.Signer); ok {
				k = s.Public()
			}
		}
	} else {
		k, err = x509.ParsePKIXPublicKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("parse audit verification key: %w", err)
	}
	pub, ok := k.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("parse audit verification key: %w", errNotEd25519)
	}
	return pub, nil
}

// KeyID names a public key in checkpoint lines: the first 16 hexadecimal digits of its SHA-256.
func KeyID(pub ed25519.PublicKey) string {
	sum := sha256.Sum256(pub)
	return hex.EncodeToString(sum[:8])
}

// sign returns the base64 signature of the checkpoint line up to its sig member.
func sign(key ed25519.PrivateKey, unsigned []byte) string {
	return base64.StdEncoding.EncodeToString(ed25519.Sign(key, signed(unsigned)))
}

// signed returns what a checkpoint signature covers: a context and every byte of the line before the sig member. As prev is
// among those bytes, the signature covers all earlier lines too.
func signed(unsigned []byte) []byte {
	return append([]byte(signatureContext), unsigned...)
}
