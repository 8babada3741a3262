// Package values reads what rule predicates ask about out of decoded JSON: mail addresses, URLs, hosts and plain texts.
//
// It exists because the obvious regular expressions are the way around a rule: "10.evil.com" is not a private address,
// "https://corp.example@evil.com" does not go to corp.example, and an address may hide in a list, in a display name or behind a
// full-width at sign. Where a value can be read in two ways these functions report both; a rule that asks "does it leave the
// house" then errs towards yes.
//
// All functions are pure, linear in their input, and never fail. They are the defaults of the predicate language. The engine gives
// the reader of addresses the decoder of its detectors; package rules alone undoes the common escapes.
package values
