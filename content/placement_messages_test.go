package content

// message is one whole MCP message half, with a string in every place that the protocol knows for one, and some
// that it does not know.
type message struct {
	method string
	side   Side
	body   string
}

const (
	fullMeta  = `"_meta":{"progressToken":"p","com.example/trace":{"id":["m"]}}`
	fullIcons = `"icons":[{"src":"i","mimeType":"im","sizes":["any"],"theme":"light"}]`
	fullNotes = `"annotations":{"audience":["user"],"priority":1,"lastModified":"lm","novel":"nv"}`
	// Every kind of block that a result or a prompt may hold, in both generations.
	fullBlocks = `{"type":"text","text":"t",` + fullNotes + `,` + fullMeta + `},` +
		`{"type":"image","data":"d","mimeType":"mi"},{"type":"audio","data":"d","mimeType":"ma"},` +
		`{"type":"resource_link","uri":"u","name":"n","title":"ti","description":"de","mimeType":"ml",` + fullIcons + `,` + fullNotes + `},` +
		`{"type":"resource","resource":{"uri":"u","mimeType":"mr","text":"t",` + fullMeta + `},` + fullNotes + `},` +
		`{"type":"resource","resource":{"uri":"u","mimeType":"text/plain","blob":"b"}},` +
		`{"type":"tool_use","id":"ti","name":"tn","input":{"a":{"b":["c"]}}},{"type":"tool_result","toolUseId":"tr","content":[{"type":"text","text":"t"}],"structuredContent":{"s":"v"}},` +
		`{"type":"of_tomorrow","payload":{"deep":[["x",{"k":"v"}]]}}`
	fullSchema = `{"$schema":"sc","$id":"si","type":"object","title":"st","description":"sd","required":["r"],"$defs":{"d":{"const":"co"}},` +
		`"properties":{"p":{"type":"string","description":"pd","default":"df","enum":["e"],"enumNames":["en"],"examples":["ex"],"const":"cn","pattern":"pa","format":"fo","title":"pt","$comment":"cm","x-novel":{"y":["z"]}},` +
		`"q":{"anyOf":[{"type":"array","items":{"description":"ad"}}],"$ref":"re"}},"additionalProperties":{"description":"ap"},"patternProperties":{"pp":{"description":"pd"}}}`
	fullTask   = `{"taskId":"ta","status":"working","statusMessage":"sm","createdAt":"ca","lastUpdatedAt":"lu","ttl":1,"pollInterval":2}`
	fullResult = `"content":[` + fullBlocks + `],"structuredContent":{"s":{"k":["v",{"n":"w"}]}},"isError":true,` + fullMeta + `,"novel":"no"`
	fullTool   = `{"name":"n","title":"ti","description":"d","inputSchema":` + fullSchema + `,"outputSchema":{"type":"object","properties":{"op":{"description":"od","enum":["oe"]}}}` +
		`,"annotations":{"title":"at","readOnlyHint":true,"novel":"an"},"execution":{"taskSupport":"ts"},` + fullIcons + `,` + fullMeta + `,"novel":["tv"]}`
	fullAsk = `"resultType":"input_required","requestState":"rs","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"mo","message":"me","url":"ur","elicitationId":"ei","requestedSchema":{"type":"object","properties":{"p":{"type":"string","title":"pt","description":"pd","enum":["e"],"enumNames":["en"],"default":"df"}}}}},` +
		`"s":{"method":"sampling/createMessage","params":{"systemPrompt":"sp","messages":[{"role":"ro","content":{"type":"text","text":"t"}}],"modelPreferences":{"hints":[{"name":"hn"}]},"includeContext":"ic","stopSequences":["ss"],"metadata":{"m":"mv"},"tools":[{"name":"n","description":"d","inputSchema":{"properties":{"p":{"description":"pd"}}}}]}},` +
		`"r":{"method":"roots/list","params":{}}}`
	fullServer = `"protocolVersion":"pv","serverInfo":{"name":"sn","version":"sv","title":"st","websiteUrl":"wu","description":"sd",` + fullIcons + `},"instructions":"in","capabilities":{"experimental":{"e":"x"},"extensions":{"ext":{"k":"v"}}},` + fullMeta
)

