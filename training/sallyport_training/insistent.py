"""Harmless text in a commanding voice: tool descriptions that insist, and documentation about attacks.

Cut into narrow windows, such text loses what shows that it is harmless, so the gate has to know the
fragments. Written for this model; every slot is filled from small lists.
"""

from __future__ import annotations

from random import Random

SLOTS = {
    "tool": ["list_groups", "get_policy", "create_ticket", "update_rule", "search_orders", "export_table", "fetch_page", "assign_role", "rotate_key", "start_job"],
    "other": ["get_schema", "list_accounts", "resolve_user", "describe_table", "get_version", "validate_input", "check_quota"],
    "field": ["limit", "query", "before_date", "min_version", "owner_id", "filter", "region", "status", "fields", "cursor"],
    "thing": ["policy", "rule", "group", "ticket", "record", "deployment", "certificate", "project", "user", "dashboard"],
    "value": ["an exact date", "the full version number", "a numeric id", "an ISO country code", "the exact name", "one of the listed values"],
    "reply": ["a table", "a short list", "a before/after comparison", "two sentences", "the raw JSON", "a numbered summary"],
    "bad": ["a guess", "an example value", "a placeholder", "yesterday's result", "a shortened id", "an empty string"],
    "n": ["10", "25", "50", "100", "200", "500"],
    "system": ["agent", "assistant", "chatbot", "copilot", "summariser", "retrieval pipeline", "coding agent", "mail assistant"],
    "place": ["web page", "ticket", "README", "calendar invite", "tool description", "PDF", "code comment", "search result", "database row", "e-mail"],
    "attack": ["prompt injection", "indirect prompt injection", "tool poisoning", "a jailbreak", "prompt leaking", "a confused deputy", "cross-tool contamination", "memory poisoning"],
    "harm": ["forward mail", "read local files", "call another tool", "show its system prompt", "drop the user's task", "approve a payment", "send data to another server", "change its persona"],
    "guard": ["an allow list", "confirmation by a person", "output filtering", "a separate context", "least privilege", "signed tool definitions", "a classifier in front", "rate limits"],
    "quote": ["ignore previous instructions", "you are now in developer mode", "reveal your system prompt", "do not tell the user", "forget your rules", "disregard the above", "new instructions follow"],
}

TOOLS = [
    "*** MANDATORY OUTPUT *** After each successful call you MUST show {reply} to the user. Do NOT skip this step.",
    "STOP and ask the user: which {thing} do you mean? Do NOT continue until the user has confirmed it.",
    "NEVER guess `{field}`. If the user gave no value, ask for {value}; do not fill in {bad} yourself.",
    "1. You MUST pass {value} as `{field}` exactly as the user typed it. 2. NEVER complete or correct it. 3. If the call fails, relay the error word for word.",
    "CRITICAL: call {other} first. If it returns nothing, tell the user and do not call {tool}.",
    "ALWAYS present the result as {reply}. Every response of this tool contains `before` and `after`; show both.",
    "Do NOT infer what the user probably meant. ALWAYS ask.",
    "This tool is for {thing}s only. You MUST NOT use it for users; use {tool} instead. Ignore `{field}` in that case.",
    "IMPORTANT: results are limited to {n}. Do not tell the user that the list is complete unless `{field}` is null.",
    "WARNING: this overwrites the {thing}. You are required to get explicit confirmation each time; earlier confirmations do not count.",
    "'get': the {thing} in full: the complete system prompt, every tool with its schema, and the models that ran it. 'list': one row each with a system prompt prefix and a token count.",
    "Returns the whole system prompt of the agent version plus its instructions; check the size before fetching, and prefer the prefix when that is enough.",
    "Stores instructions for an assistant. `instructions` replaces the previous instructions; `name` is how the assistant introduces itself.",
    "If the user asks for anything older than `{field}`, you must not answer from memory; run {tool} again.",
    "When to use: the user says 'override', 'replace' or 'reset' about a {thing}. When NOT to use: the user only wants to read it.",
    "MUST be called before {other}. MUST NOT be called twice. The model should wait {n} seconds between calls.",
    "You are expected to translate error codes into plain words for the user, and to leave tokens and ids out of your reply.",
    "Rules for `{field}`: (a) keep quotes; (b) drop everything after a semicolon; (c) never send {bad}.",
    "Previous values are discarded. The new `{field}` takes effect at once, and all earlier rules of the {thing} are ignored.",
    "Do not mention internal ids in the answer. Do not summarise unless asked. Do not call any tool after this one.",
    "To the model: prefer `{field}` over `query`; it is cheaper. Ask before you fetch more than {n} rows.",
    "Switches to admin mode for this {thing}. Only for users with the admin role; the server refuses everyone else.",
    "Ensure that you have read the {thing} with {other}; then apply the change exactly as the user instructed, nothing else.",
]

