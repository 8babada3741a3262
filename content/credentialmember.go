package content

import "strings"

// The names of JSON members, and of values that stand in pairs with their names, announce credentials as those in texts do.

// pairBefore remembers that the current string names a credential whose value is the member before it.
func (sc *scan) pairBefore(kind credential) {
	i := sc.str - 2
	if i < 0 {
		return
	}
	s, own := &sc.d.strings[i], &sc.d.strings[sc.str]
	if !s.Key && s.name >= 0 && s.container == own.container && s.Host == own.Host && pairValues[sc.d.strings[s.name].Text] && kind.accepts(s.Text, true) {
		sc.pairs = append(sc.pairs, i)
	}
}

// pairsBefore reports the values that were named after them.
func (sc *scan) pairsBefore() {
	for _, i := range sc.pairs {
		s := &sc.d.strings[i]
		if s.Role == RoleSchema || s.Role == RoleDescription {
			continue
		}
		sc.str, sc.role, sc.path, sc.spans = i, s.Role, "", sc.spans[:0]
		sc.raw = view{text: s.Text, label: ViewRaw}
		sc.v, sc.text = &sc.raw, s.Text
		sc.hits = append(sc.hits[:0], hit{det: detCredential, start: 0, end: len(s.Text)})
		sc.flush()
	}
}

// member looks at a string value whose member name announces a credential.
func (sc *scan) member(s *String, raw *view) {
	kind := credentialNone
	switch name := sc.memberName(); {
	case sc.identityMember(name, s, raw), sc.passportMember(s, raw):
		return
	case name == "pass" && (s.Host < 0 || plainlyPassword(s.Text)), name == "pw", name == "psk":
		kind = credentialPassword
	case jwkMember(name) && sc.besideKty(s) && len(s.Text) >= minJWK && of(s.Text, 0, len(s.Text), setAllB64):
		sc.v, sc.text = raw, raw.text
		sc.hits = append(sc.hits[:0], hit{det: detPrivateKey, start: 0, end: len(s.Text)})
		sc.flush()
		return
	case name == "auth" || name == "_auth" || name == "_password":
		sc.v, sc.text, sc.hits = raw, raw.text, sc.hits[:0]
		if sc.registryAuth(0); len(sc.hits) > 0 {
			sc.flush()
		}
		return
	case len(name) == len("authorization") && hasFoldPrefix(name, "authorization"):
		sc.v, sc.text, sc.hits = raw, raw.text, sc.hits[:0]
		if !sc.schemed(0) {
			sc.unschemed(0)
		}
		if len(sc.hits) > 0 {
			sc.flush()
		}
		return
	case len(name) == len("cookie") && hasFoldPrefix(name, "cookie"), len(name) == len("set-cookie") && hasFoldPrefix(name, "set-cookie"):
		sc.v, sc.text, sc.hits, sc.cookieLine = raw, raw.text, sc.hits[:0], 0
		if sc.cookies(0); len(sc.hits) > 0 {
			sc.flush()
		}
		return
	case sc.credentialKey == int(s.name):
		kind = sc.credential
	case sc.pair != credentialNone && sc.pairIn == s.container && pairValues[sc.memberName()]:
		kind = sc.pair
	case pairValues[name]:
		kind = sc.objectKind(s)
	case name == "result" && sc.drawn():
		kind = credentialPassword
	}
	if kind == credentialNone || s.Text == "" || s.Role == RoleSchema || s.Role == RoleDescription || !kind.accepts(s.Text, true) {
		return
	}
	sc.v, sc.text = raw, raw.text
	sc.hits = append(sc.hits[:0], hit{det: detCredential, start: 0, end: len(s.Text)})
	sc.flush()
}

// passwordElement reports whether s is an element of a list of passwords by its name. Lists of secrets and tokens are of names as
// well.
func (sc *scan) passwordElement(s *String) bool {
	return sc.passwords > 0 && s.element >= 0 && s.container >= 0 && int(sc.d.containers[s.container].name) == sc.passwords-1
}

// element looks at such an element. Only what looks drawn is a password: such lists hold what is wrong with one as well, and codes of
// that, which are words with digits.
func (sc *scan) element(s *String, raw *view) {
	if s.Role == RoleSchema || s.Role == RoleDescription || strings.IndexByte(s.Text, ' ') >= 0 || !literalSecret(s.Text, credentialPassword) ||
		!strings.ContainsAny(s.Text, keyboardMarks) && turnsOf(s.Text) <= minTurns {
		return
	}
	sc.v, sc.text = raw, raw.text
	sc.hits = append(sc.hits[:0], hit{det: detCredential, start: 0, end: len(s.Text)})
	sc.flush()
}

// drawn reports whether the strings shortly before the current one say that it is a password that Terraform drew.
func (sc *scan) drawn() bool {
	for i, n := sc.str-1, 0; i >= 0 && n < maxJWKMembers; i, n = i-1, n+1 {
		if o := &sc.d.strings[i]; !o.Key && o.Text == "random_password" {
			return true
		}
	}
	return false
}

// objectKind returns what the name of the object that s is a member of announces: "db_password": {"value": "x"}.
func (sc *scan) objectKind(s *String) credential {
	if s.container < 0 || s.container >= int32(len(sc.d.containers)) {
		return credentialNone
	}
	if n := sc.d.containers[s.container].name; n >= 0 && len(sc.d.strings[n].Text) <= maxVariable {
		return variableKind(sc.d.strings[n].Text)
	}
	return credentialNone
}

// minJWK is the shortest private part of a JSON web key, in bytes: that of a symmetric key of 128 bits.
const minJWK = 22

// jwkMember reports whether a member of a JSON web key is a private one (RFC 7518 section 6).
func jwkMember(name string) bool {
	switch name {
	case "d", "k", "p", "q", "dp", "dq", "qi":
		return true
	}
	return false
}

// besideKty reports whether the object that s is a member of says which type of key it is.
func (sc *scan) besideKty(s *String) bool {
	for _, step := range [...]int{-1, 1} {
		for i, n := sc.str+step, 0; i >= 0 && i < len(sc.d.strings) && n < maxJWKMembers; i, n = i+step, n+1 {
			o := &sc.d.strings[i]
			if o.Key && o.container == s.container && o.Host == s.Host && o.Text == "kty" {
				return true
			}
		}
	}
	return false
}

// maxJWKMembers is how many strings before and after a member are looked at, names included.
const maxJWKMembers = 32
