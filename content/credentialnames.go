package content

import (
	"maps"
	"slices"
	"strings"
)

// credentialNames are the words that announce a credential, in the last place of a name.
var credentialNames = map[string]credential{
	"password": credentialPassword, "passwd": credentialPassword, "passphrase": credentialPassword, "pwd": credentialPassword,
	"passwort": credentialPassword, "kennwort": credentialPassword, "contraseña": credentialPassword, "contrasena": credentialPassword,
	"mot_de_passe": credentialPassword, "mot de passe": credentialPassword, "wachtwoord": credentialPassword, "senha": credentialPassword,
	"hasło": credentialPassword, "şifre": credentialPassword, "пароль": credentialPassword, "密码": credentialPassword, "密碼": credentialPassword,
	"口令": credentialPassword, "パスワード": credentialPassword, "비밀번호": credentialPassword, "كلمة المرور": credentialPassword, "पासवर्ड": credentialPassword,
	"secret": credentialKey, "secret_key": credentialKey, "secretkey": credentialKey, "secret-key": credentialKey,
	"api_key": credentialKey, "apikey": credentialKey, "api-key": credentialKey, "access_key": credentialKey, "accesskey": credentialKey,
	"access-key": credentialKey, "private_key": credentialKey, "privatekey": credentialKey, "private-key": credentialKey,
	"api key": credentialKey, "secret key": credentialKey, "access key": credentialKey, "private key": credentialKey, "auth key": credentialKey,
	"preshared_key": credentialKey, "presharedkey": credentialKey, "app_key": credentialKey, "admin_key": credentialKey, "write_key": credentialKey,
	"master_key": credentialKey, "session_key": credentialKey, "service_key": credentialKey, "_pass": credentialPassword,
	"passcode": credentialPassword, "wpa key": credentialPassword, "wpa2 key": credentialPassword, "wpa3 key": credentialPassword, "wifi key": credentialPassword, "key content": credentialPassword,
	"encryption_key": credentialKey, "signing_key": credentialKey, "account_key": credentialKey, "deploy_key": credentialKey, "auth_key": credentialKey, "authkey": credentialKey,
	"lösenord": credentialPassword, "heslo": credentialPassword, "jelszó": credentialPassword, "adgangskode": credentialPassword, "passord": credentialPassword, "salasana": credentialPassword, "mật khẩu": credentialPassword, "kata sandi": credentialPassword,
	"รหัสผ่าน": credentialPassword, "סיסמה": credentialPassword, "رمز عبور": credentialPassword, "Şifre": credentialPassword, "Пароль": credentialPassword, "κωδικός πρόσβασης": credentialPassword,
	"encryptionkey": credentialKey, "signingkey": credentialKey, "masterkey": credentialKey, "hmac_key": credentialKey, "hmackey": credentialKey, "hmac-key": credentialKey,
	"auth-key": credentialKey, "app-key": credentialKey, "master-key": credentialKey, "admin-key": credentialKey, "service-key": credentialKey, "encryption-key": credentialKey,
	"signing-key": credentialKey, "functions-key": credentialKey, "subscription-key": credentialKey, "subscription_key": credentialKey,
	"nonce_key": credentialKey, "logged_in_key": credentialKey, "auth_salt": credentialKey, "nonce_salt": credentialKey, "logged_in_salt": credentialKey,
	"token": credentialToken, "credentials": credentialToken,
}

func credentialKeywords() []keyword {
	k := make([]keyword, 0, len(credentialNames))
	for _, name := range slices.Sorted(maps.Keys(credentialNames)) {
		kind := credentialNames[name]
		if name == "secret_key" || name == "secretkey" || name == "secret-key" {
			continue // "secret" finds it
		}
		k = append(k, keyword{text: name, look: func(sc *scan, at int) { sc.credentialAt(at, len(name), kind) }})
	}
	// Names so short that what follows them belongs to what is looked for.
	for _, after := range [...]string{"=", ":", " ", "\""} {
		k = append(k, keyword{text: "_pat" + after, look: func(sc *scan, at int) { sc.credentialAt(at, len("_pat"), credentialToken) }})
		k = append(k, keyword{text: "_pw" + after, look: func(sc *scan, at int) { sc.credentialAt(at, len("_pw"), credentialPassword) }})
		k = append(k, keyword{text: "psk" + after, look: func(sc *scan, at int) { sc.credentialAt(at, len("psk"), credentialPassword) }})
	}
	k = append(k, keyword{text: "pass=", look: func(sc *scan, at int) { sc.passGiven(at) }})
	for _, w := range [...]string{"pass: ", "pass\": ", "pass\":\"", "pw: ", "pw\": ", "pw\":\""} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.passSaid(at, at+strings.IndexAny(w, "\":")) }})
	}
	k = append(k, keyword{text: "pw ", look: func(sc *scan, at int) { sc.passTold(at, at+len("pw ")) }})
	for _, w := range [...]string{"identified by ", "_password by "} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.identified(at + len(w)) }})
	}
	return k
}

// credentialSuffixes may follow the word without changing what it announces.
var credentialSuffixes = [...]string{"_key", "-key", "key", "_access_key", "accesskey", "_value", "value", "_token", "token", "_text", "_key_base", "1", "2",
	"_old", "_new", "_prod", "_production", "_live", "_dev", "_test", "_staging", "_primary", "_secondary", "_current", "_previous", "_backup"}

// numberedSuffix reports whether what follows the word is the number or the version of one of several: _2, _v4, 03.
func numberedSuffix(s string) bool {
	i := 0
	for _, c := range [...]byte{'_', 'v'} {
		if i < len(s) && s[i]|0x20 == c|0x20 {
			i++
		}
	}
	return len(s) > i && len(s) <= i+2 && of(s, i, len(s), setDigits)
}
