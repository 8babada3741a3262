package content

import "strings"

// hashField is one part of a stored password: what it is written with and how long it may be, in bytes. A dollar
// sign stands between two.
type hashField struct {
	set      *charset
	min, max int
}

// passHashes are the stored forms of passwords, as crypt(3) and the libraries of languages write them. Whoever has one
// can try passwords against it. The last field is the digest.
var passHashes = []struct {
	prefix string
	fields []hashField
}{
	{"$2a$", bcryptFields}, {"$2b$", bcryptFields}, {"$2x$", bcryptFields}, {"$2y$", bcryptFields},
	{"$1$", []hashField{{setCrypt, 1, 8}, {setCrypt, 22, 22}}},
	{"$apr1$", []hashField{{setCrypt, 1, 8}, {setCrypt, 22, 22}}},
	{"$5$", []hashField{{setCrypt, 1, 16}, {setCrypt, 43, 43}}},
	{"$5$rounds=", []hashField{{setDigits, 4, 9}, {setCrypt, 1, 16}, {setCrypt, 43, 43}}},
	{"$6$", []hashField{{setCrypt, 1, 16}, {setCrypt, 86, 86}}},
	{"$6$rounds=", []hashField{{setDigits, 4, 9}, {setCrypt, 1, 16}, {setCrypt, 86, 86}}},
	{"$y$", yescryptFields}, {"$gy$", yescryptFields},
	{"$7$", []hashField{{setCrypt, 11, 97}, {setCrypt, 43, 43}}},
	{"$8$", []hashField{{setCrypt, 14, 14}, {setCrypt, 43, 43}}},
	{"$9$", []hashField{{setCrypt, 14, 14}, {setCrypt, 43, 43}}},
	{"$argon2id$", argonFields}, {"$argon2i$", argonFields}, {"$argon2d$", argonFields},
	{"$scrypt$", []hashField{{setHashParams, 8, 40}, {setHashBody, 8, 88}, {setHashBody, 22, 88}}},
	{"$pbkdf2-sha256$", pbkdfFields}, {"$pbkdf2-sha512$", pbkdfFields}, {"$pbkdf2$", pbkdfFields},
	{"pbkdf2_sha256$", pbkdfFields}, {"pbkdf2_sha512$", pbkdfFields},
	{"pbkdf2:sha256:", pbkdfFields}, {"pbkdf2:sha512:", pbkdfFields},
	{"scrypt:32768:8:1$", []hashField{{setAlnum, 8, 32}, {setHex, 128, 128}}},
	{"SCRAM-SHA-256$", []hashField{{setScram, 20, 40}, {setScram, 80, 100}}},
	{"$P$", []hashField{{setCrypt, 31, 31}}}, {"$H$", []hashField{{setCrypt, 31, 31}}}, {"$S$", []hashField{{setCrypt, 52, 52}}},
	{"{SSHA}", ldapFields}, {"{SSHA256}", ldapFields}, {"{SSHA512}", ldapFields},
	{"aad3b435b51404eeaad3b435b51404ee:", []hashField{{setAnyHex, 32, 32}}}, // of Windows, next to an empty LM hash
	{"BY PASSWORD '*", []hashField{{setAnyHex, 40, 40}}},                    // of MySQL
}

var (
	setCrypt      = newCharset(lowerLetters + upperLetters + digitChars + "./")
	setHashBody   = newCharset(lowerLetters + upperLetters + digitChars + "./+_-=")
	setHashParams = newCharset(lowerLetters + digitChars + "=,")
	setAnyHex     = newCharset("abcdefABCDEF" + digitChars)
	setScram      = newCharset(lowerLetters + upperLetters + digitChars + "+/=:")

	bcryptFields   = []hashField{{setDigits, 2, 2}, {setCrypt, 53, 53}}
	yescryptFields = []hashField{{setCrypt, 1, 16}, {setCrypt, 1, 86}, {setCrypt, 43, 43}}
	argonFields    = []hashField{{setHashParams, 3, 8}, {setHashParams, 9, 48}, {setHashBody, 8, 88}, {setHashBody, 22, 88}}
	pbkdfFields    = []hashField{{setDigits, 1, 8}, {setHashBody, 1, 88}, {setHashBody, 27, 132}}
	ldapFields     = []hashField{{setHashBody, 28, 132}}
)

func passHashKeywords() []keyword {
	var k []keyword
	for i := range passHashes {
		h := &passHashes[i]
		for _, text := range longEnough(strings.ToLower(h.prefix), h.fields[0].set) {
			k = append(k, keyword{text: text, look: func(sc *scan, at int) { sc.passHash(h.prefix, h.fields, at) }})
		}
	}
	return k
}

// passHash looks for a stored password that begins at byte at. The case of a prefix counts, but in a statement.
func (sc *scan) passHash(prefix string, fields []hashField, at int) {
	text := sc.text
	if !strings.HasPrefix(text[at:], prefix) && prefix[0] != 'B' || at > 0 && isAlnum(text[at-1]) {
		return
	}
	i := at + len(prefix)
	for n, f := range fields {
		end := extent(text, i, f.max+1, f.set)
		last := n == len(fields)-1
		if end-i < f.min || end-i > f.max || !last && (end == len(text) || text[end] != '$') {
			return
		}
		if last {
			if body := text[i:end]; mixed(body) && !placeholder(body) && entropy(body) >= 2.5 && !sampleHashes[body] {
				if prefix[0] == 'B' {
					at += len(prefix) - 1 // what stands before belongs to the statement
				}
				sc.add(detPassHash, at, end)
			}
			return
		}
		i = end + 1
	}
}

// sampleHashes are the digests that manuals and standards print: of FastAPI's guide, of bcrypt's own and of its article, and
// of the empty password on Windows.
var sampleHashes = setOf("EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW", "N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", "R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
	"CYaIb8sB+wtD+Vu/P4uod1+Qof8h+1g7bbDlBID48Rc", "31d6cfe0d16ae931b73c59d7e0c089c0")
