// Package tokenizer reads Hugging Face tokenizer.json files and turns text
// into the token ids a classifier was trained on, together with the bytes of
// the original text that every token stands for.
//
// It owns the two model kinds that classifiers of this family use,
// SentencePiece Unigram and BERT WordPiece, and the normalizers,
// pre-tokenizers and post-processors that their files name. A file that asks
// for anything else is refused when it is parsed, and the error names the
// component: ids that are nearly right are worse than none.
//
// It never truncates, pads or plans windows (package window does), never runs
// a model, and never gives a control token's id to text: a payload that spells
// "[SEP]" is text.
//
// Package inference is its caller.
package tokenizer
