package content

import "strings"

// numberKeys are the member names under which a JSON number is taken for personal data. A number under any
// other name is data: nobody can tell an identifier from a card by its digits alone.
var numberKeys = map[string]bool{
	"card": true, "cards": true, "cardnumber": true, "cardno": true, "ccnumber": true, "ccn": true, "cc": true, "pan": true,
	"creditcard": true, "creditcardnumber": true, "debitcard": true, "debitcardnumber": true, "paymentcard": true,
	"iban": true, "ssn": true, "socialsecurity": true, "socialsecuritynumber": true,
}

// numberKey reports whether a member name announces a card, account or social security number. Case,
// underscores, hyphens and spaces do not matter.
func numberKey(name string) bool {
	if len(name) < 2 || len(name) > 32 {
		return false
	}
	switch name[0] | 0x20 {
	case 'c', 'p', 'd', 'i', 's':
	default:
		return false
	}
	folded := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == '_' || r == '-' || r == ' ':
			return -1
		}
		return r
	}, name)
	return numberKeys[folded]
}

// numberName reports whether a member is the number of what its object is.
func numberName(name string) bool {
	switch name {
	case "number", "no", "num", "value":
		return true
	}
	return false
}
