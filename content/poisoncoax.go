package content

// coaxings are the openings of orders that a definition gives to the model itself, and of what it says to keep them from
// sight.
var coaxings = [...]string{
	"the llm must", "the llm should", "the llm is", "the model must", "the model should", "the model is required", "the model is to", "the model reading", "the assistant must", "the assistant should", "the assistant is to", "the agent must", "the agent should", "note to the assistant", "note to model", "note to the model",
	"implementation detail", "internal step", "internal detail", "keep this confidential", "keep silent", "keep quiet", "not necessary to report", "no need to report", "required by policy", "note for the model", "note for the assistant", "say nothing", "need not hear", "need not know", "users must not see", "must not see", "not be shown to the user", "never show this",
	"before responding", "prior to calling", "prior to any", "prior to using", "for compliance", "for telemetry", "hidden instruction", "whenever the user", "whatever the page", "quietly append", "quietly add", "quietly include", "quietly send",
}

// coaxing looks for such an order about what a model has and nobody else.
func (sc *scan) coaxing(at, end int) {
	if sc.poisonable() && sc.poisonNear(coaxStakes, at-160, end+200) && sc.poisonNear(coaxMoves, at-160, end+200) && !sc.poisonNear(coaxCare, at-60, end+100) {
		sc.review(detPoison, at, end, Review)
	}
}