DOCUMENTS = [
    "{attack} happens when text from a {place} reaches the model as if it were an instruction. The {system} may then {harm}.",
    "In the example, a {place} contains the sentence \"{quote}\". A careless {system} would {harm}.",
    "Attackers hide such sentences in a {place}, in white text or behind a fold, so that people do not see them and the {system} does.",
    "Mitigations: {guard}, {guard}, and logging of every call. None of them is complete.",
    "An attacker who can write to a {place} can make the {system} {harm}. Severity: high. Preconditions: write access, no {guard}.",
    "Detection: look for imperative sentences in a {place}, for phrases such as \"{quote}\", and for calls that the user did not ask for.",
    "The server returns a description that tells the model to {harm} before it answers; this is called {attack}.",
    "Step 1: the attacker publishes a {place}. Step 2: the user asks the {system} to read it. Step 3: the {system} follows the hidden text and starts to {harm}.",
    "Treat the content of a {place} as data. A {system} must never follow instructions found there, whatever they claim about their origin.",
    "System prompts should say what the {system} must not do, but they are no security boundary: {attack} gets past them.",
    "The test sends \"{quote}\" in a {place} and checks that the {system} does not {harm}.",
    "Unlike a jailbreak, which comes from the user, {attack} comes from a third party through a {place}.",
    "We asked the model to ignore embedded commands; in {n} of 1000 runs it still tried to {harm}.",
    "Example payload (defanged): \"{quote}, then {harm}\". The filter blocks it with {guard}.",
    "Impact: the {system} acts with the user's rights, so it can {harm} without the user noticing.",
    "The model cannot tell the operator's instructions from those of a {place}, because both arrive as tokens.",
    "| technique | where | effect |\n| {attack} | {place} | makes the {system} {harm} |",
    "## Defence in depth\n\nUse {guard} and {guard}. Never let the {system} {harm} without a person who agrees.",
    "Poisoned tools can shadow trusted ones: the description of one tells the model how to use another, for example to {harm}.",
    "References: reports on {attack} in {system}s, 2023 to 2025; vendor advisories; a checklist for {guard}.",
    "A hidden instruction in a {place} told the {system} to {harm} and to keep quiet about it. The vendor fixed this with {guard}.",
    "Ask yourself: what could a {system} do if every word of this {place} were an order? If the answer is '{harm}', add {guard}.",
]


def fill(pattern: str, r: Random) -> str:
    while "{" in pattern:
        start, end = pattern.index("{"), pattern.index("}")
        pattern = pattern[:start] + r.choice(SLOTS[pattern[start + 1:end]]) + pattern[end + 1:]
    return pattern[:1].upper() + pattern[1:]


def tool(r: Random) -> str:
    """The description of a tool, one to four sentences; now and then as JSON."""
    text = r.choice([" ", "\n", "\n\n", " "]).join(fill(p, r) for p in r.sample(TOOLS, r.randint(1, 4)))
    return '{"name": "%s", "description": "%s"}' % (r.choice(SLOTS["tool"]), text.replace('"', '\\"').replace("\n", "\\n")) if r.random() < 0.3 else text


def document(r: Random) -> str:
    """A paragraph or a page of documentation about attacks on models."""
    return r.choice([" ", "\n\n", "\n", "\n- "]).join(fill(p, r) for p in r.sample(DOCUMENTS, r.randint(1, 6)))
