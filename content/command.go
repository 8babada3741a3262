package content

import "strings"

// commandKeywords opens the command lines that take a password as a word of their own.
func commandKeywords() []keyword {
	k := []keyword{
		{text: "sshpass -p", look: func(sc *scan, at int) { sc.commandPassword(at + len("sshpass -p")) }},
		{text: "convertto-securestring ", look: func(sc *scan, at int) { sc.secureString(at + len("convertto-securestring ")) }},
		{text: "machine ", look: (*scan).netrc},
		{text: "jdbc:oracle:", look: (*scan).oracle},
		{text: ":5432:", look: (*scan).pgpass},
		{text: "wifi:", look: (*scan).wifi},
	}
	for _, o := range longOptions {
		k = append(k, keyword{text: o.text, look: func(sc *scan, at int) { sc.longOption(at+len(o.text), o.kind) }})
	}
	for i, c := range shortOptions {
		k = append(k, keyword{text: c.command, look: func(sc *scan, at int) { sc.commandOption(at+len(c.command), firstShort+i, c.options) }})
	}
	for i, c := range attachedOptions {
		k = append(k, keyword{text: c, look: func(sc *scan, at int) { sc.commandAttached(at+len(c), firstAttached+i) }})
	}
	k = append(k, commandWordKeywords()...)
	k = append(k, onetimeKeywords()...)
	return append(k, callKeywords()...)
}

// longOptions are the options that take a secret as the next word, whatever the command, beside those whose names end like those of
// credentials.
var longOptions = [...]struct {
	text string
	kind credential
}{
	{"--pass ", credentialPassword}, {"storepass ", credentialPassword}, {"-keypass ", credentialPassword},
	{"-passin pass:", credentialPassword}, {"-passout pass:", credentialPassword}, {"-pass pass:", credentialPassword},
}

// shortOptions are the commands whose option of a letter or two takes a password.
var shortOptions = [...]struct{ command, options string }{
	{"docker login ", "-p "}, {"podman login ", "-p "}, {"registry login ", "-p "}, {"az login ", "-p "}, {"oc login ", "-p "}, {"mongosh ", "-p "}, {"mongodump ", "-p "},
	{"redis-cli ", "-a "}, {"sqlcmd ", "-P "}, {"zip ", "-P "}, {"ldapsearch ", "-w "}, {"ldapmodify ", "-w "}, {"openssl enc ", "-k "},
	{"nerdctl login ", "-p "}, {"buildah login ", "-p "}, {"cf login ", "-p "}, {"psexec ", "-p "}, {"mongorestore ", "-p "}, {"mongoexport ", "-p "}, {"mongo ", "-p "}, {"bcp ", "-P "}, {"ipmitool ", "-P "},
	{"crackmapexec ", "-p "}, {"evil-winrm ", "-p "}, {"rdesktop ", "-p "}, {"plink ", "-pw "}, {"pscp ", "-pw "}, {"ssh-keygen ", "-N "},
	{"signtool ", "/p "}, {"xfreerdp ", "/p:"}, {"cmdkey ", "/pass:"}, {"schtasks ", "/rp "},
}

// attachedOptions are the commands whose option -p is followed by a password without a space.
var attachedOptions = [...]string{"mysql ", "mysqldump ", "mysqladmin ", "mariadb ", "mariadb-dump ", "7z a ", "7z x "}

// The places of the commands among those that are read once for each stretch of a text: every command has its own, so that one is
// not missed behind another.
const (
	netrcCommand = iota
	wifiCommand
	firstShort
	firstAttached = firstShort + len(shortOptions)
	firstUser     = firstAttached + len(attachedOptions)
	readCommands  = firstUser + len(userPasswords)
)

// longOption looks at the word after an option that takes a secret.
func (sc *scan) longOption(at int, kind credential) {
	start, end := word(sc.text, skip(sc.text, at, skipBlank))
	if end > start && kind.accepts(sc.text[start:end], false) {
		sc.add(detCredential, start, quotedEnd(sc.text, start, end))
	}
}

// commandOption looks for the password after an option of one letter.
func (sc *scan) commandOption(at, command int, options string) {
	if i := sc.optionOf(at, command, options); i >= 0 {
		sc.commandPassword(i)
	}
}

// secureString looks at the plain text that PowerShell makes a secure string of.
func (sc *scan) secureString(at int) {
	text := sc.text
	for _, o := range [...]string{"-string ", "-asplaintext "} {
		if hasFoldPrefix(text[at:], o) {
			at += len(o)
		}
	}
	sc.commandPassword(at)
}

// netrcReach is how far after the name of a machine its password may begin, in bytes.
const netrcReach = 160

var netrcPassword = mustIndex("password ")

// netrc looks for the password of a machine's entry, behind the words login and password.
func (sc *scan) netrc(at int) {
	if at < sc.commands[netrcCommand] {
		return
	}
	sc.commands[netrcCommand] = at + netrcReach/2
	text := sc.text[at:min(len(sc.text), at+netrcReach)]
	if i := netrcPassword.first(text); i < len(text) && strings.Contains(text[:i], "login ") {
		sc.commandPassword(at + i + len("password "))
	}
}

