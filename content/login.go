package content

import "strings"

// People write a name and its password down as a pair: creds: kim:x, login with kim / x.

// logins are the words before such a pair.
var loginWords = [...]string{"creds: ", "creds:", "creds are ", "creds=", "creds = ", "credentials: ", "credentials:", "credentials are ", "log in with ", "login with ", "login as ", "log in as ", "login: ", "logins: ", "user/pass: ", "user/password: ", "username/password: ", "user:pass: ", "auth: "}

func loginKeywords() []keyword {
	k := make([]keyword, 0, len(loginWords))
	for _, w := range loginWords {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.login(at, at+len(w)) }})
	}
	return k
}

// login looks for a pair at byte end: a name of letters, digits and what joins them, a colon or a slash, and what is plainly a
// password. Where the word goes on before byte at it is another one.
func (sc *scan) login(at, end int) {
	text := sc.text
	if at > 0 && isAlnum(text[at-1]) {
		return
	}
	name := skip(text, end, skipMarks)
	i := extent(text, name, maxVariable, setLogin)
	mark := skip(text, i, skipMarks)
	mark = skip(text, mark, skipBlank)
	if i == name || mark == len(text) || text[mark] != ':' && text[mark] != '/' {
		return
	}
	start := skip(text, skip(text, mark+1, skipBlank), skipMarks)
	stop := start
	for stop < len(text) && stop-start <= maxBare && !bareEnds[text[stop]] {
		stop++
	}
	for stop > start && strings.IndexByte(".!?:)*", text[stop-1]) >= 0 {
		stop--
	}
	if v := text[start:stop]; bareSecret(v, credentialPassword) && strings.IndexByte(v, '/') < 0 {
		sc.add(detCredential, start, stop)
	}
}

// setLogin are what the names of accounts are made of.
var setLogin = newCharset(lowerLetters + upperLetters + digitChars + "_-.@+")
