package content

import "strings"

// commandKeywords opens the command lines that take a password as a word of their own.
func commandKeywords() []keyword {
	return []keyword{
		{text: "curl ", look: func(sc *scan, at int) { sc.commandUser(at + len("curl ")) }},
		{text: "sshpass -p", look: func(sc *scan, at int) { sc.commandPassword(at + len("sshpass -p")) }},
		{text: "mysql ", look: func(sc *scan, at int) { sc.commandAttached(at + len("mysql ")) }},
		{text: "mysqldump ", look: func(sc *scan, at int) { sc.commandAttached(at + len("mysqldump ")) }},
	}
}

// maxCommand is how far after the name of a command its option is looked for, in bytes.
const maxCommand = 160

// option returns where what follows one of the options stands on the line of byte at, -1 when there is none.
func option(text string, at int, options ...string) int {
	line := text[at:min(len(text), at+maxCommand)]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	for i := 0; i < len(line); i++ {
		if line[i] != '-' || i > 0 && line[i-1] != ' ' {
			continue
		}
		for _, o := range options {
			if strings.HasPrefix(line[i:], o) {
				return at + i + len(o)
			}
		}
	}
	return -1
}

// word returns the word at byte at, over an opening quotation mark.
func word(text string, at int) (start, end int) {
	if at < len(text) && (text[at] == '"' || text[at] == '\'') {
		at++
	}
	end = at
	for end < len(text) && end-at <= maxCredential && !valueEnds[text[end]] {
		end++
	}
	return at, end
}

// commandUser looks for the password in the user:password of a command.
func (sc *scan) commandUser(at int) {
	if at < sc.commands {
		return
	}
	sc.commands = at + maxCommand/2
	at = option(sc.text, at, "-u ", "--user ", "--user=")
	if at < 0 {
		return
	}
	start, end := word(sc.text, at)
	if i := strings.IndexByte(sc.text[start:end], ':'); i > 0 {
		sc.commandWord(start+i+1, end)
	}
}

// commandPassword looks at a password that is a word of its own.
func (sc *scan) commandPassword(at int) {
	start, end := word(sc.text, skip(sc.text, at, skipBlank))
	sc.commandWord(start, end)
}

// commandAttached looks at a password that follows its option without a space.
func (sc *scan) commandAttached(at int) {
	if at < sc.commands {
		return
	}
	sc.commands = at + maxCommand/2
	if at = option(sc.text, at, "-p"); at >= 0 {
		start, end := word(sc.text, at)
		sc.commandWord(start, end)
	}
}

func (sc *scan) commandWord(start, end int) {
	if end > start && credentialPassword.accepts(sc.text[start:end], false) {
		sc.add(detCredential, start, end)
	}
}
