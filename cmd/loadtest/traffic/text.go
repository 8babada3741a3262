package traffic

import (
	"math/rand/v2"
	"strings"
)

// words are ordinary ones, about five characters each, so that a text has about as
// many tokens for its length as real traffic has.
var words = strings.Fields(`account address after again agent amount answer api archive array
available balance before begin between branch budget build button cache call change channel
check city client close code color column commit config connect contact content copy count
country create current customer data date day default delete delivery detail device different
directory document email empty error event example export failed field file filter find first
folder format found from group guide header hotel image import include index input invoice issue
item label language large last level library light limit line link list local location login
market match member menu message method minute model month morning name network next night
number object offer office open option order output owner package page paper parameter parent
part path payment people period person phone place plan point port price print product profile
project public query quick quote range rate read record region release remote report request
response result return review room route sale sample schedule schema score search season second
section select send server service session setting shipping short size small source start state
status store street string student summary support system table target task team test text ticket
time title today token tool topic total train travel type update upload url user value version
view visit water weather week window winter word work worker year yesterday`)

// Text is one text of the load.
type Text struct {
	// Text is made of ordinary words.
	Text string
	// Surface is where in MCP traffic it stands.
	Surface string
	// Repeat tells a text that was sent before.
	Repeat bool
}

// memory is how far back a repeat may reach, in texts.
const memory = 512

// Source makes an endless sequence of texts.
type Source struct {
	mix      Mix
	share    float64
	r        *rand.Rand
	standing bool // repeats are of texts that were given, which stay
	recent   []Text
}

// NewSource makes a source. The share of texts that repeat one of the last few hundred
// is in [0, 1). Equal seeds give equal texts.
func NewSource(mix Mix, repeatShare float64, seed uint64) *Source {
	return &Source{mix: mix, share: repeatShare, r: rand.New(rand.NewPCG(seed, 0x7a11))} //nolint:gosec // load must be repeatable, not unpredictable
}

// Standing makes the texts that are said again and again: the descriptions, prompts and
// results that every caller of a mesh gets to see.
func Standing(mix Mix, seed uint64) []Text {
	s := NewSource(mix, 0, seed)
	texts := make([]Text, memory)
	for i := range texts {
		texts[i] = s.Next()
	}
	return texts
}

// NewStandingSource is [NewSource] whose repeats are of the given texts, whatever became
// of the last few hundred. Where some of the texts are refused, the others then hold as
// many repeats as before, and cost as much.
func NewStandingSource(mix Mix, repeatShare float64, standing []Text, seed uint64) *Source {
	s := NewSource(mix, repeatShare, seed)
	s.standing, s.recent = true, standing
	return s
}

// Next makes one more text.
func (s *Source) Next() Text {
	if len(s.recent) > 0 && s.r.Float64() < s.share {
		t := s.recent[s.r.IntN(len(s.recent))]
		t.Repeat = true
		return t
	}
	surface, chars := s.mix.pick(s.r)
	t := Text{Text: s.Prose(chars), Surface: surface}
	if s.share > 0 && !s.standing {
		if len(s.recent) < memory {
			s.recent = append(s.recent, t)
		} else {
			s.recent[s.r.IntN(memory)] = t
		}
	}
	return t
}

// Prose makes a text of exactly that many characters: sentences, a line break
// every few of them.
func (s *Source) Prose(chars int) string {
	var b strings.Builder
	b.Grow(chars + 16)
	for left := 0; b.Len() < chars; left-- {
		word := words[s.r.IntN(len(words))]
		switch {
		case left <= 0:
			if b.Len() > 0 {
				b.WriteByte('.')
				if s.r.IntN(4) == 0 {
					b.WriteByte('\n')
				} else {
					b.WriteByte(' ')
				}
			}
			left = 5 + s.r.IntN(12)
			b.WriteString(strings.ToUpper(word[:1]))
			b.WriteString(word[1:])
		default:
			b.WriteByte(' ')
			b.WriteString(word)
		}
	}
	return b.String()[:max(chars, 0)]
}
