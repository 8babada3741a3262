package tokenizer

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
)

// frame is what a post-processor puts around one text.
type frame struct {
	prefix, suffix []int32
}

func parsePostProcessor(raw jsontext.Value) (frame, error) {
	if isNull(raw) {
		return frame{}, nil
	}
	name, err := typeOf("post_processor", raw)
	if err != nil {
		return frame{}, err
	}
	kind := "post_processor " + name
	switch name {
	case "TemplateProcessing":
		return parseTemplate(kind, raw)
	case "BertProcessing", "RobertaProcessing":
		var p struct {
			Type       string         `json:"type"`
			Sep        namedID        `json:"sep"`
			Cls        namedID        `json:"cls"`
			Trim       jsontext.Value `json:"trim_offsets"`
			AddsPrefix jsontext.Value `json:"add_prefix_space"`
		}
		if err := component(kind, raw, &p); err != nil {
			return frame{}, err
		}
		return frame{[]int32{p.Cls.id}, []int32{p.Sep.id}}, nil
	}
	return frame{}, notImplemented("post_processor", name)
}

// namedID is ["[SEP]", 102].
type namedID struct{ id int32 }

func (n *namedID) UnmarshalJSON(b []byte) error {
	var pair [2]jsontext.Value
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	return json.Unmarshal(pair[1], &n.id)
}

// templateItem is either a control token or the place of a text.
type templateItem struct {
	SpecialToken *struct {
		ID     string `json:"id"`
		TypeID int    `json:"type_id"`
	} `json:"SpecialToken"`
	Sequence *struct {
		ID     string `json:"id"`
		TypeID int    `json:"type_id"`
	} `json:"Sequence"`
}

func parseTemplate(kind string, raw jsontext.Value) (frame, error) {
	var p struct {
		Type          string         `json:"type"`
		Single        []templateItem `json:"single"`
		Pair          jsontext.Value `json:"pair"`
		SpecialTokens map[string]struct {
			ID     string   `json:"id"`
			IDs    []int32  `json:"ids"`
			Tokens []string `json:"tokens"`
		} `json:"special_tokens"`
	}
	if err := component(kind, raw, &p); err != nil {
		return frame{}, err
	}
	var f frame
	texts := 0
	for _, item := range p.Single {
		switch {
		case item.Sequence != nil:
			texts++
		case item.SpecialToken != nil:
			if item.SpecialToken.TypeID != 0 {
				return frame{}, fmt.Errorf("%s: type_id %d in the template for one text", kind, item.SpecialToken.TypeID)
			}
			special, ok := p.SpecialTokens[item.SpecialToken.ID]
			if !ok {
				return frame{}, fmt.Errorf("%s: token %q has no ids", kind, item.SpecialToken.ID)
			}
			if texts == 0 {
				f.prefix = append(f.prefix, special.IDs...)
			} else {
				f.suffix = append(f.suffix, special.IDs...)
			}
		default:
			return frame{}, fmt.Errorf("%s: an item is neither SpecialToken nor Sequence", kind)
		}
	}
	if texts != 1 {
		return frame{}, fmt.Errorf("%s: the template for one text holds %d texts", kind, texts)
	}
	return f, nil
}
