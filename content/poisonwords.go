package content

// The sets of words that make something of what opens a look at a definition.
const (
	covertMoves        = iota // verbs that take data somewhere
	covertStakes              // what a covert move is bad for
	silentMoves               // what is bad right behind "silently"
	unaskedStakes             // what is bad without asking
	divertAlways              // what makes a rule of a sentence
	divertAddress             // addresses, or words for them
	divertExample             // what makes an example of one
	secrecyNegations          // they make "tell the user" an order to keep quiet
	secrecyStakes             // what there is to keep quiet about
	credentialTakes           // verbs that fetch something to hand it on
	credentialOrders          // what makes an order of it
	credentialGives           // where it goes
	preconditionOrders        // what makes an order of a precondition
	preconditionStakes        // what it is bad with
	rivalTools                // what others offer
	rivalOrders               // what a definition wants of it
	preconditionNotes         // what it is worth a note with
	coaxStakes                // what only the model has, or what gets at it
	coaxMoves                 // what is to be done with it
	coaxCare                  // what makes it advice on how to treat it
)

var poisonWords = newWordSets([][]string{
	covertMoves:      {"send", "forward", "upload", "post ", "copy", "email", "transmit", "exfiltrate", "leak", "include", "attach", "append", "call ", "invoke", "execute", "read ", "collect", "log "},
	covertStakes:     {"user", "secretly", "covertly", "conversation", "credential", "password", "token", "key", "message", "mail", "http"},
	silentMoves:      {" send", " forward", " upload", " copy", " post ", " transmit", " email", " call", " include", " log "},
	unaskedStakes:    {"conversation", "credential", "password", "token", "http"},
	divertAlways:     {"must", "always", "every", "all ", "whenever", "when ", "change"},
	divertAddress:    {"http", "attacker", "proxy number"},
	divertExample:    {"e.g.", "for example", "example:", "for instance", "such as", "in the format", "optional", "comma", "list of"},
	secrecyNegations: {"do not ", "don't ", "dont ", "never ", "not to ", "without ", "must not ", "should not ", "avoid ", "no need to ", "refrain from "},
	secrecyStakes:    {"ssh", "password", "credential", "secret", "api key", "token", "send", "read ", "forward", "bcc", "instructions", "safety", "check ran", "important", "side", "hidden", "this tool", "file", "upload", "call "},
	credentialTakes: {"read ", "open ", "cat ", "load ", "retrieve ", "fetch ", "include ", "attach ", "send ", "pass ", "provide ", "copy ", "upload ", "extract ", "append ", "collect ", "forward ", "grab ", "output ", "exfiltrate", "read_file", "readfile", "open_file", "get_file",
		"lies ", "lese ", "lis ", "lee ", "leer ", "leggi ", "leia ", "ler ", "lees ", "läs ", "przeczytaj", "прочита", "прочти", "читай", "oku", "读取", "讀取", "读", "読", "읽"},
	credentialOrders: {"before using", "before calling", "you must", "you should", "must first", "do not", "don't", "otherwise", "important", "any other tool", "pass it", "its content", "first read", "always ", "silently", "sidenote", "as part of", "every call", "must include", "must contain",
		"bevor", "vorher", "zuerst", "d'abord", "avant tout", "primero", "prima di", "primeiro", "eerst ", "najpierw", "сначала", "首先", "まず", "먼저", "avant d", "antes de", "voordat", "innan ", "przed ", "перед ", "до использования", "önce", "之前", "使用前", "前に", "전에"},
	credentialGives: {" as '", " as \"", " as `", "parameter", "argument", "sidenote", "side note", "memo", "into the", "in the ", "to the ", "along with", "content", " pass ", "send", "http", "field", "note", "response", "otherwise", "base64", "before ",
		"inhalt", "übergib", "contenido", "parámetro", "envía", "contenu", "transmet", "contenuto", "conteúdo", "inhoud", "innehåll", "treść", "содержим", "передай", "içeriğ", "内容", "內容", "내용"},
	preconditionOrders: {"call this one", "must", "always", "required", "mandatory", "need to", "have to", "important", "first"},
	preconditionStakes: {"do not tell", "don't tell", "do not mention", "ssh", "credential", "password", "secret", "send ", "recipient", "bcc", "forward", "exfil", "conversation", "read ~", "read the file", "read /", "attacker", "proxy", "redirect", "ignore", "silently", "sidenote", "pass its", "pass the content", "api key"},
	coaxStakes:         {"password", "tokens", "seed phrase", "secrets", "credential", "environment variables", ".env", ".ssh", "/etc/passwd", "/etc/shadow", "last 10 messages", "last ten messages", "private messages", "conversation so far", "chat history", "conversation history", "messages of the chat", "oauth token", "every file you read", "curl -", "curl http", "| sh", "| bash", "|sh", "|bash", "recipient to", "http_post", "as if the user had", "previous user message", "previous messages", "earlier messages", "earlier conversation", "user's messages", "whatever the user typed", "what the user typed"},
	coaxMoves:          {"send", "forward", "upload", "post ", "copy", "append", "attach", "include", "pass ", "supply", "gather", "collect", "extract", "execute", "run ", "change the", "put ", "add the", "call ", "carried out", "body=", "mirror", "relay"},
	coaxCare:           {"never send", "do not send", "don't send", "never include", "do not include", "don't include", "must not include", "should not include", "never pass", "do not pass", "never log", "do not log", "never store", "do not share", "never share", "never ask", "do not ask"},
	rivalTools:         {"tool"},
	rivalOrders:        {"ignore", "do not use", "don't use", "never use", "must not be used", "not be used", "do not call", "never call", "refuse", "redirect", "intercept"},
	preconditionNotes:  {"never use", "do not use", "instead of", "overrides", "disabled", "deprecated", "broken", "insecure"},
})
