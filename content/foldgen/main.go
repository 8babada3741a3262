// Command foldgen writes the fold table of package content: for every character that looks like ASCII, the
// ASCII it looks like.
//
// It needs the confusables data of Unicode Technical Standard 39 in the form in which the Rust package unicode-security
// carries it (its src/tables.rs; version 0.1.3 has Unicode 18.0), and names characters by golang.org/x/text. From the
// folder content, with the source of that package as cargo fetches it:
//
//	go run ./foldgen <its folder>/src/tables.rs > foldtable.go
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/runenames"
)

// entry is one character and what it looks like.
var (
	entry   = regexp.MustCompile(`\('\\u\{([0-9a-f]+)\}',\s*&\[([^\]]*)\]\)`)
	escaped = regexp.MustCompile(`\\u\{([0-9a-f]+)\}`)
	version = regexp.MustCompile(`UNICODE_VERSION: \(u64, u64, u64\) = \((\d+), (\d+), \d+\)`)
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: foldgen <tables.rs>")
	}
	skeleton, unicodeVersion, err := read(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := write(skeleton, unicodeVersion); err != nil {
		log.Fatal(err)
	}
}

func read(path string) (m map[rune]string, unicodeVersion string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	_, table, ok := strings.Cut(string(data), "CONFUSABLES: &")
	of := version.FindStringSubmatch(string(data))
	if !ok || of == nil {
		return nil, "", fmt.Errorf("read %q: no table of confusables", path)
	}
	m = map[rune]string{}
	for _, g := range entry.FindAllStringSubmatch(table, -1) {
		r, err := strconv.ParseInt(g[1], 16, 32)
		if err != nil {
			return nil, "", err
		}
		for _, c := range escaped.FindAllStringSubmatch(g[2], -1) {
			to, err := strconv.ParseInt(c[1], 16, 32)
			if err != nil {
				return nil, "", err
			}
			m[rune(r)] += string(rune(to))
		}
	}
	if len(m) < 5000 {
		return nil, "", fmt.Errorf("read %q: only %d entries", path, len(m))
	}
	return m, of[1] + "." + of[2], nil
}

// extra are letters that the data leaves out although their capitals are in it or their shape is the same.
var extra = map[rune]string{'к': "k", 'т': "t", 'м': "m", 'в': "b", 'н': "h", 'κ': "k", 'τ': "t", 'η': "n", 'ε': "e", 'ι': "i", 'ο': "o", 'υ': "u", 'χ': "x",
	'ı': "i", 'ł': "l", 'ø': "o", 'đ': "d", 'ħ': "h", 'ß': "ss", 'æ': "ae", 'œ': "oe", '▁': "_", '‘': "'", '’': "'", '“': "\"", '”': "\"", '–': "-", '—': "-",
	'ɡ': "g", 'ɑ': "a", 'ꜱ': "s", 'ʀ': "r", 'ɴ': "n", 'ᴛ': "t", 'ᴇ': "e", 'ᴀ': "a", 'ɪ': "i", 'ʟ': "l", 'ᴏ': "o", 'ᴜ': "u", 'ᴘ': "p", 'ᴍ': "m", 'ᴅ': "d", 'ᴄ': "c",
	'ʙ': "b", 'ɢ': "g", 'ʜ': "h", 'ᴊ': "j", 'ᴋ': "k", 'ᴠ': "v", 'ᴡ': "w", 'ʏ': "y", 'ᴨ': "n", 'ᴢ': "z", '𐌀': "a", '𐌉': "i", '𐌏': "o", 'ꜰ': "f"}

