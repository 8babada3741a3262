package content

// The built-in detectors. What each looks for is in the file of its family; here is what it is called, what a
// match means, and what redaction writes.
var (
	secretSides = [2]Severity{Block, Note}
	noteSides   = [2]Severity{Note, Note}
	reviewSides = [2]Severity{Review, Review}
	blockSides  = [2]Severity{Block, Block}

	detPrivateKey = secretDetector("private-key", "PRIVATE_KEY", false)
	detCredential = genericDetector("credential", "CREDENTIAL", false)
	detBearer     = genericDetector("bearer-token", "BEARER_TOKEN", true)
	detJWT        = secretDetector("jwt", "JWT", true)
	detConnection = secretDetector("connection-string", "CONNECTION_STRING", false)
	detSlackHook  = secretDetector("slack-webhook", "SLACK_WEBHOOK", true)
	detAzureKey   = secretDetector("azure-key", "AZURE_KEY", true)

	detPassHash = secretDetector("password-hash", "PASSWORD_HASH", true)
	detSeed     = secretDetector("seed-phrase", "SEED_PHRASE", true)

	detEmail = &detector{name: "email", category: CategoryPersonalData, mask: "EMAIL", severity: noteSides}
	detPhone = &detector{name: "phone", category: CategoryPersonalData, mask: "PHONE", severity: noteSides}
	detCard  = &detector{name: "payment-card", category: CategoryPersonalData, mask: "CREDIT_CARD", severity: noteSides, keyBlocks: true}
	detIBAN  = &detector{name: "iban", category: CategoryPersonalData, mask: "IBAN", severity: noteSides, keyBlocks: true}
	detSSN   = &detector{name: "us-ssn", category: CategoryPersonalData, mask: "SSN", severity: noteSides, keyBlocks: true}

	detPassport   = &detector{name: "passport", category: CategoryPersonalData, mask: "PASSPORT", severity: noteSides, keyBlocks: true}
	detNationalID = &detector{name: "national-id", category: CategoryPersonalData, mask: "NATIONAL_ID", severity: noteSides, keyBlocks: true}

	detZeroWidth  = &detector{name: "zero-width", category: CategoryHiddenText, severity: blockSides}
	detBidi       = &detector{name: "bidi-control", category: CategoryHiddenText, severity: blockSides}
	detTags       = &detector{name: "unicode-tags", category: CategoryHiddenText, severity: blockSides}
	detVariation  = &detector{name: "variation-selectors", category: CategoryHiddenText, severity: blockSides}
	detControl    = &detector{name: "control-characters", category: CategoryHiddenText, severity: blockSides}
	detAnsi       = &detector{name: "ansi-escape", category: CategoryHiddenText, severity: noteSides}
	detFormat     = &detector{name: "format-character", category: CategoryHiddenText, severity: noteSides}
	detMarks      = &detector{name: "combining-flood", category: CategoryHiddenText, severity: reviewSides}
	detIncomplete = &detector{name: "incomplete-decode", category: CategoryPolicy, severity: reviewSides}

	detMarker   = &detector{name: "chat-control-token", category: CategoryPromptInjection, severity: blockSides}
	detFakeTurn = &detector{name: "fake-turn", category: CategoryPromptInjection, severity: blockSides}
	detSysBlock = &detector{name: "system-block", category: CategoryPromptInjection, severity: blockSides}
	detFence    = &detector{name: "document-fence", category: CategoryPromptInjection, severity: blockSides}
	detCall     = &detector{name: "tool-call-markup", category: CategoryPromptInjection, severity: reviewSides}
	detOverride = &detector{name: "instruction-override", category: CategoryPromptInjection, severity: reviewSides}

	detTakeover   = &detector{name: "role-takeover", category: CategoryPromptInjection, severity: reviewSides}
	detExtraction = &detector{name: "prompt-extraction", category: CategoryPromptInjection, severity: reviewSides}
	detAddress    = &detector{name: "model-address", category: CategoryPromptInjection, severity: noteSides}

	detImage     = &detector{name: "image-exfiltration", category: CategoryExfiltration, severity: reviewSides}
	detLink      = &detector{name: "link-exfiltration", category: CategoryExfiltration, severity: reviewSides}
	detDataURI   = &detector{name: "script-data-uri", category: CategoryExfiltration, severity: blockSides}
	detCollector = &detector{name: "collector-url", category: CategoryExfiltration, severity: reviewSides}
	detURLCreds  = &detector{name: "url-credentials", category: CategoryExfiltration, mask: "URL_CREDENTIALS", severity: secretSides, keyBlocks: true}

	detPoison = &detector{name: "tool-poisoning", category: CategoryPromptInjection, severity: blockSides}
	detMarkup = &detector{name: "hidden-instruction", category: CategoryPromptInjection, severity: blockSides}
)

func secretDetector(name, mask string, random bool) *detector {
	return &detector{name: name, category: CategorySecret, mask: mask, severity: secretSides, highEntropy: random, keyBlocks: true}
}

func genericDetector(name, mask string, random bool) *detector {
	d := secretDetector(name, mask, random)
	d.generic = true
	return d
}

var builtinDetectors = func() []*detector {
	all := []*detector{
		detPrivateKey, detCredential, detBearer, detJWT, detConnection, detSlackHook, detAzureKey, detTwilio, detPassHash, detSeed,
		detEmail, detPhone, detCard, detIBAN, detSSN, detNationalID, detPassport,
		detZeroWidth, detBidi, detTags, detVariation, detControl, detAnsi, detFormat, detMarks, detIncomplete,
		detMarker, detFakeTurn, detSysBlock, detFence, detCall, detOverride, detTakeover, detExtraction, detAddress,
		detImage, detLink, detDataURI, detCollector, detURLCreds,
		detPoison, detMarkup,
	}
	for _, t := range tokens {
		known := false
		for _, d := range all {
			known = known || d == t.det
		}
		if !known {
			all = append(all, t.det)
		}
	}
	for i, d := range all {
		d.id = i
	}
	return all
}()

// builtinKeywords returns the literals that open the built-in detectors.
func builtinKeywords() []keyword {
	var k []keyword
	k = append(k, tokenKeywords()...)
	k = append(k, serviceKeywords()...)
	k = append(k, secretKeywords()...)
	k = append(k, credentialKeywords()...)
	k = append(k, commandKeywords()...)
	k = append(k, declaredKeywords()...)
	k = append(k, passHashKeywords()...)
	k = append(k, nationalKeywords()...)
	k = append(k, passportKeywords()...)
	k = append(k, columnKeywords()...)
	k = append(k, loginKeywords()...)
	k = append(k, markerKeywords()...)
	k = append(k, urlKeywords()...)
	k = append(k, overrideKeywords()...)
	k = append(k, overrideLanguageKeywords()...)
	k = append(k, concealmentKeywords()...)
	k = append(k, markupKeywords()...)
	k = append(k, poisonKeywords()...)
	k = append(k, cipherKeywords()...)
	k = append(k, leetKeywords()...)
	k = append(k, transferKeywords()...)
	k = append(k, dumpKeywords()...)
	k = append(k, markKeywords()...)
	k = append(k, runOnPrompts()...)
	return k
}
