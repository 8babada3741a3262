package content

import "strings"

// place is the place of a container in a method's params or result. Places, not methods, carry most of the
// knowledge: the member names of MCP mean the same wherever they appear, and both protocol generations and
// methods yet unknown profit from it.
type place uint8

const (
	ctxTop place = iota
	ctxArguments
	ctxMeta
	ctxStructured
	ctxBlocks     // content, contents, messages and what they hold: text blocks, resources, links
	ctxTools      // the tools array
	ctxTool       // one definition
	ctxSchema     // inputSchema, outputSchema
	ctxAnnotation // annotations, icons and other parts of a definition
	ctxDefs       // prompts, resources, resourceTemplates and their elements
	ctxCompletion
	ctxQuestion // what the server asks the user through the client
	ctxServer   // serverInfo, capabilities
	ctxOther
)

// Assign gives every string its role for one half of a method's exchange. It must be called before Scan,
// Segments and Tools. The params of a request must be an object, or null for a method that can do without:
// anything else is refused with KindNotObject. Members that no method names keep RoleOther and are scanned like all others.
func (d *Document) Assign(method string, side Side) error {
	d.method, d.side = method, side
	if side == SideRequest && d.top != '{' && (d.top != 'n' || requestShapes[method] != nil) {
		return &ParseError{Kind: KindNotObject, Offset: 0}
	}
	d.contexts = make([]place, len(d.containers))
	d.toolOf = make([]int32, len(d.containers))
	d.tools = nil
	for i := range d.containers {
		c := &d.containers[i]
		d.toolOf[i] = -1
		if c.host >= 0 {
			continue
		}
		if c.parent < 0 {
			d.contexts[i] = ctxTop
			continue
		}
		name := ""
		if c.name >= 0 {
			name = d.strings[c.name].Text
		}
		parent := d.contexts[c.parent]
		d.contexts[i] = d.enter(parent, name, c.name >= 0, d.containers[c.parent].parent < 0 && !c.object)
		d.toolOf[i] = d.toolOf[c.parent]
		if parent == ctxTools && c.element >= 0 && c.object {
			d.toolOf[i] = c.element
			d.tools = append(d.tools, ToolDef{Index: int(c.element), Start: c.start, End: c.end, doc: d, array: c.parent})
		}
	}
	d.mimeTypes = nil
	for i := range d.strings {
		s := &d.strings[i]
		if s.container >= 0 && s.name >= 0 && d.strings[s.name].Text == "mimeType" {
			if d.mimeTypes == nil {
				d.mimeTypes = make([]int32, len(d.containers))
			}
			d.mimeTypes[s.container] = int32(i) + 1
		}
		if s.Host >= 0 {
			s.Role = d.strings[s.Host].Role
			continue
		}
		s.Role = d.role(s)
	}
	d.nameTools()
	return nil
}

// enter returns the place of a container below one at place c; listed says that it is an array and the other the outermost.
func (d *Document) enter(c place, name string, named, listed bool) place {
	if !named {
		if c == ctxTools {
			return ctxTool
		}
		return c
	}
	switch c {
	case ctxArguments, ctxMeta, ctxStructured, ctxSchema, ctxServer:
		return c
	}
	switch name {
	case "_meta":
		return ctxMeta
	case "annotations", "icons":
		if c == ctxDefs || c == ctxTool {
			return ctxAnnotation
		}
		return ctxOther // of a result's own: no part of a definition
	}
	if c == ctxTool {
		switch name {
		case "inputSchema", "outputSchema":
			return ctxSchema
		}
		return ctxAnnotation
	}
	if d.side == SideRequest {
		if c == ctxTop {
			switch name {
			case "arguments", "inputResponses":
				return ctxArguments
			}
		}
		return ctxOther
	}
	switch name {
	case "structuredContent":
		return ctxStructured
	case "content", "contents", "messages", "resource":
		return ctxBlocks
	case "tools":
		if d.method != "tools/list" || !listed {
			return c // neither a tool's output nor another member of the list can pose as a list of tools
		}
		return ctxTools
	case "prompts", "resources", "resourceTemplates":
		if c != ctxTop || !strings.HasSuffix(d.method, "/list") {
			return c // a tool's output is no list of definitions
		}
		return ctxDefs
	case "completion":
		return ctxCompletion
	case "inputRequests", "inputRequest", "questions", "requestedSchema":
		return ctxQuestion
	case "serverInfo", "capabilities":
		return ctxServer
	case "result", "response", "task":
		// The payload of a task is a result of its own.
		return ctxTop
	}
	return c
}

// role returns the role of a string of the body.
func (d *Document) role(s *String) Role {
	if s.container < 0 {
		return RoleResultText
	}
	name := ""
	switch {
	case s.Key:
		name = s.Text
	case s.name >= 0:
		name = d.strings[s.name].Text
	}
	switch c := d.contexts[s.container]; c {
	case ctxArguments:
		if s.Key {
			return RoleArgumentKey
		}
		return RoleArgument
	case ctxMeta, ctxServer:
		return RoleMetadata
	case ctxStructured:
		return RoleStructured
	case ctxSchema:
		if !s.Key && name == "description" {
			return RoleDescription
		}
		return RoleSchema
	}
	if s.Key {
		return RoleOther
	}
	return d.memberRole(d.contexts[s.container], name)
}

// memberRole returns the role of a string value by its place and member name.
func (d *Document) memberRole(c place, name string) Role {
	switch name {
	case "uri", "uriTemplate", "src", "href", "websiteUrl":
		return RoleURI
	case "mimeType", "type", "role", "cursor", "nextCursor", "requestState", "protocolVersion", "resultType":
		return RoleMetadata
	}
	switch c {
	case ctxTop:
		switch {
		case d.side == SideRequest && name == "name" && d.method == "tools/call":
			return RoleToolName
		case name == "instructions":
			return RoleInstruction
		case name == "arguments" || name == "inputResponses":
			return RoleArgument
		case d.side == SideResponse && (name == "content" || name == "statusMessage" || name == "contents"):
			return RoleResultText
		case d.side == SideResponse && name == "structuredContent":
			return RoleStructured
		case name == "description" || name == "title":
			return RoleDescription
		}
	case ctxTool, ctxDefs:
		switch name {
		case "name":
			return RoleToolName
		}
		return RoleDescription
	case ctxAnnotation:
		return RoleDescription
	case ctxTools:
		return RoleDescription
	case ctxBlocks:
		switch name {
		case "blob", "data":
			return RoleBlob
		case "name", "title", "description":
			return RoleDescription
		}
		return RoleResultText
	case ctxCompletion, ctxQuestion:
		return RoleResultText
	}
	return RoleOther
}

// RefuseBlocked says that the message is refused where something blocks that no mask takes away, and, if tools is true, that no
// tool of a list is passed in which something does. Once 64 findings are told, which are as many as a line of the trail holds,
// [Scanner.Scan] reads such a message no further, and such a tool: what follows cannot change what becomes of it. Without it all
// is read. It is called before Scan.
func (d *Document) RefuseBlocked(tools bool) { d.refuses, d.refusesTools = true, tools }

// toolIndex returns the position in tools[] of the definition that string i belongs to, or -1.
func (d *Document) toolIndex(i int) int {
	for d.strings[i].Host >= 0 {
		i = d.strings[i].Host
	}
	c := d.strings[i].container
	if c < 0 || d.toolOf == nil {
		return -1
	}
	return int(d.toolOf[c])
}