// messages are the bodies that the hooks of a gateway get to see.
var messages = []message{
	{"tools/call", SideRequest, `{"name":"n","arguments":{"a":"v","o":{"k":["l",{"m":"w"}]}},"task":{"ttl":1,"novel":"tn"},"inputResponses":{"q":{"action":"ac","content":{"f":"g"}},"s":{"role":"ro","model":"mo","stopReason":"sr","content":{"type":"text","text":"t"}},"r":{"roots":[{"uri":"ru","name":"rn"}]}},"requestState":"rs",` + fullMeta + `,"novel":"no"}`},
	{"prompts/get", SideRequest, `{"name":"n","arguments":{"a":"v"},"inputResponses":{"q":"r"},"requestState":"rs",` + fullMeta + `}`},
	{"resources/read", SideRequest, `{"uri":"u","inputResponses":{"q":"r"},"requestState":"rs",` + fullMeta + `}`},
	{"tools/call", SideResponse, `{` + fullResult + `}`},
	{"tools/call", SideResponse, `{` + fullAsk + `}`},
	{"tools/call", SideResponse, `{"task":` + fullTask + `,"resultType":"task",` + fullMeta + `}`},
	{"tools/list", SideResponse, `{"tools":[{"name":"first","inputSchema":{}},` + fullTool + `],"nextCursor":"c","ttlMs":0,"cacheScope":"cs",` + fullMeta + `}`},
	{"prompts/list", SideResponse, `{"prompts":[{"name":"n","title":"ti","description":"d","arguments":[{"name":"an","title":"at","description":"ad"}],` + fullIcons + `,` + fullMeta + `}],"nextCursor":"c"}`},
	{"prompts/get", SideResponse, `{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"t"}},{"role":"assistant","content":[{"type":"resource","resource":{"uri":"u","blob":"b"}}]}],` + fullMeta + `}`},
	{"prompts/get", SideResponse, `{"resultType":"input_required","requestState":"rs","inputRequests":{"q":{"params":{"message":"me"}}}}`},
	{"resources/list", SideResponse, `{"resources":[{"uri":"u","name":"n","title":"ti","description":"d","mimeType":"mi","size":1,` + fullNotes + `,` + fullIcons + `}],"nextCursor":"c"}`},
	{"resources/templates/list", SideResponse, `{"resourceTemplates":[{"uriTemplate":"ut","name":"n","title":"ti","description":"d","mimeType":"mi",` + fullNotes + `}]}`},
	{"resources/read", SideResponse, `{"contents":[{"uri":"u","mimeType":"mi","text":"t",` + fullMeta + `},{"uri":"u","mimeType":"text/markdown","blob":"b"}]}`},
	{"completion/complete", SideResponse, `{"completion":{"values":["v","w"],"total":2,"hasMore":false,"novel":"no"}}`},
	{"initialize", SideResponse, `{` + fullServer + `}`},
	{"server/discover", SideResponse, `{"supportedVersions":["sv"],` + fullServer + `}`},
	{"tasks/get", SideResponse, `{"task":` + fullTask + `,"taskId":"ti","status":"completed","statusMessage":"sm","result":{"content":[{"type":"text","text":"t"},{"type":"resource","resource":{"uri":"u","text":"t"}}],"structuredContent":{"s":["v"]},"isError":true},"error":{"message":"em","data":{"k":"v"}},"inputRequests":{"q":{"params":{"message":"m"}}}}`},
	{"tasks/update", SideResponse, `{"status":"st",` + fullMeta + `}`},
	{"tasks/cancel", SideResponse, `{"statusMessage":"sm",` + fullMeta + `}`},
	{"resources/subscribe", SideResponse, `{` + fullMeta + `}`},
	{"subscriptions/listen", SideResponse, `{"notifications":{"resources":["r"]},` + fullMeta + `}`},
	{"ping", SideResponse, `{"novel":"no"}`},
	{"never/heard/of", SideResponse, `["a",{"b":["c"]}]`},
	{"never/heard/of", SideRequest, `{"a":{"b":["c"]}}`},
}
