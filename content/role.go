package content

// Role says what a string is to whoever reads the payload. Roles add knowledge; a string of any role is scanned.
type Role uint8

// The roles. RoleOther is every string that no rule of the method names.
const (
	RoleOther Role = iota
	RoleToolName
	RoleArgumentKey
	RoleArgument
	RoleResultText
	RoleStructured
	RoleDescription
	RoleSchema
	RoleInstruction
	RoleURI
	RoleBlob
	RoleMetadata
)

var roleNames = [...]string{
	RoleOther:       "other",
	RoleToolName:    "tool_name",
	RoleArgumentKey: "argument_key",
	RoleArgument:    "argument",
	RoleResultText:  "result_text",
	RoleStructured:  "structured",
	RoleDescription: "description",
	RoleSchema:      "schema",
	RoleInstruction: "instruction",
	RoleURI:         "uri",
	RoleBlob:        "blob",
	RoleMetadata:    "metadata",
}

// String returns the stable name that rule packs use for the role.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return "other"
}

// Side tells the two halves of an exchange apart.
type Side uint8

// The sides.
const (
	SideRequest Side = iota
	SideResponse
)