// oracle looks for the password in the address of a database of Oracle: jdbc:oracle:thin:user/password@.
func (sc *scan) oracle(at int) {
	text := sc.text
	start := at + len("jdbc:oracle:")
	line := text[start:min(len(text), start+maxCommand)]
	slash := strings.IndexByte(line, '/')
	if slash <= 0 || strings.ContainsAny(line[:slash], "@ \n\"'") {
		return
	}
	if n := strings.IndexAny(line[slash:], "@ \n\"'"); n > 1 && line[slash+n] == '@' {
		v := line[slash+1 : slash+n]
		if credentialPassword.accepts(v, false) {
			sc.add(detConnection, start+slash+1, start+slash+n)
		}
	}
}

// pgpass looks for the password of a line of PostgreSQL's password file: host:port:database:user:password.
func (sc *scan) pgpass(at int) {
	text, i := sc.text, at+len(":5432:")
	for range 2 {
		end := extent(text, i, 64, pgName)
		if end == i || end == len(text) || text[end] != ':' {
			return
		}
		i = end + 1
	}
	start, end := word(text, i)
	sc.commandWord(start, end)
}

var pgName = newCharset(lowerLetters + upperLetters + digitChars + "_-*.@")

// wifi looks for the password in the text of a code that joins a wireless network: WIFI:T:WPA;S:name;P:password;;.
func (sc *scan) wifi(at int) {
	if at < sc.commands[wifiCommand] {
		return
	}
	sc.commands[wifiCommand] = at + maxCommand/4
	text := sc.text[at:min(len(sc.text), at+maxCommand)]
	i := strings.Index(text, ";P:")
	if i < 0 {
		return
	}
	i += len(";P:")
	if n := strings.IndexByte(text[i:], ';'); n >= 8 && strings.IndexByte(text[:i+n], '\n') < 0 && !placeholder(text[i:i+n]) {
		sc.add(detCredential, at+i, at+i+n)
	}
}

// maxCommand is how far after the name of a command its option is looked for, in bytes.
const maxCommand = 160

// optionOf returns where what follows one of the options of a command stands on the line of byte at, -1 when there is none, and
// where the line was read for the same command shortly before.
func (sc *scan) optionOf(at, command int, options ...string) int {
	if at < sc.commands[command] {
		return -1
	}
	line := sc.text[at:min(len(sc.text), at+maxCommand)]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	sc.commands[command] = at + min(len(line), maxCommand/2)
	for i := 0; i < len(line); i++ {
		if line[i] != '-' && line[i] != '/' || i > 0 && line[i-1] != ' ' {
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

// wordEnd returns where the word at byte at ends, which has any marks but those around it.
func wordEnd(text string, at int) int {
	end := at
	for end < len(text) && end-at <= maxCredential && strings.IndexByte(" \t\r\n\"'`", text[end]) < 0 {
		end++
	}
	return end
}

// commandUser looks for the password in the user:password that an option of a command takes.
func (sc *scan) commandUser(at, command int, options []string, between byte) {
	if at = sc.optionOf(at, command, options...); at < 0 {
		return
	}
	start, end := word(sc.text, at)
	if between == ',' {
		if end < len(sc.text) && sc.text[end] == between && end > start {
			start = end + 1
			sc.commandWord(start, wordEnd(sc.text, start))
		}
		return
	}
	if i := strings.IndexByte(sc.text[start:end], between); i > 0 {
		sc.commandWord(word(sc.text, start+i+1))
	}
}

// commandPassword looks at a password that is a word of its own.
func (sc *scan) commandPassword(at int) {
	start, end := word(sc.text, skip(sc.text, at, skipBlank))
	sc.commandWord(start, end)
}

// commandAttached looks at a password that follows its option without a space.
func (sc *scan) commandAttached(at, command int) {
	if at = sc.optionOf(at, command, "-p"); at >= 0 {
		start, end := word(sc.text, at)
		sc.commandWord(start, end)
	}
}

func (sc *scan) commandWord(start, end int) {
	whole := quotedEnd(sc.text, start, end)
	if end > start && (credentialPassword.accepts(sc.text[start:end], false) || whole > end && strongPassword(sc.text[start:whole]) && credentialPassword.accepts(sc.text[start:whole], true)) {
		sc.add(detCredential, start, whole)
	}
}

// quotedEnd returns where the word text[start:end] ends when the quotation mark before it is taken into account: a password between
// such marks has spaces and commas too. It is end where no mark stands before it or none closes on its line.
func quotedEnd(text string, start, end int) int {
	if start == 0 || end <= start || text[start-1] != '"' && text[start-1] != '\'' {
		return end
	}
	body := text[start:min(len(text), start+maxBare+1)]
	if n := literalLen(body, text[start-1]); n > 0 && strings.IndexByte(body[:n], '\n') < 0 {
		return max(end, start+n)
	}
	return end
}

// literalLen returns how much of a text stands before the quotation mark that closes it: a mark behind a backslash does not, and
// neither do two single ones in a row. It is -1 where none closes it.
func literalLen(text string, mark byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] != mark:
		case mark == '\'' && i > 0 && i+1 < len(text) && text[i+1] == mark:
			i++
		default:
			return i
		}
	}
	return strings.IndexByte(text, mark)
}