// fold returns the printable ASCII that r looks like.
func fold(r rune, skeleton map[rune]string) (string, bool) {
	if s, ok := extra[r]; ok {
		return s, true
	}
	if s := norm.NFKC.String(string(r)); s != string(r) && ascii(s) && len(s) <= 8 {
		return s, true
	}
	if s := strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return c
	}, norm.NFKD.String(string(r))); s != "" && s != string(r) && ascii(s) && len(s) <= 8 {
		return s, true
	}
	if s, ok := named(r); ok {
		return s, true
	}
	s, ok := skeleton[r]
	if upper := unicode.ToUpper(r); !ok && upper != r && r >= 0x370 {
		// The small letter of a capital that looks like one of ours is read as its small letter.
		if s, ok := fold(upper, skeleton); ok && len(s) == 1 && s >= "A" && s <= "Z" {
			return strings.ToLower(s), true
		}
	}
	if !ok {
		return "", false
	}
	s = norm.NFKC.String(s)
	if !ascii(s) || len(s) > 4 {
		return "", false
	}
	switch {
	case s == "l" && unicode.IsUpper(r):
		// The data takes capital i, small l and the digit one for the same shape and names it l.
		return "I", true
	case s == "rn":
		return "m", true
	case unicode.IsUpper(r) && len(s) == 1:
		return strings.ToUpper(s), true
	}
	return s, true
}

// The names of characters that are Latin letters in a frame, in another weight or place, or with a stroke or a hook.
var (
	letterName = regexp.MustCompile(`LATIN (CAPITAL|SMALL|SUBSCRIPT SMALL) LETTER (?:(?:GLOTTAL|INSULAR|TURNED|REVERSED|SIDEWAYS|BLACKLETTER|ANGLICANA|SCRIPT|DOTLESS) )?([A-Z])(?: WITH .*| BAR)?$`)
	smallName  = regexp.MustCompile(`(?:SMALL CAPITAL|MODIFIER LETTER SMALL|MODIFIER LETTER) (?:TURNED |REVERSED )?([A-Z])(?: WITH .*| BAR)?$`)
	bigName    = regexp.MustCompile(`MODIFIER LETTER CAPITAL ([A-Z])(?: WITH .*| BAR)?$`)
	digitName  = regexp.MustCompile(`(?:CIRCLED|SANS-SERIF|OUTLINED|SEGMENTED|PARENTHESIZED) DIGIT ([A-Z]+)$`)
)

var digitNames = map[string]string{"ZERO": "0", "ONE": "1", "TWO": "2", "THREE": "3", "FOUR": "4", "FIVE": "5", "SIX": "6", "SEVEN": "7", "EIGHT": "8", "NINE": "9"}

// named returns the ASCII that a character is by its name.
func named(r rune) (string, bool) {
	name := runenames.Name(r)
	if strings.HasPrefix(name, "COMBINING") || strings.HasPrefix(name, "TAG ") {
		return "", false
	}
	if g := bigName.FindStringSubmatch(name); g != nil {
		return g[1], true
	}
	if g := letterName.FindStringSubmatch(name); g != nil {
		if g[1] == "CAPITAL" {
			return g[2], true
		}
		return strings.ToLower(g[2]), true
	}
	if g := smallName.FindStringSubmatch(name); g != nil {
		return strings.ToLower(g[1]), true
	}
	if g := digitName.FindStringSubmatch(name); g != nil {
		s, ok := digitNames[g[1]]
		return s, ok
	}
	return "", false
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return s != ""
}

func write(skeleton map[rune]string, unicodeVersion string) error {
	w := bufio.NewWriter(os.Stdout)
	fmt.Fprintln(w, "// Code generated by foldgen; DO NOT EDIT.")
	fmt.Fprintf(w, "// From Unicode's confusables data (version %s, as carried by the Rust package unicode-security), and the names and\n", unicodeVersion)
	fmt.Fprintf(w, "// compatibility decompositions of golang.org/x/text (Unicode %s).\n", norm.Version)
	fmt.Fprintln(w)
	fmt.Fprintln(w, "package content")
	fmt.Fprintln(w)
	fmt.Fprintln(w, "// foldData lists what looks like ASCII: hexadecimal code point, a space, the ASCII, a line feed.")
	fmt.Fprintln(w, "const foldData = \"\" +")
	n := 0
	for r := rune(0x80); r <= 0x1ffff; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		if s, ok := fold(r, skeleton); ok {
			fmt.Fprintf(w, "\t%q +\n", fmt.Sprintf("%x %s\n", r, s))
			n++
		}
	}
	fmt.Fprintln(w, "\t\"\"")
	fmt.Fprintln(w)
	fmt.Fprintf(w, "// foldCount is the number of lines of foldData.\nconst foldCount = %d\n", n)
	return w.Flush()
}
